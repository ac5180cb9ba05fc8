"""Which files are manifests, and why others are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from krm_fn.cli.selection import LeftAlone, Selection, select
from support import write

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"

TABLE = [
    pytest.param(POD, None, id="a manifest"),
    pytest.param(f"# {{{{ x }}}}\n{POD}", None, id="a mark in a comment"),
    pytest.param(f'{POD}spec: "{{{{ request.x }}}}"\n', None, id="a mark in quotes"),
    pytest.param(f"{POD}spec: |\n  {{{{ request.x }}}}\n", None, id="a mark in a block text"),
    pytest.param(f"{POD}spec: a {{{{ request.x }}}}\n", None, id="a mark in a plain text"),
    pytest.param(f"{POD}spec: a {{{{ x }}}}\n---\nb: [\n", None, id="code that is YAML beside a broken document"),
    pytest.param(f"{POD}spec: {{{{ .x }}}}\n", LeftAlone.TEMPLATE, id="a value that is code"),
    pytest.param(f'{POD}a: "{{{{ .x }}}}"\n{{% if x %}}\nb: c\n', LeftAlone.TEMPLATE, id="quotes and a condition"),
    pytest.param(f"{POD}a: <%= x %>\n", None, id="code of ERB that is a plain text"),
    pytest.param(f'{POD}a: "{{{{ .Get "b" }}}}"\n', LeftAlone.TEMPLATE, id="code in quotes that holds quotes"),
    pytest.param(f'{POD}a: "{{{{ \\"b\\" }}}}" # {{{{\nc: [\n', None, id="quotes with escapes in a broken manifest"),
    pytest.param(f"{POD}---\n<% if x %>\na: b\n", LeftAlone.TEMPLATE, id="code of ERB in the second document"),
    pytest.param("a: b\n", LeftAlone.OTHER, id="other YAML"),
    pytest.param(
        "kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems: []\n",
        LeftAlone.RESOURCE_LIST,
        id="a ResourceList",
    ),
    pytest.param("apiVersion: v1\nkind: Pod\n---\nkind: ResourceList\n", None, id="a ResourceList behind an object"),
    pytest.param("apiVersion: v1\nkind: ResourceList\nitems: []\n", None, id="a ResourceList of another group"),
    pytest.param("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n", None, id="a ResourceList without items"),
    pytest.param(POD.encode("utf-16"), LeftAlone.NOT_UTF8, id="another encoding"),
    pytest.param(f"{POD}a: [\n", None, id="a manifest that is broken is no template"),
    pytest.param(f"{POD}a: [${{A:= }}]\n", LeftAlone.PLACEHOLDERS, id="a placeholder in a list on one line"),
    pytest.param(f"{POD}---\nkind: MaasMachineTemplate\na: [${{A:= }}]\n", None, id="in a kind that no run reads"),
    pytest.param(f"{POD}a: {{b: ${{A}}}}\n", LeftAlone.PLACEHOLDERS, id="a placeholder in a mapping on one line"),
    pytest.param(f"{POD}---\n${{A:-  b: |\n c\n}}\nd: e\n", LeftAlone.PLACEHOLDERS, id="a placeholder over lines"),
    pytest.param(f"{POD}a: ${{A:='b: c'}}\n", LeftAlone.PLACEHOLDERS, id="a default with a colon"),
    pytest.param(f'{POD}a: ${{A}}\nb: ["${{B}}"]\n', None, id="placeholders that are YAML, too"),
    pytest.param(f"{POD}a: |\n  b=[${{A}}]\n", None, id="a placeholder in a block text"),
]


def selected(folder: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Selection:
    monkeypatch.chdir(write(folder, files))
    return select([], [])


@pytest.mark.parametrize(("content", "expected"), TABLE)
def test_the_reason_to_leave_a_file_alone(
    content: str | bytes, expected: LeftAlone | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    found = selected(tmp_path, {"a.yaml": data}, monkeypatch)
    assert found.left_alone.get("a.yaml") is expected
    assert ("a.yaml" in found.manifests) == (expected is None)


CHART = [
    pytest.param("chart/templates/a.yaml", True, id="a template"),
    pytest.param("chart/values.yaml", True, id="the values"),
    pytest.param("chart/crds/a.yaml", False, id="a CRD"),
    pytest.param("chart/a.yaml", False, id="another file beside Chart.yaml"),
    pytest.param("rendered/templates/a.yaml", False, id="a folder of that name without a chart"),
    pytest.param("values.yaml", False, id="a file of that name without a chart"),
]


@pytest.mark.parametrize(("name", "is_left_alone"), CHART)
def test_files_of_a_chart(name: str, is_left_alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    charts = dict.fromkeys(("chart/Chart.yaml", "chart/charts/sub/Chart.yaml"), b"name: x\n")
    found = selected(tmp_path, {**charts, name: POD.encode()}, monkeypatch)
    assert (found.left_alone.get(name) is LeftAlone.HELM) == is_left_alone


KUSTOMIZE = [
    pytest.param("patches: [{path: a.yaml}]", True, id="patches"),
    pytest.param("patchesStrategicMerge: [./a.yaml]", True, id="patchesStrategicMerge"),
    pytest.param("configMapGenerator: [{name: x, files: [key=a.yaml]}]", True, id="a file of a generator"),
    pytest.param("helmCharts: [{valuesFile: a.yaml}]", True, id="values"),
    pytest.param("resources: [a.yaml]", False, id="resources"),
    pytest.param("resources: [a.yaml]\nconfigMapGenerator: [{name: x, files: [a.yaml]}]", False, id="a resource, too"),
    pytest.param('patches: [{path: "a\\0.yaml"}, {path: a.yaml}]', True, id="beside what no path can be"),
    pytest.param("[1, 2", False, id="a kustomization that cannot be read"),
    pytest.param("labels: [a]\npatches: [{path: a.yaml}]\nlabels: [b]", True, id="a key twice, as kustomize takes it"),
    pytest.param("patches: [{path: a.yaml}]\npatches: [{path: b.yaml}]", False, id="the last of two values counts"),
]


@pytest.mark.parametrize(
    "file", ["kustomization.yaml", "kustomization.yml", "Kustomization", "kustomization.yaml.tmpl"]
)
@pytest.mark.parametrize(("text", "is_left_alone"), KUSTOMIZE)
def test_inputs_of_a_kustomization(
    file: str, text: str, is_left_alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = selected(tmp_path, {file: text.encode(), "a.yaml": POD.encode()}, monkeypatch)
    assert (found.left_alone.get("a.yaml") is LeftAlone.KUSTOMIZE) == is_left_alone


def test_a_patch_of_another_folder_is_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"overlay/kustomization.yaml": b"patches: [{path: ../patches/a.yaml}]"}
    files |= dict.fromkeys(("patches/a.yaml", "overlay/b.yaml"), POD.encode())
    found = selected(tmp_path, files, monkeypatch)
    assert [name for name, why in found.left_alone.items() if why is LeftAlone.KUSTOMIZE] == ["patches/a.yaml"]


@pytest.mark.parametrize("git", [{}, {".git/x": ""}], ids=["the current folder", "a git repository"])
@pytest.mark.parametrize("overlay", ["overlays/x", "y"])
def test_a_patch_of_a_kustomization_outside_of_the_path(
    overlay: str, git: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run patches` leaves alone what `run .` does."""
    up = "../" * len(Path(overlay).parts)
    files = {
        f"{overlay}/kustomization.yaml": f"patches: [{{path: {up}patches/a.yaml}}]",
        "z/kustomization.yaml": f"# {up}\n[",
        **dict.fromkeys(("patches/a.yaml", "patches/b.yaml"), POD),
    }
    monkeypatch.chdir(write(tmp_path, {**git, **files}))
    assert [*select(["patches"], []).manifests] == ["patches/b.yaml"]
    assert "patches/a.yaml" in select(["patches/a.yaml"], []).left_alone


def test_templates_and_what_is_above_the_path_have_patches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The overlays of CAREN's examples: a build step fills the template in, and lists of a patch replace others."""
    template = b"{{ if .x }}\napiVersion: v1\nkind: Kustomization\n{{ end }}\npatches: [{path: ../patches/a.yaml}]\n"
    above = b"patches: [{path: base/b.yaml}]"
    files = dict.fromkeys(("base/patches/a.yaml", "base/b.yaml", "base/c.yaml"), POD.encode())
    monkeypatch.chdir(
        write(
            tmp_path,
            {".git/x": "", "kustomization.yaml": above, "base/overlay/kustomization.yaml.tmpl": template, **files},
        )
    )
    found = select(["base"], [])
    assert [*found.manifests] == ["base/c.yaml"]
    assert found.left_alone["base/overlay/kustomization.yaml.tmpl"] is LeftAlone.TEMPLATE
