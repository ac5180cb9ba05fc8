"""List the codes of what a run reports: for each its severity, what it means, what causes it and what to do.

A code is the name under which `spec.lint.rules` silences a warning or an information, or makes it louder. It never
changes its meaning and is never used again for another one. The rules about proxies and lists have IDs of their own
(`NP001` …), which `krm_fn.noproxy.lint.rules` lists. What makes a run impossible is an error, which no name silences.
"""

from __future__ import annotations

from dataclasses import dataclass

from krm_fn.results import Severity


@dataclass(frozen=True)
class Code:
    """One code; ``severity`` is the most severe one that it has if `spec.lint.rules` does not name it."""

    id: str
    severity: Severity
    meaning: str
    cause: str
    remedy: str


_W, _I = Severity.WARNING, Severity.INFO

_TABLE = (
    # the list and the FunctionConfig
    Code("NoFunctionConfig", _W, "nothing is written, because no FunctionConfig is there",
         "the ResourceList has no `functionConfig`, or it is a ConfigMap without data",
         "name a ProxyConfig in kustomize (`transformers`) or kpt (`configPath`)"),
    Code("NothingSelected", _W, "`spec.selector.include` fits no object that could hold a proxy",
         "a name, kind or label in the selector is misspelt, or the list is another one",
         "correct the selector, or leave it out"),
    Code("OverrideFitsNothing", _W, "an override fits nothing in this list",
         "its `match` names a Cluster, role or target that is not there; an information where it may serve other lists",
         "correct `match`, or take the override out"),
    Code("OtherNamespace", _W, "an object says that it belongs to a Cluster of another namespace, and gets no proxy",
         "only a name or a label ties it to the Cluster, and the owner of the namespace may be somebody else",
         "add the namespace to `spec.trustedNamespaces` if you trust who writes there"),
    Code("ProxyOfRole", _I, "an object of all roles gets the proxy of one role",
         "nothing declares a proxy for the Cluster as a whole",
         "declare one in `spec` or in an override without `roles`"),
    Code("SharedByClusters", _I, "an object belongs to several Clusters, so its list holds what each of them needs",
         "the object is shared", "nothing, or give each Cluster an object of its own"),
    Code("EncodedPlaceholder", _W, "a placeholder is in a text that is stored encoded",
         "clusterctl and Flux fill in placeholders in plain text only",
         "write the value itself into the ProxyConfig, or keep the text unencoded"),
    Code("ServiceAddressUnknown", _W, "the list lacks the first address of the service CIDR",
         "the CIDR of the Cluster is a placeholder", "add the address to `spec.noProxy`; it may be a placeholder, too"),
    Code("PasswordExposed", _W, "a password from a Secret is in an object of another kind",
         "`spec.from` reads the URL from a Secret, and a target writes it elsewhere",
         "use a target that writes a Secret, or a proxy without a password for this target"),
    # what no target writes
    Code("NodeSystemUnsupported", _W, "nodes get no proxy, because no target writes for their system",
         "RKE2, K3s, Talos, EKS, Windows, Bottlerocket and others do not read what kubeadm's nodes read",
         "set the proxy in the place that the message names"),
    Code("ClassNotInList", _W, "a ClusterClass that a Cluster refers to is not in the list",
         "it is in another folder, or in the cluster only", "add the class and its templates to the list"),
    Code("TemplateNotInList", _W, "a template that a ClusterClass refers to is not in the list",
         "it is in another folder, or in the cluster only", "add the template to the list"),
    Code("StaleProxy", _W, "an object holds another proxy, and no target writes this place",
         "a person or another tool wrote it",
         "change it yourself, or leave the object out with `spec.selector.exclude`"),
    Code("PolicyWrapped", _W, "a Kyverno policy inside another object sets a proxy",
         "policies inside other objects are not written", "give the policy itself to this function"),
    Code("OtherWriter", _W, "another file or field of a node sets a proxy that differs",
         "`/etc/environment`, apt, docker, `ignition.proxy` and others are not written",
         "change the value there, or remove it"),
    Code("ValuesElsewhere", _I, "the values of a release come from another object, so none are added here",
         "the HelmRelease has `valuesFrom` and no `values`",
         "set the proxy there, or write an empty one in `spec.values`"),
    # shapes
    Code("WrongType", _W, "a field does not have the type that it must have, and is left as it is",
         "a template fills it in later; any other value is an error", "correct it, or leave it out"),
    Code("Encrypted", _W, "an object or a text is encrypted by SOPS, and is left as it is",
         "nothing can be read or written without the key",
         "decrypt it before, or leave it out with `spec.selector.exclude`"),
    Code("TextUnreadable", _W, "a text cannot be read and is left as it is",
         "it is no YAML, no base64 or no UTF-8 where it must be, or too long", "correct the text or its encoding"),
    Code("YttCode", _W, "code or an annotation of ytt decides about a value, which is left as it is",
         "ytt computes the value after this function", "set the proxy where ytt takes it from"),
    Code("NoValues", _W, "a Secret holds no values in which a proxy could be set",
         "the document or the key with the values is missing or empty",
         "write the values there, or delete the Secret"),
    Code("ConfigSpecMissing", _W, "an object has no KubeadmConfigSpec, so there is no place for a proxy",
         "it is a patch, or the field is missing", "write `{}` if it is no patch"),
    Code("VersionUnknown", _I, "the API version of an object is not known",
         "the version is newer than this function", "check the limits of that version"),
    Code("TooLong", _W, "a value is longer than its reader takes",
         "Cluster API limits files and commands, CAREN the number of entries", "shorten `noProxy`"),
    Code("EncodingUnusable", _W, "the reader of a file cannot unpack its encoding",
         "Ignition unpacks no gzip", "use base64"),
    Code("RenderedByCloudInit", _W, "cloud-init renders a value as a jinja template",
         "the value holds `{{`, `{%` or `{#` and the file begins with its header, or is a command",
         "percent-encode it in a URL, or set `encoding` to base64"),
    # nodes
    Code("OtherDropIn", _W, "another drop-in of the same service comes behind ours and may win over it",
         "somebody else writes a file of that folder", "remove the variables there, or remove the file"),
    Code("PathRepeated", _W, "a path of `files` is there twice",
         "two entries, or an entry and a patch of a ClusterClass, write it, and Cluster API takes a path once",
         "remove one of them, or set `path` of the target"),
    Code("EntryNotEdited", _W, "an entry of `files` is not edited, and our drop-in cannot be beside it",
         "it has `append: true` or `contentFormat: Template`", "remove that field, or set the proxy there by hand"),
    Code("NotWrittenHere", _W, "something is not replaced, because this function did not write it",
         "an entry or an object of another author has the name or the path of ours",
         "remove it, or keep it up to date by hand"),
    Code("ContentInSecret", _W, "the content of a drop-in is in a Secret and not seen here",
         "the entry has `contentFrom`; an information where this function fills the Secret",
         "check that the Secret holds the proxy, or replace `contentFrom` by `content`"),
    Code("DropInStaysInline", _W, "a drop-in keeps its content although `content: Secret` is set",
         "it holds more than proxy variables", "move the rest to a drop-in of its own"),
    Code("SectionRejected", _W, "systemd rejects a section header and reads nothing behind it",
         "a header must be alone on its line, in square brackets", "correct the header"),
    Code("VariableUnset", _W, "something takes a variable out of the environment again",
         "`UnsetEnvironment=` in a drop-in, or `unset` in a command", "remove the name or the command"),
    Code("EnvironmentFileWins", _W, "an `EnvironmentFile=` may set another proxy and wins over our drop-in",
         "systemd applies it behind `Environment=`", "make sure that the file sets no other proxy"),
    Code("ExportsStayAtEnd", _W, "exports stay at the end although a command before them needs the network",
         "two commands have the same text, and kpt could copy the comment of one to the other",
         "make the texts differ, or set `spec.targets.kubeadmCommands.place`"),
    Code("CommandNotEdited", _W, "a command sets a proxy variable and does more than that, so it is left as it is",
         "only commands that do nothing else are edited; an information where it sets the wanted value",
         "change it by hand, or move the export into a command of its own"),
    Code("SecretKeyMissing", _W, "a Secret lacks a key that a file of the nodes refers to",
         "the key is misspelt or not written yet; Cluster API creates no node without it",
         "add the key; it may be empty"),
    Code("SystemdSecretMissing", _W, "the Secret with the drop-ins is neither in the list nor created",
         "an entry refers to `<cluster>-systemd-proxy`", "add it, or set `generate` of `giantswarmSystemdProxy`"),
    Code("MirrorNotRead", _W, "containerd does not, or may not, read the registry mirror",
         "its `config_path` is another folder; an information where nothing says what it is",
         "set `config_path` in the configuration of containerd"),
    Code("OtherMirror", _W, "another registry mirror is set, and this field is never written",
         "a person set it", "set it to `spec.registryMirror`"),
    # rollout
    Code("NodesNotRolled", _W, "nodes keep the old proxy",
         "the content of a template or Secret changes and its name does not, which is all that Cluster API compares",
         "set `spec.rollout.hashNames`: true for new names, false if you roll the nodes"),
    Code("TemplateImmutable", _W, "the API server rejects a change of this template where it exists already",
         "a KubeadmControlPlaneTemplate is immutable", "give it a new name, or set `spec.rollout.hashNames`"),
    Code("NameKept", _W, "a template or Secret keeps its name although `hashNames` is set",
         "something refers to it that cannot follow", "see the message"),
    # ClusterClass
    Code("ClassPatchErases", _W, "patches of a ClusterClass erase what is written into a template",
         "the class is not patched: it is not selected, or its target is off",
         "select the class, or enable the target `clusterClass`"),
    Code("ClassPatched", _I, "the proxy is in a patch of the ClusterClass",
         "a patch of the class erases what the template holds", "nothing"),
    Code("ListMayBeNull", _W, "a list may be null when our patch adds to it",
         "a template of another patch may render to nothing", "let the template render `[]` then"),
    # workloads
    Code("ContainerNotFound", _W, "a known workload has no container of the known name, so none gets the proxy",
         "the container was renamed", "give the container its usual name"),
    Code("ValueOutOfSecret", _W, "a variable that came from a Secret becomes a value in clear text, or is removed",
         "`conflict` is `Override`", "set `conflict` to `Keep`"),
    Code("ValueKept", _I, "a variable keeps another value", "`conflict` is `Keep`", "nothing"),
    Code("OtherCaseStays", _W, "a variable is not added, because the one in the other case has another value",
         "programs would disagree about the proxy", "remove the other one, or set `conflict` to `Override`"),
    Code("ReferenceToRemoved", _W, "`$(NAME)` refers to a variable that is removed",
         "another variable or an argument uses it", "remove the reference"),
    Code("CertificatesNotRead", _W, "certificates are mounted, and no variable tells the programs where they are",
         "no variable is configured for this workload",
         "name the variable in `spec.targets.workloadTrustStore.variables`"),
    Code("MountPathTaken", _W, "the folder of the certificates is taken by another volume",
         "another mount has the same path", "set `spec.targets.workloadTrustStore.mountPath`"),
    Code("CertificateVariableTaken", _W, "a variable for certificates has another value and is left as it is",
         "a person set it", "remove the entry"),
    # Kyverno
    Code("PolicyNotFilled", _W, "a value of a policy is not set",
         "it comes from `envFrom`, `valueFrom`, a ConfigMap, an API call or an expression", "set the proxy there"),
    Code("PolicyTextStale", _W, "a text of a policy sets another proxy, and such texts are not edited",
         "`patchesJson6902` or a CEL expression holds the value; an error with `mode: Check`",
         "change its value there"),
    Code("PolicyTextComputed", _W, "Kyverno computes the proxy in a text of a policy",
         "its value is an expression", "check there that the proxy is the declared one"),
    Code("PolicyNamespaceSkipped", _W, "a rule is about a namespace that Kyverno does not look at",
         "`resourceFilters` and the webhooks leave out `kube-system`", "set the proxy in the workloads there"),
    Code("PolicyPatchesTemplate", _W, "a rule about pods patches `spec.template`, which a pod does not have",
         "the rule was written for Deployments", "patch `spec`"),
    Code("PolicyContainerName", _W, 'a rule patches a container that is literally named "*"',
         "the anchor is missing", 'write `(name): "*"`'),
    Code("PolicyWithoutNoProxy", _W, "a rule sets a proxy and no `NO_PROXY`",
         "traffic inside the cluster would go through the proxy", "add `NO_PROXY` and `no_proxy` to the rule"),
    Code("PolicyRuleEmpty", _W, "a rule sets nothing any more",
         "the proxy was all that it set", "delete the rule"),
    # products
    Code("OnlyOneProxy", _W, "TKG takes two proxies or none, and only one is declared",
         "`httpProxy` or `httpsProxy` is missing", "declare both, with the same URL if one proxy serves both"),
    Code("VCenterNotInList", _W, "the list lacks the host of `VSPHERE_SERVER`, and TKG renders no cluster from it",
         "nothing adds the host by itself", "add the host to `spec.noProxy`, or set `VSPHERE_INSECURE`"),
    Code("NodesWithoutProxy", _W, "nodes that are to have no proxy get that of the Cluster",
         "the variable `proxy` cannot say otherwise", "declare a proxy for them"),
    Code("ProxySchemeUnsupported", _W, "a product takes no proxy whose URL begins with `https://`",
         "the TKG Service of vSphere reads `http://` only", "declare a URL that begins with `http://`"),
    Code("ProxySwitchedOff", _W, "a switch of the product says that there is no proxy, so values stay as they are",
         "`enabled` or the like is not true", "set it to true, or leave it out"),
    Code("NamespaceMissing", _W, "an App has no namespace, which references to the values of its cluster need",
         "the namespace is set later", "give it a namespace"),
    Code("ReferenceNotUsed", _W, "an App refers to other values than those that hold the proxy",
         "a person set the reference", "change the reference, or name the values in `spec.extraConfigs`"),
)  # fmt: skip

CODES: dict[str, Code] = {code.id: code for code in _TABLE}
