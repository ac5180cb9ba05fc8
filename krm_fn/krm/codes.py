"""List the codes of what a run reports: for each its severity, meaning, cause and remedy.

A code is the name under which `spec.lint.rules` silences a warning or an information, or makes it louder. It never
changes its meaning and is never used again for another one. The rules about proxies and lists have IDs of their own
(`NP001` …), which `krm_fn.noproxy.rules` lists. What makes a run impossible is an error; it has a code, too, and no
entry of `spec.lint.rules` silences it.
`docs/messages.md` is generated from this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from krm_fn.krm.results import Severity


@dataclass(frozen=True)
class Code:
    """One code: its ID, and complete sentences for a person who has never seen the message.

    ``severity`` is the most severe one that the finding has if `spec.lint.rules` does not name it. ``meaning`` says
    what happened, ``cause`` why, and ``remedy`` what to do, with the field in which to do it.
    ``is_fixed``: no entry of `spec.lint.rules` changes the severity.
    """

    id: str
    severity: Severity
    meaning: str
    cause: str
    remedy: str
    is_fixed: bool = False


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

_SILENCEABLE = (
    # the list and the FunctionConfig
    Code(
        "NoFunctionConfig",
        _W,
        "inject-proxy changes nothing, because it got no FunctionConfig.",
        (
            "The ResourceList has no `functionConfig`, or `functionConfig` is a ConfigMap without "
            "`data`."
        ),
        (
            "Name a ProxyConfig under `transformers` of the kustomization.yaml, or in "
            "`configPath` of the Kptfile, or give values behind `kpt fn eval`: "
            "`kpt fn eval --exec inject-proxy -- httpProxy=URL httpsProxy=URL`."
        ),
    ),
    Code(
        "NothingSelected",
        _W,
        (
            "inject-proxy changes nothing, because `spec.selector.include` matches no object that "
            "could hold a proxy."
        ),
        (
            "The list has objects for the enabled targets, but the names, kinds, namespaces or "
            "labels in the selector match none of them."
        ),
        "Correct `spec.selector.include`, or remove it to select every object.",
    ),
    Code(
        "OverrideFitsNothing",
        _W,
        "The `match` of an entry of `spec.overrides` matches no object of this list.",
        (
            "The entry is for a Cluster of the list, but no object has the role, worker group or "
            "target that `match` names, or no entry of `spec.overrides` matches anything. The "
            "severity is information where the entry may be meant for the Clusters of another "
            "list."
        ),
        "Correct `spec.overrides[].match`, or remove the entry.",
    ),
    Code(
        "OtherNamespace",
        _W,
        (
            "An object gets no proxy, because it says that it belongs to a Cluster of another "
            "namespace."
        ),
        (
            "Only a label, a name or a kubeconfig ties the object to the Cluster, and "
            "`spec.overrides` gives this Cluster a proxy of its own. The owner of the other "
            "namespace could obtain the proxy and its password with such a label."
        ),
        (
            "Add the namespace of the object to `spec.trustedNamespaces` if you trust everybody "
            "who can write there."
        ),
    ),
    Code(
        "ProxyOfRole",
        _I,
        "An object that machines of all roles share gets the proxy of one role.",
        (
            "Every proxy of the Cluster comes from an override with `match.roles`, and no proxy "
            "is declared for the Cluster as a whole."
        ),
        (
            "Declare the proxy in `spec.httpProxy` and `spec.httpsProxy`, or in an override "
            "without `match.roles`, if another one is right."
        ),
    ),
    Code(
        "SharedByClusters",
        _I,
        "Several Clusters share an object, and its `NO_PROXY` holds what each of them needs.",
        "Labels, names or references tie the object to more than one Cluster.",
        (
            "You need not do anything. Give each Cluster an object of its own if you want shorter "
            "lists."
        ),
    ),
    Code(
        "ClassOfOtherNamespace",
        _W,
        "A Cluster uses a ClusterClass of another namespace, whose templates hold another proxy than it should have.",
        (
            "`spec.overrides` gives the Cluster another proxy than the Clusters in the namespace of the class, and "
            "all of them share its templates."
        ),
        (
            "Make the Cluster of a class of its own, or set `spec.targets.clusterClass.sharedTemplates: Patch`, "
            "which gives each Cluster its own proxy."
        ),
    ),
    Code(
        "ClusterNameTaken",
        _W,
        (
            "Several Clusters of the list have the same namespace and name, and different networks, and the file of "
            "an object does not say which of them is meant."
        ),
        (
            "The list holds folders of several environments or management clusters. An object belongs to the Cluster "
            "of its own file, else to that in the nearest folder. Where there are several, its `NO_PROXY` holds what "
            "all of them need; of two Clusters in one file, and of a patch, only the other one counts."
        ),
        (
            "Put the object into the file of its Cluster, run inject-proxy for each folder by itself, or give the "
            "Clusters different names."
        ),
    ),
    Code(
        "ClusterFieldInvalid",
        _W,
        (
            "A field of a Cluster, or of its infrastructure or control plane, holds something else than CIDRs or "
            "a host, and `NO_PROXY` goes without it."
        ),
        (
            "A CIDR has no prefix or an impossible one, a letter is in an address, or a text is in the place of a "
            "list. Other entries of the field, other fields or `spec.clusterDefaults` say the fact; where none does, "
            "NP038 names the field."
        ),
        "Correct the field that the message names, or remove the entry.",
    ),
    Code(
        "DocumentUnreadable",
        _W,
        "A document of a file, or an item of the list, cannot be read as YAML, and is skipped.",
        (
            "Its text names a proxy or refers to an object, so that a run looks at it, but no target needs it. What "
            "a target needs is an error instead. A run never reads what neither of them needs, and says nothing of it."
        ),
        "Correct the line that the message names, or leave the file out with `--exclude`.",
    ),
    Code(
        "EncodedPlaceholder",
        _W,
        "A base64 or gzip text holds a placeholder that no later step replaces.",
        (
            "clusterctl and Flux replace placeholders such as `${PROXY}` in plain text only, and "
            "the object stores this text encoded."
        ),
        "Write the value itself into the ProxyConfig, or store the text without an encoding.",
    ),
    Code(
        "ServiceAddressUnknown",
        _W,
        (
            "`NO_PROXY` lacks the first address of the service CIDR, which is the address of the "
            "API server."
        ),
        (
            "The service CIDR of the Cluster is a placeholder, so inject-proxy cannot compute its "
            "first address. Programs that read no CIDRs need the address."
        ),
        (
            "Add the address to `spec.noProxy`; it may be a placeholder, too. "
            "`spec.noProxyPolicy.derive.serviceAddresses: false` says that you do not need it."
        ),
    ),
    Code(
        "PasswordExposed",
        _W,
        "An object that is not a Secret holds the password of the proxy in clear text.",
        (
            "`spec.from` reads the proxy URL from a Secret, and a target writes the URL into an "
            "object of another kind."
        ),
        (
            "Use a target that writes a Secret, such as `content: Secret` of `containerdDropIn` "
            "and `kubeletDropIn`, or give the target a proxy without a password in "
            "`spec.overrides`."
        ),
    ),
    # what no target writes
    Code(
        "NodeSystemUnsupported",
        _W,
        (
            "Nodes get no proxy, because no target writes the configuration of their operating "
            "system or distribution."
        ),
        (
            "RKE2, K3s, Talos, EKS, Windows, Bottlerocket and others do not read what kubeadm "
            "nodes on Linux with systemd read."
        ),
        "Set the proxy yourself in the field that the message names.",
    ),
    Code(
        "ClassNotInList",
        _W,
        "Nodes of a Cluster get no proxy, because its ClusterClass is not in the list.",
        "The ClusterClass is in another folder, or only on the management cluster.",
        (
            "Add the ClusterClass and its templates to the list, or run inject-proxy over the "
            "list that has them."
        ),
    ),
    Code(
        "TemplateNotInList",
        _W,
        "Nodes get no proxy, because the control plane of their Cluster, or their template, is not in the list.",
        "The object is in another folder, or only on the management cluster.",
        "Add the object that the message names to the list, or run inject-proxy over the list that has it.",
    ),
    Code(
        "ProxyFieldEmpty",
        _W,
        "An object has a field for a proxy that no target writes, and the field is empty.",
        (
            "The object is a HelmRelease or an Application of a known chart, or a runner, an "
            "operator or the like, which takes its proxy from a field of its own."
        ),
        (
            "Set the proxy in the field that the message names, or leave the object out with "
            "`spec.selector.exclude` where it needs none."
        ),
    ),
    Code(
        "StaleProxy",
        _W,
        "An object sets another proxy than the ProxyConfig, and no target writes this field.",
        (
            "A person or another tool wrote the value. With `mode: Remove` the value stays for "
            "the same reason."
        ),
        "Change or remove the value by hand, or leave the object out with `spec.selector.exclude`.",
    ),
    Code(
        "WorkloadNotSelected",
        _W,
        "A workload sets another proxy than the ProxyConfig, and no target selects it.",
        (
            "A person or another tool wrote the value. The target `workloads` writes only what a "
            "matcher, a preset, or an annotation selects."
        ),
        (
            "Add a matcher to `spec.targets.workloads.workloads`, or the annotation "
            '`fn.inject-proxy.io/proxy: "true"` to the workload, and set '
            "`spec.targets.workloads.conflict` to `Override`, because `Unit` and `Keep` leave the "
            'value; the annotation `"false"` says that the workload keeps its own proxy.'
        ),
    ),
    Code(
        "PolicyWrapped",
        _W,
        "A Kyverno policy inside another object sets a proxy, and inject-proxy does not change it.",
        (
            "An object holds the policy as text or as a part of its data, and its kind is none of "
            "those that `kyvernoPolicies` in docs/targets/kyverno.md lists."
        ),
        (
            "Run inject-proxy over the policy itself, before the policy becomes part of the other "
            "object."
        ),
    ),
    Code(
        "OtherWriter",
        _W,
        "Another file or field of a node sets a proxy that differs from the ProxyConfig.",
        (
            "A person or another tool set the proxy in `/etc/environment`, for apt or docker, in "
            "`ignition.proxy`, in `proxyConfigSpec` or in a similar place. No target writes these "
            "places."
        ),
        (
            "Change the value there by hand, or remove it. `spec.targets.otherWriters.enabled: "
            "false` switches the check off."
        ),
    ),
    Code(
        "ValuesElsewhere",
        _I,
        "A HelmRelease gets no proxy, because its values come from another object.",
        "The HelmRelease has `spec.valuesFrom`, and its `spec.values` has no field for the proxy.",
        (
            "Set `global.connectivity.proxy` in the object that `spec.valuesFrom` names, or write "
            "an empty one in `spec.values`."
        ),
    ),
    # shapes
    Code(
        "WrongType",
        _W,
        "A field has another type than its API defines, and inject-proxy leaves it as it is.",
        (
            "The field is a placeholder that a later step replaces. Any other wrong type is an "
            "error, which no rule silences."
        ),
        (
            "Correct the type of the field, or remove the field. A placeholder that becomes the "
            "right type needs no change."
        ),
    ),
    Code(
        "Encrypted",
        _W,
        "SOPS has encrypted an object or a text in it, and inject-proxy leaves it as it is.",
        "The object has the field `sops`, or the text holds values that begin with `ENC[`.",
        (
            "Decrypt the object before this function runs, or leave it out with "
            "`spec.selector.exclude`."
        ),
    ),
    Code(
        "TextUnreadable",
        _W,
        "inject-proxy cannot read a text inside an object, and leaves it as it is.",
        (
            "The text is not valid YAML, base64, gzip or UTF-8 although its field needs that, or "
            "it is too long."
        ),
        (
            "Correct the text or its `encoding`; write a value of a Secret that is not base64 "
            "under `stringData`."
        ),
    ),
    Code(
        "YttCode",
        _W,
        (
            "inject-proxy leaves a document as it is, because ytt code or a ytt annotation "
            "decides about the value."
        ),
        (
            "ytt computes the value after this function has run, or the annotation changes what "
            "the value means."
        ),
        "Write a plain value, move the ytt code away from it, or edit the document by hand.",
    ),
    Code(
        "NoValues",
        _W,
        "A Secret has no values in which inject-proxy could set a proxy.",
        (
            "The key with the values, such as `values.yaml`, is missing, or its document is empty "
            "or not a mapping."
        ),
        "Write the values into the Secret, or delete the Secret.",
    ),
    Code(
        "ConfigSpecMissing",
        _W,
        "An object gets no proxy, because it has no KubeadmConfigSpec.",
        "The object is a patch for another one, or a person left the field out.",
        "Write the field that the message names as `{}`, unless the object is a patch.",
    ),
    Code(
        "VersionUnknown",
        _I,
        (
            "inject-proxy does not know the API version of an object, and applies the limits of "
            "the newest version that it knows."
        ),
        "The API version is newer than this version of inject-proxy, or it is misspelt.",
        (
            "Correct `apiVersion`, or check the lengths of `files` and commands against the "
            "documentation of that version."
        ),
    ),
    Code(
        "TooLong",
        _W,
        "A file, a command or a list is longer than the API allows.",
        (
            "Cluster API allows 10240 characters for the content of a file and for a command, and "
            "CAREN 128 entries for `additionalNo`. In `v1beta2` of Cluster API it is an error, "
            "which no rule silences."
        ),
        (
            "Shorten `spec.noProxy`, set `encoding: gzip+base64` for a file, or set `exports: "
            "false` of `kubeadmCommands`."
        ),
    ),
    Code(
        "EncodingUnusable",
        _W,
        "Ignition cannot decode the `encoding` of a file.",
        "The object has `format: ignition` and a file with gzip; Ignition does not unpack gzip.",
        "Set `encoding: base64` for the file.",
    ),
    Code(
        "RenderedByCloudInit",
        _W,
        "cloud-init renders a value as a Jinja template, so nodes get another value.",
        (
            "The value holds `{{`, `{%` or `{#`, and Cluster API passes the file or the command "
            "to cloud-init in plain text."
        ),
        (
            "Percent-encode the characters if they are part of a URL, or set `encoding: base64` "
            "for the file."
        ),
    ),
    # nodes
    Code(
        "OtherDropIn",
        _W,
        (
            "Another drop-in of the same service sets proxy variables, and inject-proxy does not "
            "change it."
        ),
        (
            "An entry of `files` that inject-proxy does not write is in the drop-in folder of the "
            "service. systemd reads drop-ins in the order of their names, and the last value wins."
        ),
        "Remove the other entry, or set `path` of the target to its path.",
    ),
    Code(
        "PathRepeated",
        _W,
        "Two entries of `files` have the same `path`, and Cluster API accepts a path only once.",
        (
            "Two entries of an object, or a template and a patch of its ClusterClass, write the "
            "same file."
        ),
        "Remove one of the two, or set `path` of the target to another path.",
    ),
    Code(
        "EntryNotEdited",
        _W,
        (
            "Nodes get no drop-in, because inject-proxy cannot edit the entry of `files` with its "
            "path."
        ),
        (
            "The entry has `append: true` or `contentFormat: Template`, and a path may occur only "
            "once in `files`."
        ),
        "Remove `append` or `contentFormat` from the entry, or set the proxy there by hand.",
    ),
    Code(
        "NotWrittenHere",
        _W,
        "inject-proxy does not replace an entry or a ConfigMap, because it did not create it.",
        "A person or another tool uses the path or the name that inject-proxy needs.",
        "Remove the entry or the ConfigMap, or keep its content up to date by hand.",
    ),
    Code(
        "ContentInSecret",
        _W,
        (
            "inject-proxy does not see whether a drop-in sets the proxy, because its content "
            "comes from a Secret."
        ),
        (
            "The entry of `files` has `contentFrom`. The severity is information where the target "
            "`giantswarmSystemdProxy` fills this Secret."
        ),
        "Check that the Secret sets the proxy, or replace `contentFrom` by `content`.",
    ),
    Code(
        "DropInStaysInline",
        _W,
        "A drop-in keeps its `content` although `content: Secret` is set for the target.",
        "The drop-in holds more than proxy variables, and the Secret holds nothing else.",
        "Move the other lines to a drop-in of their own, or set `content: Inline` for the target.",
    ),
    Code(
        "SectionRejected",
        _W,
        "systemd rejects a section header of a drop-in, and ignores the lines behind it.",
        "The header has other text on its line, or its brackets are not complete.",
        "Write the header alone on its line, in square brackets, such as `[Service]`.",
    ),
    Code(
        "VariableUnset",
        _W,
        "A drop-in or a command removes a proxy variable from the environment again.",
        "The drop-in has `UnsetEnvironment=`, or a command behind the export has `unset`.",
        "Remove the variable from `UnsetEnvironment=`, or remove the command.",
    ),
    Code(
        "EnvironmentFileWins",
        _W,
        "An `EnvironmentFile=` of the service may set another proxy, and wins over the drop-in.",
        (
            "systemd applies `EnvironmentFile=` after `Environment=`. The file sets another "
            "value, or it is not in `files` of the object."
        ),
        "Remove the proxy variables from the file, or check that it sets no other proxy.",
    ),
    Code(
        "ExportsStayAtEnd",
        _W,
        (
            "The exports stay at the end of `preKubeadmCommands` although a command before them "
            "needs the network."
        ),
        (
            "Two commands have the same text. kpt could copy the comment of one command to the "
            "other if inject-proxy moved the exports."
        ),
        (
            "Make the texts of the two commands differ, or set "
            "`spec.targets.kubeadmCommands.place` to `Start`."
        ),
    ),
    Code(
        "CommandNotEdited",
        _W,
        (
            "inject-proxy does not edit a command, because the command sets a proxy variable and "
            "does more than that."
        ),
        (
            "The command is a script or a chain of commands, or a quote in it is not closed. The "
            "severity is information where the command sets the right value."
        ),
        "Change the value by hand, or move the export into a command of its own.",
    ),
    Code(
        "SecretKeyMissing",
        _W,
        "A Secret lacks a key that a file of the nodes needs, so Cluster API cannot create nodes.",
        "`contentFrom.secret.key` is misspelt, or nobody has written the key yet.",
        "Add the key to the Secret (it may be empty), or correct `contentFrom.secret.key`.",
    ),
    Code(
        "SecretOfClassMissing",
        _W,
        (
            "The patches of a ClusterClass need a Secret of each Cluster, and no Cluster of the "
            "class is in the list."
        ),
        (
            "The Clusters are in another list, where inject-proxy or a person must create the "
            "Secrets `<cluster>-systemd-proxy`. The severity is information where `generate: "
            "true` is set."
        ),
        (
            "Run inject-proxy over the Clusters with "
            "`spec.targets.giantswarmSystemdProxy.generate: true`, or create the Secrets yourself."
        ),
    ),
    Code(
        "NetworkBeforeProxy",
        _W,
        "A command of a node uses the network before the node has the proxy.",
        (
            "A patch of a ClusterClass can add commands only at the beginning and at the end of a "
            "list, and the proxy belongs between two commands."
        ),
        (
            "Build what the command downloads into the image, or accept the place with "
            "`spec.targets.kubeadmCommands.place: Start` or `End`."
        ),
    ),
    Code(
        "SystemdSecretMissing",
        _W,
        (
            "Nodes cannot boot, because the Secret with their drop-ins is neither in the list nor "
            "created by inject-proxy."
        ),
        (
            "An entry of `files`, or the variable `injectProxy` of a Cluster, refers to the "
            "Secret `<cluster>-systemd-proxy`."
        ),
        (
            "Add the Secret to the list, or set `spec.targets.giantswarmSystemdProxy.generate` to "
            "true."
        ),
    ),
    Code(
        "MirrorNotRead",
        _W,
        "containerd ignores the registry mirror, or may ignore it.",
        (
            "`config_path` of containerd is another folder, or a setting excludes it. The "
            "severity is information where the object does not say what `config_path` is."
        ),
        "Set `config_path` in the configuration of containerd to `/etc/containerd/certs.d`.",
    ),
    Code(
        "OtherMirror",
        _W,
        (
            "A Cluster uses another registry mirror than `spec.registryMirror`, and inject-proxy "
            "does not change it."
        ),
        (
            "The variable `clusterConfig` of the Cluster has no mirror or another one, and no "
            "target writes this field."
        ),
        "Set `globalImageRegistryMirror.url` of the variable to the URL of `spec.registryMirror`.",
    ),
    Code(
        "NoProxyReplaced",
        _W,
        "Entries of a `NO_PROXY` that was there before are gone: the list of the ProxyConfig does not cover them.",
        (
            "A person or another tool wrote the list, or an entry was removed from the ProxyConfig or "
            "from a Cluster. The ProxyConfig is the only source of the list; what was there before is "
            "not added to it. The message names what is a host, a suffix, an address or a CIDR, and "
            "counts the rest, and all of a list that may hold a credential."
        ),
        (
            "Copy the entries that are still needed into `spec.noProxy`, or into `noProxy` of an entry "
            "of `spec.overrides` with `match.objects`. Of the others there is nothing to do: a second "
            "run no longer finds them."
        ),
    ),
    # rollout
    Code(
        "NodesNotRolled",
        _W,
        "Existing nodes keep what they have: the old proxy, or none.",
        (
            "inject-proxy changes the content of a template or a Secret, but Cluster API rolls "
            "nodes only when a reference has another name."
        ),
        (
            "Set `spec.rollout.hashNames: true` to rename the object so that nodes roll, or "
            "`false` if you roll the nodes yourself."
        ),
    ),
    Code(
        "TemplateImmutable",
        _W,
        "The API server rejects the change of a template that exists already.",
        "The `spec.template.spec` of a KubeadmControlPlaneTemplate is immutable.",
        "Set `spec.rollout.hashNames: true` to give the template a new name, or rename it by hand.",
    ),
    Code(
        "NameKept",
        _W,
        (
            "A template or a Secret keeps its name, so nodes do not roll, although "
            "`spec.rollout.hashNames` is set."
        ),
        (
            "No object of the list refers to it, SOPS has encrypted it or an object that refers "
            "to it, another object has the new name already, or the new name would be too long."
        ),
        (
            "Do what the message says: add the object that refers to it to the list, decrypt it, "
            "or shorten or change a name."
        ),
    ),
    # ClusterClass
    Code(
        "ClassPatchErases",
        _W,
        (
            "Nodes get no proxy, because patches of their ClusterClass erase what inject-proxy "
            "writes into the template."
        ),
        (
            "A patch of the class replaces the whole list `files` or `preKubeadmCommands`, and "
            "inject-proxy may not, or cannot, change the class."
        ),
        (
            "Select the ClusterClass in `spec.selector`, set `spec.targets.clusterClass.enabled` to "
            "true, or do what the warnings about the class say."
        ),
    ),
    Code(
        "ClassPatched",
        _I,
        "inject-proxy writes the proxy into a patch of the ClusterClass, not into the template.",
        "A patch of the class erases what the template holds in `files` or `preKubeadmCommands`.",
        "You need not do anything.",
    ),
    Code(
        "ProxyInVariable",
        _W,
        (
            "A template holds no proxy, because its ClusterClass writes the proxy of a topology "
            "variable on the nodes, and Cluster API takes a file once. It is an information where "
            "a target fills the variable."
        ),
        (
            "The class is one of CAREN or TKG, and a Cluster of it has the variable `clusterConfig` "
            "or `proxy`."
        ),
        (
            "If it is a warning, enable the target that the message names and select the Cluster, or "
            "take the proxy out of the variable."
        ),
    ),
    Code(
        "ListUncertain",
        _W,
        (
            "A ClusterClass and its Clusters stay as they are, because inject-proxy cannot tell "
            "whether a list exists when its patch adds to it. With `mode: Check` and `--check` that "
            "is an error."
        ),
        "A patch of the class is a runtime extension, or removes the list for some Clusters only.",
        "Give the template an entry in the list, or let the patch write `[]`.",
    ),
    Code(
        "TemplateNotUsable",
        _W,
        (
            "A ClusterClass and its Clusters stay as they are, because inject-proxy cannot follow "
            "what a template of the class holds. With `mode: Check` and `--check` that is an error."
        ),
        (
            "The template is not in the list, other objects than ClusterClasses refer to it, or "
            "it has no KubeadmConfigSpec."
        ),
        (
            "Correct what the message names, or set `spec.targets.clusterClass.sharedTemplates` "
            "to `Union`."
        ),
    ),
    Code(
        "NothingToPatch",
        _W,
        "A ClusterClass names no templates, so inject-proxy has nothing to patch.",
        "`spec.controlPlane` and `spec.workers` of the class have no references.",
        "Leave the class out with `spec.selector.exclude`.",
    ),
    Code(
        "ListMayBeNull",
        _W,
        "The patch of inject-proxy fails where a patch of the class before it sets a list to null.",
        (
            "The value of that patch is a template that renders to nothing for some Clusters, and "
            "a JSON Patch cannot add to null."
        ),
        "Let the template of that patch render `[]` instead of nothing.",
    ),
    # workloads
    Code(
        "ContainerNotFound",
        _W,
        (
            "A container gets no proxy, because no container of the workload has the name that "
            "inject-proxy looks for."
        ),
        (
            "Somebody renamed a container of cert-manager or chart-operator, or an annotation that "
            "chooses containers names one that is not there."
        ),
        (
            "Give the container the name that the message names, or correct the annotation: "
            '"true", "false", or names of containers, separated by commas.'
        ),
    ),
    Code(
        "AnnotationNoString",
        _W,
        (
            "An annotation has no effect: one that says whether a workload gets the proxy, or the one of a ProxyConfig "
            "by which kustomize finds the function."
        ),
        (
            "Its value is no string: `true` without quotes is a boolean in YAML, and `exec: {path: inject-proxy}` a "
            "mapping. The API server rejects it."
        ),
        'Put the value in quotes: `"true"`.',
    ),
    Code(
        "ValueOutOfSecret",
        _W,
        "inject-proxy replaces a reference to a Secret by a value in clear text, or removes it.",
        "The variable has `valueFrom.secretKeyRef`, and `conflict` of the target is `Override`.",
        "Set `conflict` of the target to `Keep` if the container must read the Secret.",
    ),
    Code(
        "ReferenceReplaced",
        _I,
        "inject-proxy replaces a reference to a ConfigMap by a value, or removes it.",
        (
            "The ConfigMap is not in the list, its key has no name of a proxy variable, or "
            "`proxyData` does not fill it."
        ),
        (
            "Add the ConfigMap to the list, and inject-proxy fills it and keeps the reference; or "
            "set `conflict` of the target to `Keep`."
        ),
    ),
    Code(
        "ValueKept",
        _W,
        "A variable keeps a value that differs from the ProxyConfig.",
        (
            "`conflict` of the target is `Keep`, or it is `Unit` and a variable of the same "
            "container has a value that inject-proxy did not write. It is a warning where `Unit` "
            "keeps another proxy, and where `Keep` makes a removal leave a password; else it is "
            "an information."
        ),
        (
            "Set `conflict` to `Override` if the value of the ProxyConfig must win, or remove the "
            "old variables. A workload that must keep its own proxy gets the annotation "
            '`fn.inject-proxy.io/proxy: "false"`.'
        ),
    ),
    Code(
        "OtherCaseStays",
        _W,
        (
            "inject-proxy does not add a variable, because its twin in the other case has another "
            "value."
        ),
        (
            "`conflict` keeps the twin, and with two values some programs would use one proxy and "
            "some the other."
        ),
        "Remove the twin, or set `conflict` of the target to `Override`.",
    ),
    Code(
        "ReferenceToRemoved",
        _W,
        "A container or an object of Flux refers to a proxy that inject-proxy removes.",
        (
            "Another variable, a command or an argument of the container uses `$(NAME)`, or "
            "`spec.proxySecretRef` names the Secret."
        ),
        "Remove the reference from `env`, `command` or `args`, or remove `spec.proxySecretRef`.",
    ),
    Code(
        "CertificatesNotRead",
        _W,
        "A workload mounts the certificates, but no variable says where they are.",
        (
            "No name is configured for this workload, and inject-proxy does not know that its "
            "program finds the certificates without one."
        ),
        (
            "Add the variable that the program reads to "
            "`spec.targets.workloadTrustStore.variables`, such as `SSL_CERT_DIR` for a Go program."
        ),
    ),
    Code(
        "MountPathTaken",
        _W,
        (
            "A container does not get the certificates, because another volume is mounted in "
            "their folder."
        ),
        "An entry of `volumeMounts` has the same `mountPath`.",
        "Set `spec.targets.workloadTrustStore.mountPath` to another folder.",
    ),
    Code(
        "CertificateVariableTaken",
        _W,
        "A variable for certificates has another value, and inject-proxy leaves it as it is.",
        "A person or another tool set the variable in `env`.",
        "Remove the entry from `env` of the container.",
    ),
    # Kyverno
    Code(
        "PolicyNotFilled",
        _W,
        "inject-proxy cannot set a proxy variable of a Kyverno policy.",
        (
            "The value comes from `envFrom`, `valueFrom`, a ConfigMap, an API call or an expression. "
            "One that is known to be another than the declared one is an error with `mode: Check`, "
            "which no rule silences; one that is equal is not reported."
        ),
        "Set the proxy where the value comes from, or write the value as text in the policy.",
    ),
    Code(
        "PolicyKindNotFilled",
        _W,
        (
            "A policy sets another proxy than the ProxyConfig, or one that inject-proxy cannot "
            "compare, in a form that it does not write."
        ),
        (
            "It is a GeneratingPolicy, a `generate` rule, or an Assign, AssignMetadata or ModifySet "
            "of Gatekeeper. What differs is an error with `mode: Check`, which no rule silences."
        ),
        (
            "Change the value in the policy by hand; a value that is equal to the declared one is "
            "not reported."
        ),
    ),
    Code(
        "PolicyNotGenerated",
        _W,
        "inject-proxy does not generate the policy that the ProxyConfig asks for.",
        (
            "`spec.targets.kyvernoPolicies.generate` asks for a policy, and `spec.selector.include` does not fit "
            "an object of its kind, name and labels."
        ),
        (
            "Let `spec.selector.include` fit the policy, too, for example by its kind, or remove "
            "`generate`."
        ),
    ),
    Code(
        "PolicyTextStale",
        _W,
        (
            "A CEL expression of a policy sets a proxy, no proxy is declared for it, and "
            "inject-proxy does not take the expression apart."
        ),
        (
            "The run has `mode: Remove`, or the ProxyConfig declares no proxy for this policy, and "
            "its entries are in another form than those that inject-proxy itself writes. Nothing of "
            "such a policy is removed. A password in it is an error that ends the run. "
            "With `mode: Check` the warning is an error, too, which no rule silences."
        ),
        "Remove the entries from the CEL expression by hand, or delete the policy.",
    ),
    Code(
        "PolicyTextComputed",
        _W,
        "inject-proxy cannot compare a proxy of a Kyverno policy with the ProxyConfig.",
        ("Kyverno computes the value in a CEL expression when it admits an object."),
        "Check the expression by hand: it must give the proxy of the ProxyConfig.",
    ),
    Code(
        "PolicyNamespaceSkipped",
        _W,
        "A rule of a Kyverno policy has no effect in the namespace `kube-system`.",
        (
            "Kyverno ignores `kube-system` unless you change its `resourceFilters` and the "
            "configuration of its webhooks."
        ),
        "Set the proxy in the workloads of `kube-system` themselves.",
    ),
    Code(
        "PolicyPatchesTemplate",
        _W,
        "A rule of a Kyverno policy has no effect, because it patches `spec.template` of a Pod.",
        "A Pod has no `spec.template`; somebody wrote the patch for a Deployment.",
        "Patch `spec` in this rule instead of `spec.template.spec`.",
    ),
    Code(
        "PolicyContainerName",
        _W,
        'A rule of a Kyverno policy adds a container with the literal name "*" to every pod.',
        (
            "The name of the container has no anchor, that is, no parentheses around `name`. The "
            "API server rejects pods with such a container."
        ),
        'Write `(name): "*"` in the patch to match all containers; in CEL go through them by `map`.',
    ),
    Code(
        "PolicyPathUnfit",
        _W,
        "A rule of a Kyverno policy has no effect: the kinds that it matches have no such field.",
        (
            "Pods have their containers under `spec`, CronJobs under "
            "`spec.jobTemplate.spec.template.spec`, and Deployments, StatefulSets, DaemonSets and "
            "Jobs under `spec.template.spec`. Kyverno skips a patch of another path."
        ),
        "Patch the path of the kinds that the rule matches, or match the kinds that have the path.",
    ),
    Code(
        "PolicyAnchorLiteral",
        _W,
        "Kyverno ignores a key such as `=(env)` of a mutate rule, or writes it into objects.",
        "The anchor `=( )` is one of validate rules. In a mutate rule it is a part of the key.",
        "Write the key without the anchor.",
    ),
    Code(
        "PolicyEnvSkipped",
        _W,
        "Kyverno skips `+(env)` in pods in which any container has `env` already.",
        (
            "The anchor `+( )` adds a field only where it is missing, and counts all containers "
            "of a pod."
        ),
        "Write `env`: entries of other names stay, because Kyverno merges the list by `name`.",
    ),
    Code(
        "PolicyEntryAnchor",
        _W,
        "A rule of a Kyverno policy has an anchor such as `+(name)` beside a value in an entry of `env`.",
        (
            "The anchor makes the name a condition: with `(name)` Kyverno panics, with `+(name)` it writes the "
            "value into other entries, with `<(name)` it skips the rule, and with `X(name)` and `^(name)` it adds "
            "entries without a name. inject-proxy does not fill such an entry."
        ),
        "Write `name` in entries of `env`; only the name of the container has an anchor.",
    ),
    Code(
        "PolicyValueAnchor",
        _W,
        "Kyverno panics on a rule with `+(value)`, or adds entries without a value to containers.",
        "Kyverno expects the anchor `+( )` at fields of a container, not in entries of `env`.",
        "Write `value`.",
    ),
    Code(
        "PolicyEntryRepeated",
        _W,
        "A JSON Patch of a Kyverno policy repeats an entry that `env` of a container has already.",
        (
            "`op: add` with a path that ends in `/env/-` appends whatever is there, and again on "
            "each update of a Deployment; so does a CEL expression that keeps the whole `env`."
        ),
        (
            "Use `patchStrategicMerge`, which merges `env` by `name`, or add a precondition about "
            "`env`. In CEL keep `c.env.filter(e, !(e.name in [...]))`."
        ),
    ),
    Code(
        "PolicyEnvReplaced",
        _W,
        "A JSON Patch of a Kyverno policy replaces the whole `env` of a container.",
        (
            "A patch of a path that ends in `/env`, in `patchesJson6902` or CEL, whose value holds the "
            "variables of the policy alone. The containers lose their own."
        ),
        (
            "Use `patchStrategicMerge`, which merges `env` by `name`. In CEL add what the container "
            "has: `(has(c.env) ? c.env.filter(e, !(e.name in [...])) : [])`."
        ),
    ),
    Code(
        "PolicyEnvMissing",
        _W,
        "A CEL expression of a policy fails in containers without `env`.",
        (
            "It reads `c.env`, or patches `/env/-`, and does not ask whether there is an `env`. With "
            "`failurePolicy: Fail` the pod is rejected."
        ),
        "Ask for it by `has(c.env)`, or write `c.?env.orValue([])`.",
    ),
    Code(
        "PolicyItemsAnchored",
        _W,
        "Kyverno deletes containers or their images because of a mutate rule, or panics.",
        (
            "One list of containers in the patch has several items with `(name)`, which Kyverno "
            "cannot merge (kyverno#16862). `fill: Complete` does not extend such a list."
        ),
        'Write one item, `(name): "a | b"`, or a rule for each item.',
    ),
    Code(
        "PolicyEnvFromReplaced",
        _W,
        "A Kyverno policy with `envFrom` replaces the `envFrom` that a container has, or fails.",
        (
            "`envFrom` has no key by which Kyverno could merge it. In a strategic merge the list of "
            "the policy wins, and an `applyConfiguration` that sets it is invalid."
        ),
        "Set the variables with `env`.",
    ),
    Code(
        "PolicyNestedForeach",
        _W,
        "Kyverno deletes `spec.template` of Deployments because of a rule on pods.",
        (
            "Kyverno derives rules for Deployments and other controllers from rules on pods, and "
            "loses a `foreach` inside a `foreach` on the way."
        ),
        (
            "Set the annotation `pod-policies.kyverno.io/autogen-controllers: none` on the policy, "
            "or write the rule without a nested `foreach`."
        ),
    ),
    Code(
        "PolicyAutogenFails",
        _W,
        "A MutatingPolicy for pods fails on Deployments and other controllers of pods.",
        (
            "Kyverno extends a policy for pods to their controllers, and rewrites "
            "`applyConfiguration` for them, but not `jsonPatch`. With `failurePolicy: Fail` it "
            "blocks the controllers."
        ),
        "Set `spec.autogen.podControllers.controllers: []`.",
    ),
    Code(
        "PolicyKeepsValueFrom",
        _W,
        "Pods whose entry has a `valueFrom` get a `value` beside it, and are rejected.",
        (
            "Kyverno merges the entry of the policy into the entry of the pod, key by key. The API "
            "server accepts one of `value` and `valueFrom` only."
        ),
        (
            "Add `valueFrom: null` to the entries of the policy, or set "
            "`targets.kyvernoPolicies.fill: Complete`, which does it. In a MutatingPolicy write the "
            "whole `env` by `jsonPatch`."
        ),
    ),
    Code(
        "PolicyRunsOnUpdate",
        _I,
        "A Kyverno policy sets `env` of pods on UPDATE, too.",
        (
            "A mutation without `operations` runs on CREATE and UPDATE. The API server rejects "
            "another `env` of a pod or Job that exists, so that those of before cannot be updated, and some "
            "not be deleted (kyverno#14393)."
        ),
        (
            "Write `operations: [CREATE]` beside the kinds, or set "
            "`targets.kyvernoPolicies.fill: Complete`, which does it."
        ),
    ),
    Code(
        "PolicyWithoutNoProxy",
        _W,
        (
            "A rule of a Kyverno policy sets a proxy and no `NO_PROXY`, so traffic inside the "
            "cluster goes through the proxy."
        ),
        (
            "The rule has no entries for `NO_PROXY` and `no_proxy`, and inject-proxy adds no "
            "entries to a policy."
        ),
        "Add `NO_PROXY` and `no_proxy` to the rule; inject-proxy sets their values.",
    ),
    Code(
        "PolicyRuleEmpty",
        _W,
        "A rule of a Kyverno policy has no effect any more.",
        "The proxy variables, which inject-proxy has removed, were all that the rule set.",
        "Delete the rule. inject-proxy does not add the variables again in a later run.",
    ),
    Code(
        "PolicyNotCompleted",
        _I,
        "`fill: Complete` does not add to a Kyverno policy what it leaves out.",
        (
            "A JSON Patch would have to be written again, and init containers can be added only "
            "beside containers that have an anchor, such as `(name)`. CEL expressions are not "
            "extended."
        ),
        (
            "Add the variables or the init containers to the policy by hand, or let "
            "`targets.kyvernoPolicies.generate` add a policy that sets all of them."
        ),
    ),
    Code(
        "PolicyCompletionStays",
        _I,
        "`operations: [CREATE]` stays in a Kyverno policy after `mode: Remove`.",
        "`fill: Complete` may have added it, or the author of the policy may have written it.",
        "Remove `operations` if the rule is about updates, too.",
    ),
    Code(
        "PolicyDeprecated",
        _W,
        "A ClusterPolicy or Policy sets a proxy, and Kyverno 1.20 ignores it.",
        (
            "`kyverno.io/v1` and `v2beta1` are deprecated since Kyverno 1.17: 1.20 no longer "
            "executes these policies, and 1.21 removes their definitions. A run reports it where it has set "
            "a proxy in the policy, the linter always."
        ),
        (
            "Set `targets.kyvernoPolicies.convert: MutatingPolicy`, or write the policy as a "
            "MutatingPolicy by hand."
        ),
    ),
    Code(
        "PolicyConverted",
        _W,
        "inject-proxy has converted a ClusterPolicy or Policy to a MutatingPolicy.",
        (
            "`targets.kyvernoPolicies.convert` asks for it. The new policy takes the place of the "
            "old one in its file, so that kustomize, kpt or Git no longer know the old one."
        ),
        (
            "Read the new policy, then delete the old one from clusters where nothing prunes what "
            "was applied: both would set the proxy."
        ),
    ),
    Code(
        "PolicyNotConverted",
        _W,
        "inject-proxy does not convert a ClusterPolicy or Policy to a MutatingPolicy.",
        (
            "A rule does something for which no equivalent in CEL is proven with Kyverno itself, "
            "such as a context that reads a ConfigMap, a volume, or a question who makes the "
            "request. The policy is filled as it is."
        ),
        (
            "Change the rule as the message says, move it to a policy of its own, or write the "
            "MutatingPolicy by hand."
        ),
    ),
    # products
    Code(
        "OnlyOneProxy",
        _W,
        (
            "inject-proxy does not change the proxy of TKG, because only one of the two URLs is "
            "declared."
        ),
        "TKG needs both `httpProxy` and `httpsProxy`, or neither.",
        "Declare both in `spec`, with the same URL if one proxy serves both.",
    ),
    Code(
        "VCenterNotInList",
        _W,
        "TKG cannot create the cluster, because `NO_PROXY` lacks the host of `VSPHERE_SERVER`.",
        "TKG requires this host in its list, and no style adds it.",
        (
            "Add the host to `spec.noProxy`, or set `VSPHERE_INSECURE` if TKG need not check the "
            "certificate of vCenter."
        ),
    ),
    Code(
        "NodesWithoutProxy",
        _W,
        "Nodes that must have no proxy get the proxy of their Cluster.",
        (
            "The variable `proxy` of TKG cannot say that some workers have no proxy when the "
            "Cluster has one."
        ),
        "Declare a proxy for these workers in `spec.overrides`.",
    ),
    Code(
        "ProxySchemeUnsupported",
        _W,
        "The TKG Service of vSphere does not support a proxy URL that begins with `https://`.",
        "`spec.httpProxy` or `spec.httpsProxy` begins with `https://`.",
        "Declare a URL that begins with `http://`; HTTPS traffic uses it as well.",
    ),
    Code(
        "ProxySwitchedOff",
        _W,
        (
            "inject-proxy does not change the values of a product, because its switch says that "
            "there is no proxy."
        ),
        "`enabled`, or the switch that the message names, is not true.",
        "Set the switch to true, or remove it.",
    ),
    Code(
        "NamespaceMissing",
        _W,
        "An App gets no proxy, because it has no namespace.",
        (
            "A later step sets the namespace, but the references to the values of the cluster "
            "need it now."
        ),
        "Set `metadata.namespace` of the App.",
    ),
    Code(
        "ReferenceNotUsed",
        _W,
        "An App gets no proxy, because it refers to other values than those of its cluster.",
        (
            "A person set `spec.config.secret` to another Secret, or a reference has another "
            "namespace than the Cluster."
        ),
        (
            "Correct the namespace of the reference, or name the values of the cluster in "
            "`spec.extraConfigs`."
        ),
    ),
)

_FIXED = (
    # the FunctionConfig and the input
    Code(
        "ConfigInvalid",
        _E,
        "The FunctionConfig is wrong, and inject-proxy changes nothing.",
        (
            "A field of the ProxyConfig has no valid value, an object that it refers to cannot be "
            "used, or two fields contradict each other. There is one message for each problem."
        ),
        "Correct the field that the message names; docs/functionconfig.md describes each field.",
        is_fixed=True,
    ),
    Code(
        "ConfigsDiffer",
        _W,
        "`inject-proxy lint` checks objects with the settings of no ProxyConfig.",
        (
            "Several ProxyConfigs among the files differ in `lint`, `clusterDefaults`, "
            "`noProxyPolicy` or `targets`."
        ),
        "Name the one that counts with `--config`.",
        is_fixed=True,
    ),
    Code(
        "ConfigMisspelt",
        _W,
        "`inject-proxy lint` does not check an object that is probably meant as a ProxyConfig.",
        "Its `kind` or `apiVersion` differs from that of a ProxyConfig in a few characters.",
        "Correct `kind` and `apiVersion` as the message says.",
        is_fixed=True,
    ),
    Code(
        "InputInvalid",
        _E,
        "inject-proxy cannot read its input, or a file or an object in it.",
        (
            "The input is empty, not UTF-8, not valid YAML, nested too deep, or not the kind of "
            "document that the command needs. `inject-proxy lint` skips such a file with a "
            "warning, unless it is a ProxyConfig."
        ),
        "Correct the place that the message names, or leave the file out with `--exclude`.",
        is_fixed=True,
    ),
    Code(
        "TooManyValues",
        _E,
        "inject-proxy does not read a text whose aliases repeat too many values.",
        (
            "Aliases of YAML repeat what their anchors hold, and a few lines can mean millions of "
            "values."
        ),
        "Write the values out, or leave the object out.",
        is_fixed=True,
    ),
    Code(
        "EditRefused",
        _E,
        "inject-proxy can read an object or a text in it, but cannot change it without a risk.",
        (
            "The place is part of an anchor, a merge key, a key that occurs twice, or another "
            "form in which an edit would change more than the proxy."
        ),
        (
            "Write the place in the plain form that the message describes, or leave the object "
            "out with `spec.selector.exclude`."
        ),
        is_fixed=True,
    ),
    Code(
        "NoManifest",
        _W,
        "`inject-proxy lint` found nothing to check in a path.",
        "The path holds no manifest; its name may be misspelt.",
        "Name a file, or a folder with *.yaml, *.yml or *.json.",
        is_fixed=True,
    ),
    # the command
    Code(
        "WrongUsage",
        _E,
        "The command line is wrong.",
        "An option or a command does not exist, options exclude each other, or a path is missing.",
        "Correct the command line; `inject-proxy --help` lists the commands.",
        is_fixed=True,
    ),
    Code(
        "OutputNotWritten",
        _E,
        "inject-proxy has a result, but cannot write it.",
        (
            "The disk is full, a file or folder is read-only, or the program that reads standard "
            "output has ended."
        ),
        "Correct what the message names, and run the command again.",
        is_fixed=True,
    ),
    Code(
        "InternalError",
        _E,
        "A check of inject-proxy on itself failed, and nothing was written.",
        "This is a bug of inject-proxy.",
        "Report the bug, with the traceback that `--traceback` prints.",
        is_fixed=True,
    ),
    Code(
        "FixNotClear",
        _W,
        "`inject-proxy lint --fix` changes nothing in a place.",
        (
            "The variables of the place contradict each other, and only a person knows which one "
            "is right."
        ),
        "Make the values that the message names equal, and run the command again.",
        is_fixed=True,
    ),
    Code(
        "ListNotPrinted",
        _E,
        "`inject-proxy lint --fix` does not print the corrected list.",
        "The list holds the character `@`, so that a part of it may be a password.",
        "Remove the credentials from the list.",
        is_fixed=True,
    ),
    Code(
        "ProxyInImage",
        _E,
        "An image build leaves a proxy in the image.",
        (
            "A file of the build sets the proxy, and no later step removes it. What a step may "
            "remove is a warning, and what one does remove an information."
        ),
        "Remove the setting before the build ends, or use it for single commands only.",
        is_fixed=True,
    ),
    Code(
        "ImageInputMissing",
        _W,
        "`inject-proxy check-image` does not know a file that an image build places.",
        "The file was not among the inputs.",
        "Name the file on the command line, too.",
        is_fixed=True,
    ),
    # objects that differ from the ProxyConfig, or cannot get its proxy
    Code(
        "ProxyMissing",
        _E,
        (
            "An object differs from what the ProxyConfig declares, and the run may not change the "
            "object."
        ),
        "The run has `mode: Check`, or the command is `inject-proxy run --check`.",
        ("Run `inject-proxy run`, or the build with `mode: Inject`, and commit what it changes."),
        is_fixed=True,
    ),
    Code(
        "SharedProxiesDiffer",
        _E,
        "Several Clusters, roles or worker groups share an object and need different proxies.",
        "`spec.overrides` gives them different proxies, and the object can hold one only.",
        (
            "Give each of them an object of its own, or leave this one out with "
            "`spec.selector.exclude`."
        ),
        is_fixed=True,
    ),
    Code(
        "ValueNotWritable",
        _E,
        "A value of the proxy settings cannot be written in the format of a place.",
        "systemd units and shell commands cannot hold every character.",
        "Percent-encode the character in the URL, or remove it from the list.",
        is_fixed=True,
    ),
    Code(
        "ValueConflict",
        _E,
        "A variable of a container has another value, and `conflict` of the target is `Fail`.",
        "A person or another tool set the variable in `env`.",
        "Change or remove the entry, or set `conflict` to `Override` or `Keep`.",
        is_fixed=True,
    ),
    Code(
        "ContentTwice",
        _E,
        "An entry of `files` has both `content` and `contentFrom`.",
        "Cluster API rejects such an entry.",
        "Remove one of the two.",
        is_fixed=True,
    ),
    Code(
        "ReadOnlyPath",
        _E,
        "A file of a node has a path that Ignition cannot write.",
        "`/usr` is read-only on systems that Ignition sets up.",
        "Set `path` of the target to a file under `/etc`.",
        is_fixed=True,
    ),
    Code(
        "SecretNotUsable",
        _E,
        "An object cannot refer to the Secret `<cluster>-systemd-proxy`.",
        (
            "The Cluster of the object is not known, several Clusters share the object, or an "
            "entry of `spec.overrides` gives it another proxy than the Cluster has."
        ),
        (
            "Correct what the message names, or set `content` of `containerdDropIn` and "
            "`kubeletDropIn` to `Inline`."
        ),
        is_fixed=True,
    ),
    Code(
        "TooManyFiles",
        _E,
        (
            "A KubeadmConfigSpec would have more entries in `files` than `v1beta2` of Cluster API "
            "allows."
        ),
        "`spec.trustedCA` has many certificates, and each of them is a file.",
        "Leave public authorities, which nodes trust already, out of `spec.trustedCA`.",
        is_fixed=True,
    ),
    # Kyverno
    Code(
        "PolicyTwoProxies",
        _E,
        "A Kyverno policy sets two different proxies in one variable.",
        (
            "inject-proxy writes one value to all places of a policy, unless `spec.overrides` "
            "tells its rules apart."
        ),
        (
            "Add an entry to `spec.overrides` that matches one of the rules by `rules`, or write "
            "the same proxy in both."
        ),
        is_fixed=True,
    ),
    Code(
        "PolicyPasswordLeft",
        _E,
        "`mode: Remove` would leave a password in a CEL expression of a Kyverno policy.",
        (
            "The expression computes something with the entries of the proxy, and inject-proxy "
            "does not know what it does without them."
        ),
        (
            "Remove the entries from the expression by hand, or leave the policy out with "
            "`spec.selector`."
        ),
        is_fixed=True,
    ),
    Code(
        "PolicyNameTaken",
        _E,
        "An object that inject-proxy did not create has the name of the policy to generate.",
        "`spec.targets.kyvernoPolicies.generate` asks for a policy of the same kind and name.",
        "Set `generated.name` to another name, or remove the object.",
        is_fixed=True,
    ),
)

CODES: dict[str, Code] = {code.id: code for code in (*_SILENCEABLE, *_FIXED)}
"""The codes of what a run and the other commands report: each error, warning and information has one."""
