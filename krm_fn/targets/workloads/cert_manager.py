"""cert-manager: its controllers reach ACME servers, DNS providers and issuers through the proxy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.chosen_containers import is_refused
from krm_fn.carriers.data_references import DataUsesReader, provided_for
from krm_fn.carriers.env_list import OVERRIDE, EnvList, correct
from krm_fn.carriers.pod_spec import CONTAINERS, POD_SPEC, containers, report_wrong_types
from krm_fn.carriers.reading import Reading, Values
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.targets.base import Context, Data, Options, Target
from krm_fn.targets.workloads import known_workloads


class _CertManager(Target):
    id = "certManager"
    kinds = frozenset({("apps", "Deployment"), ("extensions", "Deployment"), ("batch", "Job")})
    audience = Audience.GO

    def sites(self, draft: Draft, context: Context) -> Iterator[EnvList]:
        """Yield the environments of the containers of cert-manager."""
        if not known_workloads.may_be_cert_manager(draft.data) or is_refused(draft.data, POD_SPEC):
            return
        report_wrong_types(draft)
        found = known_workloads.cert_manager_containers(draft.data)
        is_unknown = known_workloads.is_cert_manager(draft.data) and any(containers(draft.data))
        if not found and is_unknown and context.settings.sets_any:
            message = (
                "no container has a name of cert-manager's, so none gets the proxy: name one "
                "`cert-manager-controller`"
            )
            path = (*POD_SPEC, CONTAINERS)
            draft.report(Severity.WARNING, message, path, code="ContainerNotFound")
        for container in found:
            conflict = context.options.get("conflict", OVERRIDE)
            yield EnvList(
                draft, container, conflict, provided_for(context.uses, draft.data, container)
            )

    def note_references(self, uses: DataUsesReader, obj: Data, options: Options) -> None:
        """Note the ConfigMaps and Secrets that the containers of cert-manager read."""
        if not is_refused(obj, POD_SPEC):
            uses.note_containers(obj, known_workloads.cert_manager_containers(obj))

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give entries of ``env`` other values."""
        correct(draft, place, values)


TARGET = _CertManager()
