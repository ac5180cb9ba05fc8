"""List the codes of what a run and the other commands report, each with its severity.

A code is the name under which `spec.lint.rules` silences a warning or an information, or makes it louder. It never
changes its meaning and is never used again for another one. The rules about proxies and lists have IDs of their own
(`NP001` …), which `krm_fn.noproxy.lint_rules` lists. What makes a run impossible is an error; it has a code, too, and
no entry of `spec.lint.rules` silences it.
What users read about a code is in ``messages.md`` beside this module.
"""

from collections.abc import Mapping

from krm_fn.krm.results import Severity

_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

SILENCEABLE: Mapping[str, Severity] = {
    # the list and the FunctionConfig
    "NoFunctionConfig": _W,
    "NothingSelected": _W,
    "OverrideFitsNothing": _W,
    "IgnoreUnused": _W,
    "IgnoreUnknown": _W,
    "OtherNamespace": _W,
    "ProxyOfRole": _I,
    "SharedByClusters": _I,
    "ClassOfOtherNamespace": _W,
    "ClusterNameTaken": _W,
    "ClusterFieldInvalid": _W,
    "DocumentUnreadable": _W,
    "EncodedPlaceholder": _W,
    "ServiceAddressUnknown": _W,
    "PasswordExposed": _W,
    # what no target writes
    "NodeSystemUnsupported": _W,
    "ClassNotInList": _W,
    "TemplateNotInList": _W,
    "ProxyFieldEmpty": _W,
    "StaleProxy": _W,
    "WorkloadNotSelected": _W,
    "PolicyWrapped": _W,
    "OtherWriter": _W,
    "ValuesElsewhere": _I,
    # shapes
    "WrongType": _W,
    "Encrypted": _W,
    "TextUnreadable": _W,
    "YttCode": _W,
    "NoValues": _W,
    "ConfigSpecMissing": _W,
    "VersionUnknown": _I,
    "TooLong": _W,
    "EncodingUnusable": _W,
    "RenderedByCloudInit": _W,
    # nodes
    "OtherDropIn": _W,
    "PathRepeated": _W,
    "EntryNotEdited": _W,
    "FileNotAdded": _W,
    "NotWrittenHere": _W,
    "ContentInSecret": _W,
    "DropInStaysInline": _W,
    "SectionRejected": _W,
    "VariableUnset": _W,
    "EnvironmentFileWins": _W,
    "ExportsStayAtEnd": _W,
    "CommandNotEdited": _W,
    "SecretKeyMissing": _W,
    "SecretOfClassMissing": _W,
    "NetworkBeforeProxy": _W,
    "SystemdSecretMissing": _W,
    "MirrorNotRead": _W,
    "OtherMirror": _W,
    "NoProxyReplaced": _W,
    # rollout
    "NodesNotRolled": _W,
    "TemplateImmutable": _W,
    "NameKept": _W,
    # ClusterClass
    "ClassPatchErases": _W,
    "ClassPatched": _I,
    "ProxyInVariable": _W,
    "ListUncertain": _W,
    "TemplateNotUsable": _W,
    "NothingToPatch": _W,
    "ListMayBeNull": _W,
    # workloads
    "ContainerNotFound": _W,
    "AnnotationNoString": _W,
    "ValueOutOfSecret": _W,
    "ReferenceReplaced": _I,
    "ValueKept": _W,
    "OtherCaseStays": _W,
    "ReferenceToRemoved": _W,
    "CertificatesNotRead": _W,
    "MountPathTaken": _W,
    "CertificateVariableTaken": _W,
    # charts
    "ChartUnknown": _W,
    "ChartListReplaced": _W,
    "ChartNotReached": _W,
    "ChartServicesUnknown": _W,
    "CredentialsLeftOut": _W,
    # Kyverno
    "PolicyNotFilled": _W,
    "PolicyKindNotFilled": _W,
    "PolicyNotGenerated": _W,
    "PolicyTextStale": _W,
    "PolicyTextComputed": _W,
    "PolicyNamespaceSkipped": _W,
    "PolicyPatchesTemplate": _W,
    "PolicyContainerName": _W,
    "PolicyPathUnfit": _W,
    "PolicyAnchorLiteral": _W,
    "PolicyEnvSkipped": _W,
    "PolicyEntryAnchor": _W,
    "PolicyValueAnchor": _W,
    "PolicyEntryRepeated": _W,
    "PolicyEnvReplaced": _W,
    "PolicyEnvMissing": _W,
    "PolicyItemsAnchored": _W,
    "PolicyEnvFromReplaced": _W,
    "PolicyNestedForeach": _W,
    "PolicyAutogenFails": _W,
    "PolicyKeepsValueFrom": _W,
    "PolicyRunsOnUpdate": _I,
    "PolicyWithoutNoProxy": _W,
    "PolicyRuleEmpty": _W,
    "PolicyNotCompleted": _I,
    "PolicyCompletionStays": _I,
    "PolicyDeprecated": _W,
    "PolicyConverted": _W,
    "PolicyNotConverted": _W,
    # products
    "OnlyOneProxy": _W,
    "VCenterNotInList": _W,
    "NodesWithoutProxy": _W,
    "ProxySchemeUnsupported": _W,
    "ProxySwitchedOff": _W,
    "NamespaceMissing": _W,
    "FieldImmutable": _W,
    "ReferenceNotUsed": _W,
}
"""Code -> the most severe that it is if `spec.lint.rules` does not name it."""

FIXED: Mapping[str, Severity] = {
    # the FunctionConfig and the input
    "ConfigInvalid": _E,
    "ConfigsDiffer": _W,
    "ConfigMisspelt": _W,
    "InputInvalid": _E,
    "TooManyValues": _E,
    "EditRefused": _E,
    "NoManifest": _W,
    # the command
    "WrongUsage": _E,
    "OutputNotWritten": _E,
    "InternalError": _E,
    "FixNotClear": _W,
    "ListNotPrinted": _E,
    "ProxyInImage": _E,
    "ImageInputMissing": _W,
    # objects that differ from the ProxyConfig, or cannot get its proxy
    "ProxyMissing": _E,
    "SharedProxiesDiffer": _E,
    "ValueNotWritable": _E,
    "ValueConflict": _E,
    "ContentTwice": _E,
    "ReadOnlyPath": _E,
    "SecretNotUsable": _E,
    "TooManyFiles": _E,
    # Kyverno
    "PolicyTwoProxies": _E,
    "PolicyPasswordLeft": _E,
    "PolicyNameTaken": _E,
}
"""Code -> its severity, which no entry of `spec.lint.rules` changes."""

CODES: Mapping[str, Severity] = {**SILENCEABLE, **FIXED}
