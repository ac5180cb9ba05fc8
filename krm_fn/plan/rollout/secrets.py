"""Names of the Secrets that hold drop-ins of nodes.

Cluster API takes the content of a Secret once, when it makes a node: another content rolls nothing, another name in
``files[].contentFrom.secret.name`` does. A class that is patched takes the name from a variable of each Cluster. Without
the Secret no node boots.

Sources: Cluster API 1.11 ``kubeadmconfig_controller.go`` (``resolveSecretFileContent``), ``internal/filters.go``.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from krm_fn.clusters import Key, ObjectIndex
from krm_fn.config import ProxyConfig
from krm_fn.krm.resourcelist import Object, ObjectSource
from krm_fn.krm.results import Result
from krm_fn.patch import Pointer, items_at, text_at
from krm_fn.places import cluster_secret
from krm_fn.plan.items import items_of_kinds, readable_objects
from krm_fn.plan.kustomizations import Builds
from krm_fn.plan.record import ObjectRecord, TargetRecord
from krm_fn.plan.rollout.naming import (
    NAME,
    RolloutNote,
    User,
    find_users,
    not_rolled,
    plan_rename,
    records_of_items,
    renamed,
    update_reference,
)
from krm_fn.products import giantswarm
from krm_fn.products.node_kinds import KIND_NAMES, NODE_KINDS

_NAME_IN_FILE = ("contentFrom", "secret", "name")
_NOT_NAMED = (
    "not created, though `spec.targets.giantswarm.generate` asks for it, because nothing in the list refers to it: set "
    "`content: Secret` for `nodes.containerd` and `nodes.kubelet`"
)
# The target that writes the Secrets of Clusters.
_TARGET = "giantswarm.systemdProxy"
# The kinds of objects that are, or become, a Secret -> where they may have its name.
_SECRET_NAMES: dict[str, tuple[Pointer, ...]] = {
    "Secret": (NAME,),
    "ExternalSecret": (NAME, ("spec", "target", "name")),
    "SealedSecret": (NAME, ("spec", "template", "metadata", "name")),
    # It makes ExternalSecrets in namespaces that it selects: it counts for all of them.
    "ClusterExternalSecret": (
        NAME,
        ("spec", "externalSecretName"),
        ("spec", "externalSecretSpec", "target", "name"),
    ),
}


def secret_names(
    source: ObjectSource,
    records: Sequence[TargetRecord],
    config: ProxyConfig,
    changed: Collection[ObjectRecord],
) -> list[RolloutNote]:
    """Return new names of Secrets and the references that follow, and which nodes keep the old content.

    A new Secret that nothing refers to loses its targets, so that it is not created. One of Giant Swarm stays: a chart
    makes its nodes.

    Args:
        source: the list before the run.
        records: all planned records, after they are applied.
        config: the checked FunctionConfig.
        changed: the objects that changed.
    """
    secrets = []
    changed_classes = set()
    for record in records:
        obj = record.obj
        if record.target_id == _TARGET and obj.data and cluster_secret.is_name(obj.base_name):
            secrets.append((_key(obj, obj.base_name), record))
        of_class = record.class_context
        if of_class and obj.ref.kind == "ClusterClass" and record.record in changed:
            changed_classes.add(of_class.of_class)
    references = [*_node_references(source, records), *_class_references(records)]
    users = find_users((key for key, _ in secrets), references)
    named = {user.key.name for user in references}
    builds = Builds(source)
    notes: list[RolloutNote] = []
    for key, record in secrets:
        data = record.obj.data
        is_named = key.name in named or source.holding((key.name,))
        is_kept = is_named or giantswarm.CLUSTER_LABEL in record.obj.labels
        if record.is_changed and record.record.is_new and not is_kept:
            record.record.targets.clear()
            finding = Result("SettingUnused", _NOT_NAMED, is_info=bool(named))
            notes.append(RolloutNote(record.record, finding))
            continue
        content = [data.get("data"), data.get("stringData")]
        secret = plan_rename([record], content, config, "Secret")
        its_users = users.get(key, [])
        if not secret.keeps_name:
            notes += renamed(secret, its_users, builds)
            continue
        for user in its_users:
            # A reference may have been added to a Secret that has its hash already.
            notes += update_reference(user, secret)
            is_left = record.record in changed and user.record not in changed
            of_class = user.by_class.class_context if user.by_class else None
            if of_class and of_class.of_class in changed_classes:
                is_left = False  # other patches of a class roll the nodes of its Clusters
            if is_left and not config.hash_names:
                notes.append(not_rolled(user, secret, config))
    notes += _missing(source, records, references, config)
    return notes


def _node_references(source: ObjectSource, records: Sequence[TargetRecord]) -> Iterator[User]:
    """Yield the files of nodes whose content is in the Secret of a Cluster, as the run leaves them."""
    possible = items_of_kinds(source, KIND_NAMES)
    named = source.holding((giantswarm.SYSTEMD_PROXY_SUFFIX,), possible)
    for record in records_of_items(source, named, records):
        obj = record.obj
        kind = NODE_KINDS.get(obj.group_kind)
        if kind is None or obj.is_local:
            continue
        for path, file in items_at(obj.data, kind.files):
            name = text_at(file, _NAME_IN_FILE)
            if cluster_secret.is_name(name):
                yield User(record, (*path, *_NAME_IN_FILE), _key(obj, name))


def _class_references(records: Sequence[TargetRecord]) -> Iterator[User]:
    """Yield the Clusters whose nodes take drop-ins from Secrets by patches of their class, and classes without one."""
    patched = []
    for record in records:
        known = record.class_context
        if known is None or known.of_class is None:
            continue
        name = record.target.node_secret(record.obj.data, record.context)
        if name is not None:
            patched.append((record, known.of_class, name))
    with_clusters = {key for record, key, _ in patched if record.obj.ref.kind == "Cluster"}
    for record, of_class, name in patched:
        obj = record.obj
        if name:
            yield User(record.record, ("spec", "topology"), _key(obj, name), record)
        elif of_class not in with_clusters:
            key = _key(obj, cluster_secret.name_for("<cluster>"))
            yield User(record.record, ("spec", "patches"), key)


def _missing(
    source: ObjectSource,
    records: Sequence[TargetRecord],
    references: Sequence[User],
    config: ProxyConfig,
) -> Iterator[RolloutNote]:
    """Yield a finding for each reference to a Secret that is not in the list, unless the user lets a run create it."""
    is_created = config.targets.is_on(_TARGET) and config.targets.generates(_TARGET)
    if is_created or not references:
        return
    with_proxy = {record.record for record in records if record.resolved.settings.sets_any}
    listed = secrets_in(source)
    for user in references:
        if user.record in with_proxy and not listed.candidates(user.key):
            message = (
                f'the Secret "{user.key.name}" is neither in the list nor created, and no node boots without it: add '
                "it, or let `spec.targets.giantswarm.generate` list `systemdProxy`; where something else makes it, "
                "`spec.lint.rules.SecretMissing: Info` says so"
            )
            finding = Result("SecretMissing", message, user.path)
            yield RolloutNote(user.record, finding)


def secrets_in(source: ObjectSource) -> ObjectIndex[None]:
    """Return the Secrets of a list, and those that objects in it make, in the namespaces into which they are built."""
    listed: ObjectIndex[None] = ObjectIndex()
    builds = Builds(source)
    for obj in readable_objects(source, items_of_kinds(source, _SECRET_NAMES)):
        for path in _SECRET_NAMES.get(obj.ref.kind, ()):
            key = _key(obj, text_at(obj.data, path))
            is_of_all = obj.ref.kind.startswith("Cluster")
            for built in (not is_of_all and builds.needs(key)) or [key]:
                listed.add(built, None)
    return listed


def _key(obj: Object, name: str) -> Key:
    """Return the key of the Secret of a name beside an object, without its hash."""
    base_name = cluster_secret.without_hash(name)
    return Key("", "Secret", obj.ref.namespace, base_name, obj.ref.file_path)
