"""The places of one cluster say the same: who is warned, about what, and in comparison with whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import excess
from krm_fn.places.reading import Reading
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.lint.drift import ObservedObject, disagreements
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets import TARGETS

WANTED = ProxySettings("http://proxy:3128", "http://proxy:3129", "localhost,.svc").variables()
PLANE = ObjectRef("controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane", "prod", "default")
CERT = ObjectRef("apps/v1", "Deployment", "cert-manager", "kube-system")
DROP_IN, CONTAINER = "the drop-in of containerd", 'container "cert-manager"'
SECRET = 'it is under the key "k" of the Secret "s"'


def readings(values: dict[str, Any], place: str, why: str = "", **more: Any) -> tuple[Reading, ...]:
    return tuple(Reading(name, value, (place, name), "", place, why, **more) for name, value in values.items())


def names(clusters: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, "") for name in clusters)


def plane(values: dict[str, Any] = WANTED, *clusters: str, wanted: dict[str, str] = WANTED) -> ObservedObject:
    return ObservedObject(PLANE, "containerdDropIn", readings(values, DROP_IN), wanted, names(clusters))


def cert(
    values: dict[str, Any], *clusters: str, why: str = "", wanted: dict[str, str] = WANTED, **more: Any
) -> ObservedObject:
    return ObservedObject(CERT, "certManager", readings(values, CONTAINER, why, **more), wanted, names(clusters))


def warned(*said: ObservedObject) -> list[Result]:
    found = list(disagreements(said))
    assert all(one.severity is Severity.WARNING and "\n" not in one.message for one in found)
    return found


# what must be left alone


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([], id="nothing at all"),
        pytest.param([plane()], id="one place that is right"),
        pytest.param([plane(), cert(WANTED)], id="two that say the same"),
        pytest.param([plane(), cert({})], id="one that says nothing"),
        pytest.param([plane(), cert({"HTTP_PROXY": WANTED["HTTP_PROXY"]})], id="one that says less"),
        pytest.param([cert({"HTTP_PROXY": "http://old:1"})], id="one that differs, and nobody to compare with"),
        pytest.param([plane(WANTED, "a"), cert({"HTTP_PROXY": "http://old:1"}, "b")], id="another cluster"),
        pytest.param([plane(), cert({"HTTP_PROXY": "http://old:1"}, "b")], id="one of them in no known cluster"),
        pytest.param([plane(), cert({"NO_PROXY": ".svc, localhost,"})], id="the same entries in another order"),
        pytest.param(
            [plane(), cert({"NO_PROXY": "x"}, wanted={"NO_PROXY": "x"})], id="another list is wanted for pods"
        ),
        pytest.param([plane(), cert({"HTTP_PROXY": "x"}, wanted={})], id="no proxy is wanted there"),
        pytest.param(
            [plane(), cert({"NO_PROXY": None}, why="computed", known="localhost,.svc")], id="a computed rest beside it"
        ),
        pytest.param(
            [
                plane(wanted={"NO_PROXY": "a"}, values={"NO_PROXY": "a"}),
                cert({"HTTP_PROXY": None}, why="x", wanted={"NO_PROXY": "a"}),
            ],
            id="a variable that is not wanted is not known",
        ),
        pytest.param([plane(), cert({"NO_PROXY": None}, why=SECRET)], id="a value that cannot be known here"),
    ],
)
def test_what_agrees_or_has_nobody_to_agree_with_is_not_reported(said: list[ObservedObject]) -> None:
    assert warned(*said) == []


@pytest.mark.parametrize("first", TARGETS)
def test_what_any_two_targets_write_agrees(first: str) -> None:
    for second in TARGETS:
        said = [
            ObservedObject(PLANE, first, readings(WANTED, "a"), WANTED),
            ObservedObject(CERT, second, readings(WANTED, "b"), WANTED),
        ]
        assert warned(*said) == [], second


# what is reported


@pytest.mark.parametrize(
    ("values", "why", "known", "difference"),
    [
        pytest.param({"HTTP_PROXY": "http://old:1"}, "", "", '`HTTP_PROXY` is "http://old:1", not "http://proxy:3128"'),
        pytest.param(
            {"HTTP_PROXY": "http://old:1", "http_proxy": "http://old:1"},
            "",
            "",
            '`HTTP_PROXY`, `http_proxy` are "http://old:1", not "http://proxy:3128"',
        ),
        pytest.param({"HTTP_PROXY": ""}, "", "", '`HTTP_PROXY` is "", not "http://proxy:3128"'),
        pytest.param({"NO_PROXY": "localhost"}, "", "", '`NO_PROXY` lacks ".svc"'),
        pytest.param({"NO_PROXY": "a,localhost,.svc"}, "", "", '`NO_PROXY` has "a" besides'),
        pytest.param(
            {"NO_PROXY": "a,b,c,d,e", "no_proxy": "a,b,c,d,e"},
            "",
            "",
            '`NO_PROXY`, `no_proxy` lack "localhost", ".svc" and have "a", "b", "c" and 2 more besides',
        ),
        pytest.param({"NO_PROXY": None}, "computed", ".svc", '`NO_PROXY` lacks "localhost"'),
    ],
)
def test_a_place_that_differs_is_reported_with_one_that_is_right(
    values: dict[str, Any], why: str, known: str, difference: str
) -> None:
    (result,) = warned(plane(WANTED, "default/prod"), cert(values, "default/prod", why=why, known=known))
    whose = f'{DROP_IN} of KubeadmControlPlane "prod" in cluster "default/prod"'
    assert result.message == f"{CONTAINER} must set the same values as {whose}: {difference}"
    assert (result.ref, result.target, result.path) == (CERT, "certManager", (CONTAINER, next(iter(values))))


def test_the_result_holds_both_values() -> None:
    (result,) = warned(plane(), cert({"HTTP_PROXY": "http://old:1"}))
    assert (result.current, result.proposed) == ("http://old:1", "http://proxy:3128")


def test_the_order_of_the_objects_does_not_matter() -> None:
    first, second = plane(), cert({"HTTP_PROXY": "http://old:1"})
    assert warned(first, second) == warned(second, first) != []


def test_two_places_of_one_object_are_compared_too() -> None:
    kept = plane()._replace(readings=(*plane().readings, *readings({"NO_PROXY": "localhost"}, "another drop-in")))
    (result,) = warned(kept)
    assert (
        result.message
        == f'another drop-in must set the same values as {DROP_IN} of the same object: `NO_PROXY` lacks ".svc"'
    )


def test_two_differences_in_one_place_are_two_results() -> None:
    found = warned(plane(), cert({"HTTP_PROXY": "http://old:1", "NO_PROXY": "localhost"}))
    assert [one.path[-1] for one in found] == ["HTTP_PROXY", "NO_PROXY"]


def test_a_shared_object_is_compared_with_each_of_its_clusters_and_reported_once() -> None:
    (result,) = warned(plane(WANTED, "a"), plane(WANTED, "b"), cert({"HTTP_PROXY": "http://old:1"}, "b", "a"))
    assert 'KubeadmControlPlane "prod": ' in result.message


@pytest.mark.parametrize(
    ("url", "reported"),
    [
        ("http://user:secret@proxy:3128", "have other credentials"),
        ("http://user:secret@old:1", 'are "http://user:***@old:1", not "http://user:***@proxy:3128"'),
        ("a:secret@b", 'are "***", not "http://user:***@proxy:3128"'),
    ],
)
def test_no_credential_is_in_a_message(url: str, reported: str) -> None:
    wanted = ProxySettings("http://user:geheim@proxy:3128").variables()
    (result,) = warned(plane(wanted, wanted=wanted), cert(dict.fromkeys(wanted, url), wanted=wanted))
    assert all(secret not in f"{result.message}{result.to_data()}" for secret in ("secret", "geheim"))
    assert reported in result.message


_VALUES = st.dictionaries(st.sampled_from(PROXY_VARIABLES), st.sampled_from(["", "a", "a,b", None]))
_SAID = st.builds(
    lambda values, wanted, clusters, ref: ObservedObject(
        ref,
        "t",
        tuple(
            Reading(name, value, (name,), "", "p", "" if value is not None else "x") for name, value in values.items()
        ),
        {name: value for name, value in wanted.items() if value},
        names(clusters),
    ),
    _VALUES,
    _VALUES,
    st.lists(st.sampled_from("ab"), unique=True),
    st.sampled_from([PLANE, CERT]),
)


@given(st.lists(_SAID, max_size=6))
def test_property_only_what_differs_is_reported_and_only_beside_somebody_who_does_not(
    said: Iterable[ObservedObject],
) -> None:
    said = list(said)
    for result in disagreements(said):
        culprits = [one for one in said if one.ref == result.ref and one.wanted]
        assert any(
            reading.path == result.path and reading.value != one.wanted.get(reading.variable, "")
            for one in culprits
            for reading in one.readings
        )
        assert any(
            set(one.wanted.items()) & {(reading.variable, reading.value) for reading in one.readings} for one in said
        )


def _differing(size: int) -> list[ObservedObject]:
    """``size`` control planes that have what they should, and as many Deployments that have not."""
    planes = [plane(WANTED, f"c{at}") for at in range(size)]
    return planes + [cert({"NO_PROXY": "x"}, f"c{at}") for at in range(size)]


def test_each_of_many_objects_that_differ_is_one_warning() -> None:
    assert len(warned(*_differing(300))) == 300


def test_time_is_linear_in_the_number_of_objects() -> None:
    assert excess(lambda said: warned(*said), _differing, 3000, in_steps=False) == ""
