"""A ConfigMap with trusted certificates that a target creates beside the objects that name it."""

from __future__ import annotations

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.engine import Draft
from krm_fn.formats import pem
from krm_fn.krm.results import Severity
from krm_fn.targets import created_objects

KEY = "ca-bundle.crt"
"""The key that holds the certificates."""


class TrustedConfigMap(SiteWithoutVariables):
    """The ConfigMap, as a site; it holds no proxy variable.

    Args:
        draft: the data of the ConfigMap.
        pem: the certificates; "" for none.
        why: who needs them there, as the end of a sentence.
    """

    label = "the trusted certificates"

    def __init__(self, draft: Draft, pem: str, why: str) -> None:
        self._draft = draft
        self._pem = pem
        self._why = why

    def write(self, variables: Variables) -> None:
        """Set the certificates in a ConfigMap that inject-proxy created, or remove it.

        Raises:
            WrongTypeError: ``data`` is no mapping.
        """
        path = ("data", KEY)
        old = self._draft.get(path)
        if not created_objects.was_created(self._draft.data):
            if self._pem and old != self._pem:
                self._report_not_ours()
        elif not self._pem:
            self._draft.remove(())
            self._draft.describe("removes the ConfigMap of trusted certificates")
        elif old != self._pem:
            self._draft.set(path, self._pem)
            self._draft.describe(f"sets {pem.shown(self._pem)}")

    def _report_not_ours(self) -> None:
        message = (
            f"was not created by inject-proxy, so it is left as it is, but {self._why}: put the "
            f"certificates under `{KEY}`, or label it `{created_objects.LABEL}: {created_objects.OURS}`"
        )
        self._draft.report(Severity.WARNING, message, ("data",), code="NotWrittenHere")
