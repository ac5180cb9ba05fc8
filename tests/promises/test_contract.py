"""The KRM functions specification v1, row by row, as the installed command keeps it.

Rows C1 to C23 are the rules of kustomize's ``cmd/config/docs/api-conventions/functions-spec.md``.
"""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

from contract_lists import BAD_CONFIG, CONFIG, RESULT_SCHEMA, SETTINGS, WORKERS, resource_list
from support import inject_proxy, need_engine, run


def answer(stdin: str) -> str:
    done = inject_proxy(stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def parsed(stdin: str) -> dict[str, Any]:
    (document,) = yaml.safe_load_all(answer(stdin))
    assert isinstance(document, dict)
    return document


def results(stdin: str = "") -> list[dict[str, Any]]:
    found = parsed(stdin or resource_list(WORKERS, SETTINGS))["results"]
    assert found
    return list(found)


@pytest.mark.parametrize("stdin", ["", "\n", "---\n"])
def test_c01_an_empty_stdin_is_an_error_and_no_hang(stdin: str) -> None:
    done = inject_proxy(stdin)
    assert done.returncode == 1
    assert done.stdout == b""
    assert b"standard input" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_c03_echoes_the_api_version_of_the_input(version: str) -> None:
    api_version = f"config.kubernetes.io/{version}"
    assert parsed(resource_list(WORKERS, api_version=api_version))["apiVersion"] == api_version


@pytest.mark.parametrize("items", ["", "items:\n", "items: null\n", "items: []\n"])
def test_c04_the_output_always_has_items(items: str) -> None:
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
    document = parsed(f"{head}{items}functionConfig:\n  {CONFIG.replace(chr(10), chr(10) + '  ').rstrip()}\n")
    assert "items" in document
    assert not document["items"]


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(None, id="no functionConfig, as kpt fn render without one"),
        pytest.param("{}\n", id="an empty functionConfig"),
        pytest.param(
            "data: {}\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: function-input}\n",
            id="an empty ConfigMap, as kpt fn eval without one",
        ),
    ],
)
def test_c05_a_function_config_that_says_nothing_loses_nothing(config: str | None) -> None:
    text = resource_list(WORKERS, SETTINGS, config=config)
    done = inject_proxy(text)
    assert b"Traceback" not in done.stderr
    assert [item["metadata"]["name"] for item in yaml.safe_load(done.stdout)["items"]] == ["workers", "settings"]
    assert "HTTP_PROXY" not in done.stdout.decode()


def test_c06_results_keep_the_schema_of_the_specification() -> None:
    for result in results():
        jsonschema.validate(result, RESULT_SCHEMA)


def test_c09_a_resource_ref_has_api_version_kind_name_and_namespace() -> None:
    assert results(resource_list(WORKERS))[0]["resourceRef"] == {
        "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1",
        "kind": "KubeadmConfigTemplate",
        "name": "workers",
        "namespace": "org-acme",
    }


def test_c11_a_file_has_its_path_and_its_index_as_a_number() -> None:
    assert results(resource_list(WORKERS.replace("index: '0'", "index: '3'")))[0]["file"] == {
        "path": "clusters/workers.yaml",
        "index": 3,
    }


def test_c13_takes_json_and_gives_what_json_readers_read() -> None:
    text = json.dumps(yaml.safe_load(resource_list(WORKERS)), ensure_ascii=False)
    assert yaml.safe_load(answer(text))["items"] == parsed(resource_list(WORKERS))["items"]


@pytest.mark.parametrize(
    "locale", [{}, {"LANG": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}]
)
def test_c14_uses_utf8_whatever_the_locale(locale: dict[str, str]) -> None:
    done = inject_proxy(resource_list(WORKERS), env=locale)
    assert done.returncode == 0, done.stderr.decode()
    assert 'content: "Grüße 👋 日本語\\n"' in done.stdout.decode("utf-8")


@pytest.mark.judged
def test_c15_is_a_container(image: str) -> None:
    done = run([need_engine(), "run", "--rm", "-i", image], resource_list(WORKERS).encode())
    assert done.stdout.decode() == answer(resource_list(WORKERS))


@pytest.mark.judged
def test_c16_runs_as_nobody_by_name(image: str) -> None:
    argv = [need_engine(), "run", "--rm", "-i", "--network", "none", "--user", "nobody", image]
    assert run(argv, resource_list(WORKERS).encode()).returncode == 0


@pytest.mark.parametrize(
    "stdin",
    [
        pytest.param(resource_list(WORKERS), id="a change"),
        pytest.param("- no list\n", id="no ResourceList"),
        pytest.param("a: [\n", id="no YAML"),
    ],
)
def test_c17_what_is_said_goes_to_stderr_and_stdout_is_for_the_list(stdin: str) -> None:
    done = inject_proxy(stdin)
    assert done.stderr
    assert all(document["kind"] == "ResourceList" for document in yaml.safe_load_all(done.stdout))


def test_c18_exits_with_zero_on_success_only() -> None:
    assert inject_proxy(resource_list(WORKERS)).returncode == 0
    assert inject_proxy(resource_list(WORKERS, config=BAD_CONFIG)).returncode == 1


def test_c19_updates_items_and_neither_creates_nor_deletes_any() -> None:
    document = parsed(resource_list(SETTINGS, WORKERS, SETTINGS.replace("name: settings", "name: more")))
    assert [item["metadata"]["name"] for item in document["items"]] == ["settings", "workers", "more"]
    assert document["items"][1]["spec"] != yaml.safe_load(WORKERS)["spec"]


def test_c20_preserves_comments_and_every_other_line() -> None:
    given = resource_list(WORKERS, SETTINGS).splitlines()
    left = iter(answer(resource_list(WORKERS, SETTINGS)).splitlines())
    assert [line for line in given if line not in left] == []


def test_c21_leaves_the_internal_annotations_alone() -> None:
    (item,) = parsed(resource_list(WORKERS))["items"]
    assert item["metadata"] == yaml.safe_load(WORKERS)["metadata"]
