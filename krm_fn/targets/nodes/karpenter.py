"""Karpenter: a NodeConfig in the user data of an EC2NodeClass gives the services of its nodes the proxy.

Sources: ``aws/karpenter-provider-aws`` ``pkg/providers/amifamily/bootstrap`` (user data that is a NodeConfig, a MIME
text or a script); ``awslabs/amazon-eks-ami`` ``nodeadm/api/v1alpha1`` (``instance.environment``), whose files escape
what they hold themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from krm_fn.carriers.documents import DocumentSites, TextDraft
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import NestedSites, Places, Site, SiteWithoutVariables, Variables
from krm_fn.carriers.variable_mapping import VariableMapping
from krm_fn.engine import Draft
from krm_fn.formats import embedded, mime
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.base import Context, NodeUpdate, Target
from krm_fn.yamledit.render import block_text

_USER_DATA: Pointer = ("spec", "userData")
_AMI_TERMS: Pointer = ("spec", "amiSelectorTerms")
_VARIABLES: Pointer = ("spec", "instance", "environment", "default")
_STARTED = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig"}
_TYPE = "application/node.eks.aws"
_DATED_ALIAS = r"al2023@v(\d{8})"
_FIRST_IMAGE = "20250820"
"""No image is older whose nodeadm knows the variables: that day they were still discussed (amazon-eks-ami#2384)."""
_LABEL = f"`{'.'.join(_VARIABLES[1:])}` of the NodeConfig"


class _Karpenter(Target):
    id = "karpenter"
    kinds = frozenset({("karpenter.k8s.aws", "EC2NodeClass")})
    audience = Audience.NODE
    node_update = NodeUpdate(is_rolled=True, why="Karpenter replaces nodes whose user data differ")

    def sites(self, draft: Draft, context: Context) -> Places:
        """Yield the variables of the NodeConfig, or a new one where there are no user data."""
        text = draft.get(_USER_DATA)
        if text in (None, "") and _is_amazon_linux_2023(draft.data):
            _report_old_image(draft, context)
            yield _NewUserData(draft)
        if not isinstance(text, str):
            return
        value = _node_config(text)
        documents = TextDraft(draft, value).documents() if value else []
        if isinstance(documents, Finding):
            draft.findings.append(documents)
            return
        for document in documents:
            if _is_node_config(document.draft.data):
                _report_old_image(draft, context)
                yield DocumentSites(document, _variables_in)
                yield _EmptyUserData(draft)
                return


def _variables_in(draft: Draft) -> Iterator[Site]:
    yield VariableMapping(draft, _VARIABLES, _LABEL)


def _is_node_config(data: Any) -> bool:
    group = str(lookup(data, ("apiVersion",))).partition("/")[0]
    return (group, lookup(data, ("kind",))) == ("node.eks.aws", "NodeConfig")


def _node_config(text: str) -> embedded.Value | None:
    """Return the text of the NodeConfig in user data: all of them, or the last part of that type; None for none."""
    if text.lstrip().startswith(("#!", "[")):
        return None  # a script, or settings of Bottlerocket
    found = [part for part in mime.parts(text) if part.is_plain(_TYPE)]
    if found:
        at, end = found[-1].start, found[-1].end
        return embedded.Value(_USER_DATA, text[at:end], before=text[:at], behind=text[end:])
    return (
        embedded.Value(_USER_DATA, text)
        if _STARTED["kind"] in text and "MIME-Version" not in text
        else None
    )


def _report_old_image(draft: Draft, context: Context) -> None:
    """Report an image by whose date its nodeadm cannot know the variables, which it drops then."""
    terms = draft.get(_AMI_TERMS)
    for at, term in enumerate(terms if isinstance(terms, list) else ()):
        found = re.fullmatch(_DATED_ALIAS, str(lookup(term, ("alias",))))
        if found and found[1] < _FIRST_IMAGE and context.settings.sets_any:
            message = (
                f"an image older than v{_FIRST_IMAGE} knows no `instance.environment`, so its nodes get no proxy: "
                "name a newer one"
            )
            path = (*_AMI_TERMS, str(at), "alias")
            draft.report(Severity.WARNING, message, path, code="NodeSystemUnsupported")


def _is_amazon_linux_2023(obj: Mapping[str, Any]) -> bool:
    """Return whether the nodes run nodeadm, as a field says."""
    terms = lookup(obj, _AMI_TERMS)
    aliases = [lookup(term, ("alias",)) for term in terms] if isinstance(terms, list) else []
    is_alias = any(isinstance(alias, str) and alias.startswith("al2023@") for alias in aliases)
    return is_alias or lookup(obj, ("spec", "amiFamily")) == "AL2023"


class _NewUserData(NestedSites):
    """User data that are not there yet: a NodeConfig."""

    label = "`spec.userData`"

    def __init__(self, parent: Draft) -> None:
        self._parent = parent
        self.draft = Draft({**_STARTED})

    def sites(self) -> Places:
        """Yield the variables of the NodeConfig."""
        yield from _variables_in(self.draft)

    def read(self) -> Iterator[Reading]:
        """Yield nothing: there is none."""
        yield from ()

    def commit(self, variables: Variables) -> bool:
        """Write the user data where there are variables."""
        if self.draft.edits:
            self._parent.set(_USER_DATA, block_text(self.draft.data))
        return True


class _EmptyUserData(SiteWithoutVariables):
    """User data of which only the head of a NodeConfig is left, as a site."""

    label = "`spec.userData`"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, variables: Variables) -> None:
        """Remove user data that the sites before have emptied, whatever the variables are."""
        text = self._draft.get(_USER_DATA)
        if text == lookup(self._draft.before, _USER_DATA) or not isinstance(text, str):
            return
        if text == block_text(_STARTED):
            self._draft.remove(_USER_DATA, keep=1)
            self._draft.describe("removes user data that would be empty")


TARGET = _Karpenter()
