"""`inject-proxy lint`: a list, files, folders and standard input, as a shell sees them."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from krm_fn.cli import files, lint, writing
from krm_fn.cli.command_result import CommandResult
from krm_fn.errors import ConfigError, InputError, OutputError, UsageError
from support import finished, inject_proxy

SECRET = "s3cr3t"
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: prod
  namespace: org
spec:
  clusterNetwork:
    pods: {cidrBlocks: [192.168.0.0/16]}
    services: {cidrBlocks: [10.96.0.0/12]}
"""
WEB = """\
# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
    name: web
    namespace: shop
spec:
    template:
        spec:
            containers:
            -   name: app
                env:
                -   {name: HTTP_PROXY, value: "proxy.corp.example:3128"}   # no scheme
                -   name: NO_PROXY
                    value: 'localhost,127.0.0.1; 10.0.0.0/8'
"""
GOOD = WEB.replace("proxy.corp", "http://proxy.corp").replace("; ", ",")
CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec:
  httpProxy: http://proxy.corp.example:3128
  noProxy:
  - .corp.example  # everything of ours
  - 10.1.*
"""
CHART = "apiVersion: v1\nkind: {{ .Values.kind }}\n{{- if .Values.proxy }}\nx: y\n{{- end }}\n"


def no_stdin() -> bytes:
    raise AssertionError("nobody asked for standard input")


def run(*words: str | Path, stdin: str | None = None) -> CommandResult:
    read = no_stdin if stdin is None else stdin.encode
    return finished(lint.run([str(word) for word in words], read))


def lines(answer: CommandResult) -> list[str]:
    return answer.output.decode().splitlines()


def ids(answer: CommandResult) -> list[str]:
    return [line.split()[0] for line in lines(answer) if line.startswith("NP")]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder as a repository has it: manifests, a chart, a hidden folder, other files."""
    files = {
        "clusters/prod.yaml": CLUSTER,
        "apps/web.yml": WEB,
        "apps/notes.md": "NO_PROXY: a;b\n",
        "apps/proxy.json": json.dumps({"kind": "Pod", "apiVersion": "v1", "spec": {"containers": [{"env": []}]}}),
        "chart/templates/x.yaml": CHART,
        ".git/web.yaml": WEB,
        "apps/.hidden/web.yaml": WEB,
        "proxy.yaml": CONFIG,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# a list


@pytest.mark.parametrize(
    ("text", "expected", "code"),
    [
        pytest.param("localhost,127.0.0.1", [], 0, id="nothing is wrong"),
        pytest.param("localhost,127.0.0.1,a, b", ["EntryForm"], 1, id="a blank beside a comma"),
        pytest.param("localhost,127.0.0.1,a;b", ["EntryForm"], 1, id="another separator"),
        pytest.param("localhost,127.0.0.1,*.a.example", ["EntryForm"], 0, id="a warning is no failure"),
        pytest.param("10.1.2.3", ["AddressNotListed", "AddressNotListed"], 0, id="no loopback"),
        pytest.param("a,", ["AddressNotListed", "AddressNotListed", "EntryNeedless"], 0, id="a name with a comma behind it"),
        pytest.param("localhost", ["AddressNotListed"], 0, id="a name that no folder has"),
        pytest.param("", ["ListEmpty"], 1, id="nothing"),
        pytest.param("x" * 5000, ["AddressNotListed", "AddressNotListed", "ListTooLong"], 0, id="longer than a path can be"),
        pytest.param(f"http://user:{SECRET}@host,a", ["EntryForm"], 1, id="a password"),
    ],
)
def test_each_problem_of_a_list_is_a_line(text: str, expected: list[str], code: int) -> None:
    answer = run(text)
    assert (ids(answer), answer.exit_code) == (expected, code)
    is_one = text and "," not in text
    assert [line for line in answer.reported if "no file or folder of this name" in line] == [*answer.reported]
    assert len(answer.reported) == bool(is_one)
    assert SECRET not in answer.output.decode()


def test_a_line_tells_rule_severity_entry_message_and_the_corrected_form() -> None:
    first, second = lines(run("localhost,127.0.0.1,a;b"))
    assert first == 'EntryForm error "a;b": entry "a;b" must not hold blanks, ";" or "|": write "a,b" -> a,b'
    assert second == "fixed: localhost,127.0.0.1,a,b"


@pytest.mark.parametrize(
    ("words", "corrected", "reported", "code"),
    [
        pytest.param(["a, b;c"], "a,b,c,localhost,127.0.0.1", [], 0, id="separators"),
        pytest.param(["localhost,127.0.0.1"], "localhost,127.0.0.1", [], 0, id="nothing is wrong"),
        pytest.param(["localhost,127.0.0.1,*,a"], "localhost,127.0.0.1,*,a", ["ProxyNeverUsed"], 1, id="a person must decide"),
        pytest.param(["localhost,127.0.0.1,fd00::/8"], "localhost,127.0.0.1,fd00::/8", [], 0, id="for nodes"),
        pytest.param(["--consumer=pod", "localhost,127.0.0.1,fd00::/8"], "localhost,127.0.0.1", [], 0, id="for pods"),
        pytest.param(["--", "-a.example,localhost,127.0.0.1"], "-a.example,localhost,127.0.0.1", [], 0, id="a dash"),
    ],
)
def test_a_list_is_corrected_on_standard_output(
    words: list[str], corrected: str, reported: list[str], code: int
) -> None:
    answer = run("--fix", *words)
    assert (answer.output.decode(), answer.exit_code) == (f"{corrected}\n", code)
    assert [line[:5] for line in answer.reported] == reported
    assert run("--fix", *words[:-1], corrected).output == answer.output


def test_a_list_that_may_hold_a_password_is_not_printed() -> None:
    answer = run("--fix", f"http://user:{SECRET}@host,a;b")
    assert (answer.output, answer.exit_code) == (b"", 1)
    assert not any(SECRET in line for line in answer.reported)
    assert answer.reported[-1] == "[error] PasswordInList: the list is not printed, because it may hold a password"


def test_bytes_that_are_no_text_pass() -> None:
    assert run("--fix", "localhost,127.0.0.1,${\udcff}").output == b"localhost,127.0.0.1,${\xff}\n"


def test_the_config_says_which_rules_speak_about_a_list_and_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "proxy.yaml"
    path.write_text(CONFIG + "  lint: {rules: {AddressNotListed: Off, EntryForm: Warning}}\n  clusterDefaults: {endpoint: api.x}\n")
    answer = run("--config", path, "svc,.svc,cluster.local,.cluster.local,a;b")
    assert (ids(answer), answer.exit_code) == (["ClusterNotListed", "EntryForm"], 1)


def test_the_problems_of_a_list_as_json() -> None:
    (found,) = json.loads(run("--output", "json", "localhost,127.0.0.1,a;b").output)
    assert found["severity"] == "error"
    assert found["message"].startswith("EntryForm: ")
    assert found["tags"] == {"rule": "EntryForm", "entry": "a;b", "corrected": "a,b"}


# files


def test_a_tree_is_judged_file_by_file_in_order(tree: Path) -> None:
    before = contents(tree)
    answer = run(tree)
    assert answer.exit_code == 1
    assert contents(tree) == before
    reported = lines(answer)
    assert reported == sorted(reported, key=lambda line: line.split()[1])
    assert all(str(tree) in line for line in reported)
    assert not any(hidden in line for line in reported for hidden in (".git", ".hidden", "notes.md"))
    place = f"{tree}/apps/web.yml apps/v1/Deployment/shop/web spec.template.spec.containers[0].env[0].value"
    assert any(line.startswith(f"[error] {place}: UrlInvalid: ") for line in reported)
    assert not any("chart/templates" in line for line in reported)
    assert any(line.startswith(f"[warning] {tree}/proxy.yaml ") and "EntryForm" in line for line in reported)
    counts = [sum(line.startswith(f"[{severity}]") for line in reported) for severity in ("error", "warning")]
    summary = (
        "inject-proxy lint: 5 files read (left alone: 1 template), 2 objects checked, {} errors, {} warnings".format(
            *counts
        )
    )
    assert answer.reported == (summary,)


def test_what_is_said_as_json_is_what_a_krm_function_says(tree: Path) -> None:
    found = json.loads(run("--output=json", tree).output)
    assert len(found) == len(lines(run(tree)))
    (scheme,) = (one for one in found if "UrlInvalid" in one["message"])
    assert scheme["tags"] == {"rule": "UrlInvalid"}
    assert scheme["resourceRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"}
    assert scheme["field"] == {"path": "spec.template.spec.containers[0].env[0].value"}
    assert scheme["file"] == {"path": f"{tree}/apps/web.yml", "index": 0}


def test_a_tree_is_corrected_in_place_once_and_only_where_something_is_wrong(tree: Path) -> None:
    before = contents(tree)
    first = run("--fix", tree)
    after = contents(tree)
    assert {name for name in after if after[name] != before[name]} == {"apps/web.yml"}
    assert after.keys() == before.keys()
    assert first.reported[:-1] == (f"fixed {tree}/apps/web.yml",)
    assert "1 file fixed, 0 errors" in first.reported[-1]
    assert first.exit_code == 0
    second = run("--fix", tree)
    assert contents(tree) == after
    assert second.output == first.output
    assert second.reported == (first.reported[-1].replace("1 file fixed", "0 files fixed"),)


def test_what_is_corrected_keeps_the_style_of_its_author(tree: Path) -> None:
    run("--fix", tree)
    text = (tree / "apps/web.yml").read_text()
    assert text.startswith(WEB.split("                -   {name", maxsplit=1)[0])
    assert '                -   {name: HTTP_PROXY, value: "http://proxy.corp.example:3128"}   # no scheme\n' in text
    no_proxy = "localhost,127.0.0.1,10.0.0.0/8,svc,cluster.local,192.168.0.0/16,10.96.0.1,.svc,.cluster.local"
    listed = text.split("value: '")[1].split("'")[0].split(",")
    assert set(listed) == set(no_proxy.split(","))


def test_one_file_is_judged_without_the_facts_of_others(tree: Path) -> None:
    assert run("--fix", tree / "apps/web.yml").exit_code == 0
    assert (tree / "apps/web.yml").read_text().startswith(GOOD)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_permissions_and_links_stay(tree: Path, mode: int) -> None:
    path, link = tree / "apps/web.yml", tree / "link.yaml"
    path.chmod(mode)
    link.symlink_to(path)
    run("--fix", link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() != WEB
    assert sorted(child.name for child in path.parent.iterdir()) == [".hidden", "notes.md", "proxy.json", "web.yml"]


def test_standard_input_is_corrected_on_standard_output() -> None:
    answer = run("--fix", "-", stdin=f"{CLUSTER}---\n{WEB}")
    text = answer.output.decode()
    assert text.startswith(f"{CLUSTER}---\n# the shop\n")
    assert 'value: "http://proxy.corp.example:3128"}   # no scheme\n' in text
    assert answer.reported[-1].startswith("inject-proxy lint: 1 file read, 1 object checked, 1 file fixed, 0 errors, ")
    assert run("--fix", "-", stdin=text).output == answer.output


def test_standard_input_is_judged_as_files_are() -> None:
    answer = run("-", stdin=WEB)
    assert answer.exit_code == 1
    assert lines(answer)[0].startswith("[error] standard input apps/v1/Deployment/shop/web spec.")


def test_standard_input_that_is_right_is_passed_on_byte_by_byte() -> None:
    text = "kind: A\r\nx:   [1,2] # y\r\n...\n"
    assert run("--fix", "-", stdin=text) == CommandResult(
        text.encode(), ("inject-proxy lint: 1 file read, 0 objects checked, 0 files fixed, 0 errors, 0 warnings",), 0
    )


def test_the_config_that_is_named_decides_about_files(tree: Path, tmp_path: Path) -> None:
    path = tmp_path / "rules/rules.yaml"
    path.parent.mkdir()
    path.write_text(CONFIG + "  lint: {rules: {UrlInvalid: Off, EntryForm: Off, ClusterNotListed: Off, UrlInvalid: Off}}\n")
    assert run("--config", path, tree / "apps").exit_code == 0
    assert run(tree / "apps").exit_code == 1


@pytest.mark.parametrize("words", [["-"], ["--fix", "-"], ["--output=json", "-"], ["--fix", "--output=json", "-"]])
def test_no_password_is_in_what_is_reported(words: list[str]) -> None:
    url = f"http://user:{SECRET}^/@proxy:1"
    text = WEB.replace("proxy.corp.example:3128", url).replace("10.0.0.0/8", f"u:{SECRET}@h")
    config = CONFIG.replace("http://proxy.corp.example:3128", url)
    answer = run(*words, stdin=f"{text}---\n{config}")
    reported = "\n".join(answer.reported) + ("" if "--fix" in words else answer.output.decode())
    assert "NP0" in reported
    assert SECRET not in reported


# wrong usage


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param([], "a list, a path or `-` must be named", id="nothing"),
        pytest.param(["--fx", "a"], 'unknown option "--fx"', id="an unknown option"),
        pytest.param(
            ["--consumer=none", "a"], '`--consumer` must be one of node, pod, go, not "none"', id="no consumer"
        ),
        pytest.param(["--output"], "`--output` must be one of text, json", id="an option without a value"),
        pytest.param(["--config"], "`--config` must name a file", id="a config without a path"),
        pytest.param(["--config=nowhere.yaml", "a"], 'no file "nowhere.yaml"', id="no config"),
        pytest.param(["nowhere.yaml"], 'no file or folder "nowhere.yaml"', id="a file that is not there"),
        pytest.param(["clustres/"], 'no file or folder "clustres/"', id="a misspelt folder"),
        pytest.param(["clustres/prod"], 'no file or folder "clustres/prod"', id="a misspelt folder in a folder"),
        pytest.param(["prod"], 'no file or folder "prod"; for a list of this one name', id="a misspelt name"),
        pytest.param(["--fix", "prod_eu-1"], 'no file or folder "prod_eu-1"', id="a misspelt name to be fixed"),
        pytest.param(["./nowhere"], 'no file or folder "./nowhere"', id="a folder that is not there"),
        pytest.param(["a", "b"], 'no file or folder "a"', id="two lists"),
        pytest.param(["-", "a"], "`-` must be the only argument", id="standard input and more"),
    ],
)
def test_wrong_usage_says_what_is_right(words: list[str], says: str) -> None:
    with pytest.raises(UsageError) as raised:
        run(*words)
    assert says in str(raised.value)


@pytest.mark.parametrize("stdin", ["", "# nothing\n", "a: b\n"], ids=["nothing", "a comment", "no manifest"])
@pytest.mark.parametrize("options", [[], ["--fix"]], ids=["judged", "fixed"])
def test_a_stream_without_a_manifest_is_wrong_usage_as_it_is_for_run(stdin: str, options: list[str]) -> None:
    with pytest.raises(UsageError, match="standard input holds no manifest: it must be YAML or JSON"):
        run(*options, "-", stdin=stdin)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        pytest.param(CLUSTER, UsageError, id="none"),
        pytest.param(f"{CONFIG}---\n{CONFIG}", UsageError, id="two"),
        pytest.param(CONFIG + "  mode: X\n", ConfigError, id="a wrong one"),
        pytest.param("kind: ProxyConfig\n\tx", InputError, id="no YAML"),
    ],
)
def test_the_file_of_a_config_must_hold_one_that_is_right(text: str, error: type[Exception], tmp_path: Path) -> None:
    path = tmp_path / "proxy.yaml"
    path.write_text(text)
    with pytest.raises(error):
        run("--config", path, "a")


# the command


def test_the_command_prints_and_exits(tree: Path) -> None:
    done = inject_proxy("", "lint", str(tree))
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == lines(run(tree))
    assert done.stderr.decode().startswith("inject-proxy lint: 5 files read")
    assert inject_proxy("", "lint", "--fix", "a;b").stdout == b"a,b,localhost,127.0.0.1\n"
    assert inject_proxy(WEB, "lint", "--fix", "-").stdout.startswith(GOOD.encode())
    assert inject_proxy("", "lint").returncode == 2


def test_the_help_names_every_option() -> None:
    done = inject_proxy("", "lint", "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert all(
        option in text for option in ("--fix", "--consumer", "--config", "--output", "TEXT", "PATH", "exit codes")
    )
    assert max(map(len, text.splitlines())) <= 120


# reading and writing files


def test_folders_are_walked_in_order_and_no_file_is_read_twice(tree: Path) -> None:
    (tree / "round").symlink_to(tree)
    again = [str(tree), str(tree / "apps" / "web.yml"), str(tree / "apps" / ".." / "apps")]
    found = [str(Path(name).relative_to(tree)) for name in files.find_files(again).names]
    assert found == ["apps/proxy.json", "apps/web.yml", "chart/templates/x.yaml", "clusters/prod.yaml", "proxy.yaml"]


def test_a_file_that_is_named_is_read_whatever_it_is_called(tree: Path) -> None:
    path = tree / "apps/notes.md"
    assert files.find_files([str(path)]).names == [str(path)]
    assert files.find_files([str(tree / ".git")]).names == [str(tree / ".git/web.yaml")]


def test_a_path_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match='there is no file or folder "nowhere"'):
        files.find_files(["nowhere"])


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Any:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.yaml").write_text("x")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UsageError, match=r'a\.yaml" cannot be read: Permission denied: let this user read it$'):
        files.read_file(str(tmp_path / "a.yaml"))
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        files.find_files([str(tmp_path)])


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    good, gone = tmp_path / "a.yaml", tmp_path / "gone" / "b.yaml"
    good.write_text("old")
    with pytest.raises(OutputError, match=r'b\.yaml" cannot be written: .*; nothing was written'):
        writing.write_files({str(good): b"new", str(gone): b"new"}, {str(good): b"old", str(gone): b"old"})
    assert contents(tmp_path) == {"a.yaml": b"old"}


def test_a_disk_that_fails_in_between_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(tmp_path / name) for name in ("a", "b")]
    for name in names:
        Path(name).write_text("old")
    replace = Path.replace

    def fail_at_b(self: Path, target: Any) -> Any:
        if Path(target).name == "b":
            raise OSError(5, os.strerror(5))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail_at_b)
    with pytest.raises(OutputError, match=r'b" cannot be written: .*; nothing was written'):
        writing.write_files(dict.fromkeys(names, b"new"), dict.fromkeys(names, b"old"))
    assert contents(tmp_path) == {"a": b"old", "b": b"old"}


# nothing to judge


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({}, id="an empty folder"),
        pytest.param({"notes.txt": WEB}, id="no file with an ending of a manifest"),
        pytest.param({"values.yaml": "a: b\n"}, id="no object"),
    ],
)
def test_a_path_without_a_manifest_is_a_warning(tmp_path: Path, files: dict[str, str]) -> None:
    folder = str(written(tmp_path, files))
    answer = run(folder)
    (line,) = lines(answer)
    assert line.startswith(f"[warning] {folder}: NoManifest: holds no manifest, so there was nothing to check")
    assert (answer.exit_code, run("--fail-on", "warning", folder).exit_code) == (0, 1)
    (reported,) = json.loads(run("--output", "json", folder).output)
    assert reported["file"]["path"] == folder


NO_YAML = "a: b: c\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NO_YAML, id="nothing of an object"),
        pytest.param("apiVersion: v1\nkind: ConfigMap\ndata: {a: b\n", id="an object that no target needs"),
        pytest.param(WEB + "  x: [\n", id="an object that says something about a proxy"),
    ],
)
def test_a_path_whose_only_file_cannot_be_read_is_the_error_that_a_run_reports(tmp_path: Path, text: str) -> None:
    folder = written(tmp_path, {"a/broken.yaml": text, "b/web.yaml": GOOD, "proxy.yaml": CONFIG})
    answer = run(folder / "a", folder / "b")
    (line,) = [line for line in lines(answer) if "broken.yaml" in line]
    done = inject_proxy("", "run", "--config", str(folder / "proxy.yaml"), str(folder / "a"))
    (problem,) = done.stderr.decode().splitlines()
    place = f"{folder}/a/broken.yaml"
    expected = problem.replace(f"InputInvalid: {place}, ", f"{place}: InputInvalid: a run ends here: ")
    assert f"{line}; `--exclude` leaves a file out" == expected
    assert " at line " in line
    assert answer.exit_code == 1


@pytest.mark.parametrize(
    "command", [["lint"], ["run", "--config", "proxy.yaml"], ["explain", "--config", "proxy.yaml"]]
)
def test_a_stream_that_is_no_yaml_is_not_called_without_a_manifest(command: list[str], tmp_path: Path) -> None:
    written(tmp_path, {"proxy.yaml": CONFIG})
    done = inject_proxy(NO_YAML, *command, "-", cwd=tmp_path)
    assert "document 1: not valid YAML: mapping values are not allowed in this context at line 1" in (
        (done.stdout + done.stderr).decode()
    )
    assert done.returncode == 1


def test_an_empty_resource_list_is_no_mistake() -> None:
    answer = run("-", stdin="apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n")
    assert (lines(answer), answer.exit_code) == ([], 0)


def with_password(kind: str, proxy: str = f"http://user:{SECRET}@proxy.corp.example:3128") -> str:
    if kind == "config":
        return CONFIG.replace("http://proxy.corp.example:3128", proxy) + f"  httpsProxy: {proxy}\n"
    return GOOD.replace("http://proxy.corp.example:3128", proxy)


OTHER_PASSWORD = f"http://user:other{SECRET}@proxy.corp.example:3128"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {"a.yaml": with_password("web"), "b.yaml": with_password("web"), "proxy.yaml": with_password("config")},
            ["proxy.yaml: (and 2 more objects, `--verbose` names them)"],
            id="the ProxyConfig is the cause",
        ),
        pytest.param(
            {"a.yaml": with_password("web"), "b.yaml": with_password("web").replace("web", "api")},
            ["a.yaml: (and 1 more object, `--verbose` names them)"],
            id="no ProxyConfig",
        ),
        pytest.param({"a.yaml": with_password("web")}, ["a.yaml:"], id="one object"),
        pytest.param(
            {"a.yaml": with_password("web"), "b.yaml": with_password("web", OTHER_PASSWORD)},
            ["a.yaml:", "b.yaml:"],
            id="two passwords",
        ),
    ],
)
def test_one_password_in_clear_text_is_one_line(
    tmp_path: Path, files: dict[str, str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(written(tmp_path, files))
    reported = [line for line in lines(run(".")) if "PasswordInClearText" in line]
    number = [f"{line.split()[1]}: {line[line.find('(and') :] if '(and' in line else ''}".strip() for line in reported]
    assert number == expected
    verbose = [line for line in lines(run("--verbose", ".")) if "PasswordInClearText" in line]
    places = [entry for entry in json.loads(run("--output", "json", ".").output) if entry["tags"]["rule"] == "PasswordInClearText"]
    assert len(verbose) == len(places) == len(files) + ("proxy.yaml" in files)
    assert SECRET not in "".join([*reported, *verbose])


def test_only_the_path_without_a_manifest_is_reported(tmp_path: Path) -> None:
    folder = written(tmp_path, {"a/web.yaml": GOOD, "b/notes.txt": ""})
    reported = [line for line in lines(run(str(folder / "a"), str(folder / "b"))) if "holds no manifest" in line]
    assert [line.partition(": ")[0] for line in reported] == [f"[warning] {folder / 'b'}"]


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--fail-on", "warning"], 1), (["--fail-on=error"], 0)])
def test_warnings_fail_where_that_is_asked_for(words: list[str], code: int) -> None:
    assert run(*words, "localhost,127.0.0.1,*.a.example").exit_code == code
