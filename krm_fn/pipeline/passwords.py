"""Passwords that stand where everybody reads them, and the Secrets that workloads need in their stead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from krm_fn.clusters import Key
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import ObjectSource
from krm_fn.krm.results import ObjectRef, Result, Results
from krm_fn.places.place import quoted
from krm_fn.plan.kustomizations import Builds
from krm_fn.plan.record import ObjectRecord, TargetRecord, edited_targets
from krm_fn.plan.rollout.secrets import secrets_in
from krm_fn.products.node_kinds import KUBEADM, OF_CLASSES
from krm_fn.products.release_kinds import APPLICATION
from krm_fn.proxy_url import secret_key_ref, split_url
from krm_fn.target_table import system_of

_FROM = (
    "this {kind} holds the password of the proxy in clear text, which `spec.from` takes from a Secret; name a Secret "
    "of the clusters in `spec.secretRef`, so that workloads refer to it and no run writes the password as text "
    "(`howto/password.md` has the steps){more}"
)
_REFUSED = (
    "this {kind} would hold the password of the proxy in clear text, which `spec.secretRef` is to keep out, so nothing "
    "is written{more}; or let `spec.allowClearText` list `{system}`"
)
_OF_NODES = (
    "; for nodes, in this order: let `spec.targets.giantswarm.generate` list `systemdProxy`, set `content: Secret` for "
    "`nodes.containerd` and `nodes.kubelet`, and `exports: false` for `nodes.commands`"
)
_OF_OTHERS = (
    "; where a place holds text alone, give the target `{target}` a proxy without a password, in an entry of "
    "`spec.overrides`"
)


def review(
    source: ObjectSource,
    records: Sequence[ObjectRecord],
    config: ProxyConfig,
    config_ref: ObjectRef,
) -> Results:
    """Yield the findings about passwords, and about Secrets of ``spec.secretRef``, after a run."""
    targets = [*edited_targets(records)]
    yield from _exposed_passwords(targets, config)
    yield from _needed_secrets(source, targets, config, config_ref)


def _exposed_passwords(targets: Iterable[TargetRecord], config: ProxyConfig) -> Results:
    """Yield a finding for each object but a Secret that holds a password which a Secret holds, too, or has to hold."""
    urls = config.secret_urls
    is_refused = bool(config.urls_in_secrets)
    if is_refused:
        urls = frozenset(url for url in config.proxy_urls if split_url(url).password)
    exposed = set()
    for target_record in targets:
        obj = target_record.obj
        system = system_of(target_record.target_id)
        paths = [reading.path for reading in target_record.after if reading.value in urls]
        is_allowed = not {system, target_record.target_id}.isdisjoint(config.clear_text)
        is_secret = obj.group_kind == ("", "Secret")
        if is_allowed or is_secret or not paths or obj.ref in exposed:
            continue
        exposed.add(obj.ref)
        more = _remedy(target_record)
        message = _REFUSED if is_refused else _FROM
        text = message.format(kind=obj.ref.kind, more=more, system=system)
        code = "CannotWrite" if is_refused else "PasswordExposed"
        yield target_record.result(Result(code, text, paths[0]))


def _remedy(target_record: TargetRecord) -> str:
    """Return what keeps a password out of a place that does not refer to the Secret of ``spec.secretRef``."""
    target = target_record.target_id
    is_class = target == OF_CLASSES and target_record.obj.group_kind != APPLICATION
    if target in KUBEADM.targets or is_class:
        return _OF_NODES
    return _OF_OTHERS.format(target=target)


def _needed_secrets(
    source: ObjectSource,
    targets: Iterable[TargetRecord],
    config: ProxyConfig,
    config_ref: ObjectRef,
) -> Results:
    """Yield one line: which Secrets pods need, and which of these nothing in the list makes."""
    needed: set[Key] = set()
    builds = Builds(source)
    for target_record in targets:
        obj = target_record.obj
        options = target_record.context.options
        for reading in target_record.after:
            if reading.value in config.urls_in_secrets:
                name = secret_key_ref(reading.value)["name"]
                for namespace in target_record.target.pod_namespaces(obj.data, options):
                    key = Key("", "Secret", namespace, name, obj.ref.file_path)
                    needed |= (not namespace and builds.needs(key)) or {key}
    if not needed:
        return
    listed = secrets_in(source)
    missing = [key for key in needed if not listed.candidates(key)]
    message = f"pods refer to the Secrets {_names(needed)}"
    if missing:
        message += (
            f", and do not start without {_names(missing)}, which nothing in the input makes: add what does, such as "
            "an ExternalSecret or a SealedSecret (`howto/password.md`), or set `spec.lint.rules.SecretMissing` where "
            "they are made elsewhere"
        )
    yield Result(
        "SecretMissing", message, ("spec", "secretRef"), is_info=not missing, ref=config_ref
    )


def _names(keys: Iterable[Key]) -> str:
    """Return the Secrets in one phrase, each with the namespace that it must be in."""
    return quoted(sorted("/".join(filter(None, (key.namespace, key.name))) for key in keys))
