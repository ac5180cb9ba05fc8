"""Kyverno policies: those that set proxy variables on pods get the values of the ProxyConfig."""

from __future__ import annotations

from krm_fn.krm.results import Result
from krm_fn.light_typing import Texts
from krm_fn.noproxy import Audience
from krm_fn.places.place import Place, in_text, read_places
from krm_fn.places.provided import name_of
from krm_fn.targets.base import Context, Data, NewObjects, Options, Places, Target, Writes
from krm_fn.targets.kyverno.cel import LABEL, CelForm
from krm_fn.targets.kyverno.checks import WITH_RULES, check_policy, deprecated
from krm_fn.targets.kyverno.generated import GeneratedForm, is_generated, name_taken, objects
from krm_fn.targets.kyverno.rules import mutating_rules, rule_places


class KyvernoPolicies(Target):
    """The variables that a policy sets on pods, and the policy that inject-proxy generates.

    Example: in a rule of a ClusterPolicy::

        env: [{name: HTTP_PROXY, value: "http://old:3128"}]

    becomes::

        env: [{name: HTTP_PROXY, value: "http://proxy:3128"}]
    """

    audience = Audience.POD
    writes = Writes.VALUES

    def hints(self, options: Options) -> Texts:
        """Return the text hints, and the names of the objects to generate: one of them may be in the way."""
        names = [name_of(created) for created in objects(options)]
        return (*super().hints(options), *names)

    def generated(self, options: Options) -> NewObjects:
        """Yield the policy that the options ask for."""
        return objects(options)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places of a policy that set proxy variables."""
        if is_generated(data):
            form = GeneratedForm(context.options)
            ours = Place((), form, LABEL, is_unconditional=True)
            if "namespaces" in context.options:
                yield ours
            else:
                yield from in_text(
                    ours,
                    context.settings,
                    "refers to the Secret of `spec.secretRef` only in namespaces that "
                    "`spec.targets.kyverno.namespaces` lists, because no pod starts without it: list those that "
                    "have it, or write `httpProxy` and `httpsProxy`, too",
                )
            return
        taken = name_taken(data, context.options)
        if taken is not None and context.settings.sets_any:
            yield taken
            return
        places: list[Place | Result] = []
        if data.get("kind") not in WITH_RULES:
            places.append(Place((), CelForm(), LABEL))
        for rule in mutating_rules(data):
            places += rule_places(data, rule)
        for place in places:
            if isinstance(place, Place):
                yield from in_text(place, context.settings)
            else:
                yield place
        if context.settings.sets_any:
            readings = list(read_places(data, places))
            yield from check_policy(data, readings)

    def pod_namespaces(self, data: Data, options: Options) -> Texts:
        """Return the namespaces in which the generated policy gives the proxy."""
        return tuple(options.get("namespaces", ()))

    def outdated(self, data: Data) -> Result | None:
        """Return that Kyverno removes the kind of a policy."""
        return deprecated(data)
