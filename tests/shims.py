"""Old module names for the old tests; no part of the sketch."""
import sys, types
from krm_fn import targets
from krm_fn.formats import systemd_unit as su
from krm_fn.targets.nodes import node_targets as nt, node_trust_store as ts, command_order as co, exports as ex, node_config as nc
def mod(name, **members):
    m=types.ModuleType(name); m.__dict__.update(members); sys.modules[name]=m
    parent,_,leaf=name.rpartition('.'); sys.modules.setdefault(parent, types.ModuleType(parent)); setattr(sys.modules[parent],leaf,m)
P="krm_fn.targets.nodes."
for name,tid in (("containerd_drop_in","containerdDropIn"),("kubelet_drop_in","kubeletDropIn"),("kubeadm_commands","kubeadmCommands")):
    mod(P+name,TARGET=nt.TARGETS[tid])
mod(P+"files",decode=nc.decode,encode=nc.encode)
def live(commands):
    found={}
    for i,c in enumerate(commands):
        for e in ex.exports_in(c): found.pop(e.name,None); found[e.name]=(i,e)
        if not ex.only_exports(c):
            for n in ex.unset_by(c): found.pop(n,None)
    return list(found.values())
mod(P+"shell_exports",live=live,only_exports=ex.only_exports)
mod(P+"drop_in_conflicts",namesakes=lambda p:())
mod(P+"container_runtime",CONTAINERD="containerd",CRI_O="crio",LINUX="Linux",operating_system_of=None,runtime_of=None)
mod(P+"service_restart",command=lambda u,v="restart":co.restart_of(u,v),is_ours=co.is_restart,is_restarted=lambda c:co._is_restarted(list(c)))
mod(P+"trust_commands",commands=ts.commands,ALL=tuple(ts._UPDATES),MARK=co.TRUST_MARK,FOLDER=ts._FOLDER)
def read(t):
    t2=su.with_final_break(t)
    return {a.name:(a.value if a.value is not None else t2[a.start:a.end]) for a in su.assignments(t2) if a.counts and a.name}
def settings_of(t):
    t2=su.with_final_break(t)
    return [types.SimpleNamespace(name=a.name,value=a.value) for a in su.assignments(t2) if a.counts and a.name]
def edit(t,v): return t if su.problem(t) else su.edit(t,v)
mod("krm_fn.carriers.unit_text",edit=edit,read=read,fresh=lambda v:su.edit("",v),settings_of=settings_of,has_rejected_header=lambda t:bool(su.problem(t)),unset_by=lambda t,v:set(su.unset_by(t,v)))
from krm_fn.targets.nodes.clusterclass import foreign_patches as fp
