from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kubeadm_objects import HTTP_ONLY, NONE, PLACES, PROXY, kubeadm, run

from krm_fn.config import Certificates, Mirror
from krm_fn.krm.results import Finding, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context
from krm_fn.targets.base import Target
from krm_fn.targets.nodes import containerd_drop_in, kubeadm_commands, kubelet_drop_in, registry_mirror

TARGETS = [module.TARGET for module in (containerd_drop_in, kubelet_drop_in, kubeadm_commands, registry_mirror)]
PATH = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
MIRROR = Mirror("https://registry.corp.example:5000", "registry.corp.example", Certificates("x\n"))
MIRRORED = PROXY._replace(mirror=MIRROR)
JUNK = st.sampled_from(
    [None, True, 0, 0.5, "", "x", "${X}", [], {}, [None], {"x": 1}, "[Service]\nEnvironment=NO_PROXY=\\q\n"]
)
KEYS = ["path", "content", "contentFrom", "encoding", "owner", "permissions", "append", "secret", "name", "key"]
ENTRIES = st.one_of(JUNK, st.dictionaries(st.sampled_from(KEYS), st.one_of(JUNK, st.just(PATH), st.just("base64"))))
SPECS = st.one_of(
    JUNK,
    st.fixed_dictionaries(
        {},
        optional={
            "files": st.one_of(JUNK, st.lists(ENTRIES, max_size=4)),
            "preKubeadmCommands": st.one_of(
                JUNK, st.lists(st.one_of(JUNK, st.just("export HTTP_PROXY=x")), max_size=4)
            ),
            "format": st.one_of(JUNK, st.just("ignition")),
        },
    ),
)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@settings(max_examples=60)
@given(spec=SPECS, kind=st.sampled_from(list(PLACES)), version=JUNK, proxy=st.sampled_from([MIRRORED, HTTP_ONLY, NONE]))
def test_no_shape_raises_and_twice_is_once(
    target: Target, spec: Any, kind: str, version: Any, proxy: ProxySettings
) -> None:
    outcome = run(target, {**kubeadm(spec, kind), "apiVersion": version}, proxy)
    assert all(isinstance(one, Finding) and one.message and "\n" not in one.message for one in outcome.findings)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize(
    "obj", [{}, {"kind": None}, {"kind": ["KubeadmConfig"]}, {"kind": "KubeadmConfig", "spec": "${SPEC}"}]
)
def test_objects_that_are_none_of_ours_yield_no_change(target: Target, obj: dict[str, Any]) -> None:
    outcome = run(target, obj, MIRRORED)
    assert outcome.changes == []
    assert outcome.errors == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
def test_a_template_in_the_place_of_a_list_is_a_warning_not_an_error(target: Target) -> None:
    outcome = run(target, kubeadm({"files": "${FILES}", "preKubeadmCommands": "${COMMANDS}"}), MIRRORED)
    assert [finding.severity for finding in outcome.findings] == [Severity.WARNING]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
def test_operations_are_plain_data(target: Target) -> None:
    (change,) = run(target, kubeadm({}), MIRRORED).changes
    for operation in change.operations:
        assert json.loads(json.dumps(operation.value)) == operation.value


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 5_000_000, id="one line of five megabytes"),
        pytest.param("[Service]\nEnvironment=" + "\\\n" * 30_000, id="thirty thousand continued lines"),
        pytest.param("[Service]\n" + 'Environment="HTTP_PROXY=x"\n' * 5_000, id="five thousand assignments"),
        pytest.param("export HTTP_PROXY=" + "%" * 900_000, id="one line of nearly a mebibyte"),
        pytest.param("export HTTP_PROXY=x; " * 10_000, id="ten thousand statements"),
        pytest.param("x | export HTTP_PROXY=" + " " * 1_000_000, id="a mebibyte of blanks behind a pipe"),
    ],
)
def test_large_texts_come_to_an_end(target: Target, text: str) -> None:
    obj = kubeadm({"files": [{"path": PATH, "content": text}], "preKubeadmCommands": [text]})
    list(target.edit(obj, Context({}, HTTP_ONLY)))
    list(target.read(obj, {}))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize("kind", PLACES)
def test_removal_keeps_the_empty_mapping_of_its_author(target: Target, kind: str) -> None:
    obj = kubeadm({}, kind)
    assert run(target, run(target, obj, MIRRORED).obj, NONE).obj == obj
