"""Karpenter: a NodeConfig in the user data of an EC2NodeClass gives the services of its nodes the proxy.

Sources: ``aws/karpenter-provider-aws`` ``pkg/providers/amifamily/bootstrap`` (user data that is a NodeConfig, a MIME
text or a script); ``awslabs/amazon-eks-ami`` ``nodeadm/api/v1alpha1`` (``instance.environment``).
"""

from __future__ import annotations

import re

from krm_fn.formats import mime
from krm_fn.formats.embedded import Value
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import items_at, list_at, lookup, text_at
from krm_fn.places.mapping_forms import VariableMembers, one_member
from krm_fn.places.place import Place
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, NodeUpdate, Places, Target

_USER_DATA = ("spec", "userData")
_LABEL = "`spec.userData`"
_AMI_TERMS = ("spec", "amiSelectorTerms")
_VARIABLES = ("spec", "instance", "environment", "default")
_HEAD = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig"}
_DATED_ALIAS = r"al2023@v(\d{8})"
# No older image knows the variables: that day they were still discussed (amazon-eks-ami#2384).
_FIRST_IMAGE = "20250820"


class Karpenter(Target):
    """The variables of the NodeConfig in user data.

    Example: an EC2NodeClass with::

        {amiFamily: AL2023}

    gets, as the text of ``userData``::

        apiVersion: node.eks.aws/v1alpha1
        kind: NodeConfig
        spec: {instance: {environment: {default: {HTTP_PROXY: "http://proxy:3128"}}}}
    """

    audience = Audience.NODE
    node_update = NodeUpdate(is_rolled=True, why="Karpenter replaces nodes whose user data differ")

    def places(self, data: Data, context: Context) -> Places:
        """Yield the variables of the NodeConfig, or new user data where there are none."""
        value = _node_config(text_at(data, _USER_DATA))
        if lookup(data, _USER_DATA) in (None, "") and _runs_nodeadm(data):
            value = Value(_USER_DATA, "")
            new = Place((), one_member(_new_node_config), _LABEL)
            form = YamlText(_in_document, [new])
        elif value is not None:
            is_whole = not (value.before or value.behind)
            says_nothing = _HEAD.__eq__ if is_whole else None
            form = YamlText(_in_document, is_first_only=False, says_nothing=says_nothing)
        else:
            return
        terms = items_at(data, _AMI_TERMS) if context.settings.sets_any else ()
        for path, term in terms:
            dated = re.fullmatch(_DATED_ALIAS, text_at(term, "alias"))
            if dated and dated[1] < _FIRST_IMAGE:  # it drops the variables
                yield Result(
                    "NodesWithoutProxy",
                    f"an image older than v{_FIRST_IMAGE} knows no `instance.environment`, so its nodes get no proxy: "
                    "name a newer one",
                    (*path, "alias"),
                )
        yield text_place(value, form, _LABEL)._replace(kept_steps=1)


def _in_document(document: Any) -> Places:
    if group_kind(document) == ("node.eks.aws", "NodeConfig"):
        yield Place(
            _VARIABLES, VariableMembers(), "`instance.environment.default` of the NodeConfig"
        )


def _new_node_config(settings: ProxySettings, old: Any) -> Any:
    """Return the NodeConfig that is the whole user data; None without a proxy."""
    variables = settings.variables
    if not variables:
        return None
    return {**_HEAD, "spec": {"instance": {"environment": {"default": variables}}}}


def _node_config(text: str) -> Value | None:
    """Return the text of the NodeConfig in user data, if there is one: all of it, or the last part of that type."""
    if text.lstrip().startswith(("#!", "[")):
        return None  # a script, or settings of Bottlerocket
    value = None
    for part in mime.parts(text):
        if part.is_plain("application/node.eks.aws"):
            before = text[: part.start]
            behind = text[part.end :]
            value = Value(_USER_DATA, text[part.start : part.end], before=before, behind=behind)
    if value is None and _HEAD["kind"] in text and "MIME-Version" not in text:
        return Value(_USER_DATA, text)
    return value


def _runs_nodeadm(data: Data) -> bool:
    """Return whether a field says that the nodes run Amazon Linux 2023."""
    for term in list_at(data, _AMI_TERMS):
        if text_at(term, "alias").startswith("al2023@"):
            return True
    return text_at(data, ("spec", "amiFamily")) == "AL2023"
