"""What of a proxy the inputs of an image build would leave in the image."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.image_check import Report, check
from krm_fn.krm.results import Severity

PROXY = "http://user:s3cr3t@proxy.corp.example:3128"
DROP_IN = f'[Service]\nEnvironment="HTTP_PROXY={PROXY}"\nEnvironment="NO_PROXY=localhost"\n'
TEMPLATE = """\
[Service]
{% if http_proxy is defined %}
Environment="HTTP_PROXY={{ http_proxy }}"
{% endif %}
"""
CONTAINERD = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
KUBELET = "/etc/systemd/system/kubelet.service.d/http-proxy.conf"
APT = f'Acquire::http::Proxy "{PROXY}";\n'
PLACE = """\
- name: Create containerd proxy conf
  ansible.builtin.template:
    dest: /etc/systemd/system/containerd.service.d/http-proxy.conf
    src: etc/systemd/system/containerd.service.d/http-proxy.conf
    mode: "0644"
  when: http_proxy is defined
"""
REMOVE = """\
- name: Remove what was only for the build
  file:
    path: "{{ item }}"
    state: absent
  loop:
    - /etc/environment
    - /etc/apt/apt.conf.d/90proxy
    - /etc/systemd/system/containerd.service.d
"""
OVERRIDE = f"""\
proxy_env:
  HTTP_PROXY: "{PROXY}"
http_proxy: "{PROXY}"
"""


def looked(**files: str | bytes | None) -> Report:
    return check({name: text.encode() if isinstance(text, str) else text for name, text in files.items()})


def of(name: str, text: str) -> Report:
    return looked(**{name: text})


def errors(report: Report) -> list[tuple[int, str]]:
    return [(one.line, one.message) for one in report.notes if one.severity is Severity.ERROR]


def tasks(module: str, **arguments: Any) -> str:
    lines = "".join(f"    {name}: {value}\n" for name, value in arguments.items())
    return f"- name: a task\n  {module}:\n{lines}"


# What is not left in an image.


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("override.yaml", OVERRIDE, id="overrides of a builder"),
        pytest.param("vars.json", f'{{"http_proxy": "{PROXY}", "no_proxy": "x"}}', id="variables of Packer"),
        pytest.param("Dockerfile", f"FROM a\nARG HTTP_PROXY={PROXY}\nRUN make\n", id="an ARG"),
        pytest.param("Dockerfile", f"FROM a\nENV HTTP_PROXY={PROXY}\nENV HTTP_PROXY=\n", id="an ENV that is emptied"),
        pytest.param("Dockerfile", f"FROM a AS b\nENV HTTP_PROXY={PROXY}\nFROM c\nCOPY --from=b /x /x\n", id="a stage"),
        pytest.param("Dockerfile", f"FROM a\nRUN http_proxy={PROXY} make\n", id="the environment of a command"),
        pytest.param("Dockerfile", f"FROM a\n# ENV HTTP_PROXY={PROXY}\n", id="a comment of a Dockerfile"),
        pytest.param("build.sh", f"export http_proxy={PROXY}\nmake\n", id="the environment of a script"),
        pytest.param("build.sh", f"# echo http_proxy={PROXY} >> /etc/environment\n", id="a comment of a script"),
        pytest.param("build.sh", f"echo http_proxy={PROXY} > /tmp/environment\n", id="a file that no program reads"),
        pytest.param("build.sh", "echo LANG=C >> /etc/environment\n", id="another variable"),
        pytest.param(
            "build.sh", f"echo no_proxy=x > {KUBELET}; x; rm -f {KUBELET} y\n", id="what goes in the same line"
        ),
        pytest.param("build.sh", "export http_proxy=x; echo LANG=C > /etc/environment\n", id="an export before"),
        pytest.param("build.sh", "x && no_proxy=x locale-gen > /etc/environment\n", id="the environment of a writer"),
        pytest.param(
            "etc/environment", "LANG=C\n#http_proxy=x\nhttps_proxy=\nno_proxy=''\n", id="nothing but a comment"
        ),
        pytest.param("etc/apt/apt.conf.d/50x", 'Acquire::http::Proxy "DIRECT";\n', id="apt without a proxy"),
        pytest.param("etc/yum.conf", "proxy=_none_\nproxy_username=x\n", id="yum without a proxy"),
        pytest.param("etc/systemd/system/a.service", "[Service]\nEnvironment=HTTP_PROXY=\n", id="an empty assignment"),
        pytest.param("etc/systemd/system/a.service", f"[Unit]\nEnvironment=HTTP_PROXY={PROXY}\n", id="another section"),
        pytest.param("tasks.yaml", f"- apt: {{name: x}}\n  environment: {{http_proxy: '{PROXY}'}}\n", id="of a task"),
        pytest.param(
            "tasks.yaml", tasks("copy", dest="/etc/environment", content="LANG=C"), id="a copy of another kind"
        ),
        pytest.param(
            "tasks.yaml", tasks("copy", dest="/srv/x", content=f"http_proxy={PROXY}"), id="a place of no kind"
        ),
        pytest.param(
            "tasks.yaml",
            tasks("lineinfile", path="/etc/environment", line=f"http_proxy={PROXY}", state="absent"),
            id="a line that is taken out",
        ),
        pytest.param("user-data", "#cloud-config\npackages: [x]\n", id="user data without a proxy"),
    ],
)
def test_nothing_is_left(name: str, text: str) -> None:
    report = of(name, text)
    assert [one for one in report.notes if one.severity is not Severity.INFO] == []
    assert report.kinds[name]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"tasks/x.yaml": PLACE + REMOVE}, id="of the same tasks, by its folder"),
        pytest.param({"tasks/x.yaml": PLACE, "sysprep/tasks/y.yaml": REMOVE}, id="of other tasks"),
        pytest.param({"tasks/x.yaml": PLACE, "clean.sh": f"rm -rf {CONTAINERD}\n"}, id="of a script"),
        pytest.param({"tasks/x.yaml": PLACE, "override.yaml": OVERRIDE}, id="of the sysprep, for what is defined"),
    ],
)
def test_what_is_removed_again_is_reported_and_no_more(files: dict[str, str]) -> None:
    report = looked(**files, **{f"templates{CONTAINERD}": TEMPLATE})
    notes = [one for one in report.notes if "`HTTP_PROXY`" in one.message]
    assert [(one.severity, one.file, one.line) for one in notes] == [(Severity.INFO, "tasks/x.yaml", 3)]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("cluster.yaml", b"apiVersion: v1\nkind: Secret\nstringData: {http_proxy: x}\n", id="an object"),
        pytest.param("chart.yaml", b"a: {{ .Values.x }}\n{{- if }}\n", id="a template that is no YAML"),
        pytest.param("image.tar", b"\0HTTP_PROXY=x", id="no text"),
        pytest.param("x.sh", b"\xff", id="no UTF-8"),
        pytest.param("huge.sh", None, id="a file that is too long"),
        pytest.param("dockerfile.py", b"ENV HTTP_PROXY=x", id="a program about Dockerfiles"),
        pytest.param("README.md", b"ENV HTTP_PROXY=x", id="prose"),
        pytest.param("empty.yaml", b"", id="nothing"),
    ],
)
def test_what_is_not_known_is_not_called_clean(name: str, data: bytes | None) -> None:
    assert looked(**{name: data}) == Report((), {name: ""})


# What is left.


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        pytest.param(f"files{KUBELET}", DROP_IN, 2, f"`HTTP_PROXY`, `NO_PROXY` in `{KUBELET}`", id="a drop-in"),
        pytest.param(f"t{KUBELET}.j2", TEMPLATE, 3, f"`HTTP_PROXY` in `{KUBELET}`", id="the template of a drop-in"),
        pytest.param("/img/etc/environment", f"A=b\nhttp_proxy={PROXY}\n", 2, "`/etc/environment`", id="environment"),
        pytest.param("t/etc/konvoy_http_proxy.conf", "NO_PROXY=x", 1, "`NO_PROXY`", id="what older Konvoy reads"),
        pytest.param("etc/profile.d/p.sh", f"  export https_proxy='{PROXY}'\n", 1, "`https_proxy`", id="a profile"),
        pytest.param("etc/apt/apt.conf.d/80p", f"\n{APT}", 2, "`Acquire::http::Proxy`", id="apt"),
        pytest.param("repos/site.repo", f"[a]\nproxy = {PROXY}\n", 2, "`site.repo`", id="a repository of yum"),
        pytest.param("etc/docker/daemon.json", '{"proxies": {"http-proxy": "x"}}', 1, "`http-proxy`", id="docker"),
        pytest.param(
            "etc/systemd/system.conf.d/p.conf",
            f'[Manager]\nDefaultEnvironment="LANG=C" "HTTP_PROXY={PROXY}"\n',
            2,
            "`HTTP_PROXY`",
            id="the manager of systemd",
        ),
        pytest.param("Dockerfile", f"FROM a\nENV A=b \\\n  http_proxy={PROXY}\n", 2, "`http_proxy` by `ENV`", id="ENV"),
        pytest.param(
            "x.dockerfile", "FROM a\nENV NO_PROXY x,y\n", 2, "`NO_PROXY` by `ENV`", id="the older form of ENV"
        ),
        pytest.param("Dockerfile", "FROM a AS b\nENV ALL_PROXY=x\nFROM b\n", 2, "`ALL_PROXY`", id="a stage below"),
        pytest.param(
            "Dockerfile", "FROM x AS Base\nENV ALL_PROXY=x\nFROM base\n", 2, "`ALL_PROXY`", id="a stage in another case"
        ),
        pytest.param(
            "Dockerfile",
            "FROM a\nRUN x && \\\n  echo 'http_proxy=x' >> /etc/environment\n",
            2,
            "`http_proxy`",
            id="RUN",
        ),
        pytest.param(
            "build.sh",
            f"cat <<'EOF' | tee /etc/environment\nA=b\nhttp_proxy={PROXY}\nEOF\n",
            1,
            "`http_proxy`",
            id="tee",
        ),
        pytest.param("build.sh", "tee /etc/environment <<< 'no_proxy=x'\nexit\n", 1, "`no_proxy`", id="a here-string"),
        pytest.param("build.sh", f"cat > {KUBELET} <<-EOF\n{DROP_IN}EOF\n", 1, "`HTTP_PROXY`", id="a here-document"),
        pytest.param("build", f"#!/bin/sh\nsnap set system proxy.http={PROXY}\n", 2, "`snap set system", id="snap"),
        pytest.param("a.pkr.hcl", 'inline = ["echo http_proxy=x >> /etc/environment"]\n', 1, "`http_proxy`", id="HCL"),
        pytest.param(
            "packer.json",
            '{"builders": [],\n "provisioners": [{"inline":\n ["echo no_proxy=x > /etc/environment"]}]}',
            3,
            "`no_proxy`",
            id="Packer",
        ),
        pytest.param(
            "tasks.yaml",
            tasks(
                "copy", dest=KUBELET, content=f"|\n      {TEMPLATE.splitlines()[0]}\n      {DROP_IN.splitlines()[1]}"
            ),
            3,
            KUBELET,
            id="copy",
        ),
        pytest.param(
            "tasks.yaml",
            tasks("lineinfile", path="/etc/environment", line="http_proxy={{ p }}"),
            3,
            "`http_proxy`",
            id="line",
        ),
        pytest.param(
            "tasks.yaml", "- lineinfile: path=/etc/environment line='http_proxy=x'\n", 1, "`http_proxy`", id="one line"
        ),
        pytest.param(
            "tasks.yaml",
            tasks("blockinfile", path=KUBELET, block='Environment="HTTP_PROXY=x"'),
            3,
            "`HTTP_PROXY`",
            id="a block of a section",
        ),
        pytest.param(
            "tasks.yaml",
            tasks("community.general.ini_file", path="/etc/yum.conf", section="main", option="proxy", value="x"),
            3,
            "`proxy` in `/etc/yum.conf`",
            id="an option",
        ),
        pytest.param(
            "tasks.yaml",
            tasks("yum_repository", name="epel", proxy="'{{ p }}'"),
            4,
            "`/etc/yum.repos.d/epel.repo`",
            id="yum",
        ),
        pytest.param(
            "play.yaml",
            "- hosts: all\n  tasks:\n  - block:\n    - shell: |\n        a\n        echo no_proxy=x > /etc/profile\n",
            6,
            "`no_proxy`",
            id="a command in a block of a play",
        ),
        pytest.param(
            "tasks.yaml",
            "- copy: {dest: '{{ item.to }}', content: 'no_proxy=x'}\n  loop: [{to: /etc/environment}, {to: /tmp/x}]\n",
            1,
            "`no_proxy` in `/etc/environment`",
            id="an item of a loop",
        ),
        pytest.param(
            "user-data",
            f"#cloud-config\nwrite_files:\n- path: {CONTAINERD.replace('http-', 'my-')}\n  encoding: b64\n"
            f"  content: {base64.b64encode(DROP_IN.encode()).decode()}\n",
            3,
            "my-proxy.conf",
            id="a file of user data",
        ),
        pytest.param(
            "user-data", f"#cloud-config\napt:\n  http_proxy: {PROXY}\n", 3, "`apt.http_proxy`", id="apt of user data"
        ),
        pytest.param(
            "user-data", "#cloud-config\nyum_repos:\n  a:\n    proxy: x\n", 4, "a.repo", id="yum of user data"
        ),
        pytest.param(
            "x.yaml", f"autoinstall:\n  version: 1\n  proxy: {PROXY}\n", 3, "`proxy` in `/etc/apt", id="an autoinstall"
        ),
        pytest.param(
            "x.yaml",
            "#cloud-config\nruncmd:\n- [sh, -c, 'echo http_proxy=x > /etc/environment']\n",
            3,
            "`http_proxy`",
            id="a command of user data",
        ),
    ],
)
def test_what_is_left_is_an_error_with_its_line(name: str, text: str, line: int, words: str) -> None:
    report = of(name, text)
    ((where, message),) = errors(report)
    assert where == line
    assert words in message
    assert report.kinds[name]


def test_a_file_that_a_task_places_is_judged_there_and_once() -> None:
    report = looked(
        **{
            "role/tasks/main.yml": PLACE.replace("containerd", "crio"),
            "role/templates/etc/systemd/system/crio.service.d/http-proxy.conf": TEMPLATE,
        }
    )
    assert [(one.file, one.line) for one in report.notes] == [("role/tasks/main.yml", 3)]
    assert report.kinds["role/templates/etc/systemd/system/crio.service.d/http-proxy.conf"]


def test_a_file_that_a_task_places_somewhere_unknown_is_judged_by_its_own_path() -> None:
    task = PLACE.replace("dest: /etc/systemd/system/containerd.service.d", 'dest: "{{ folder }}"')
    report = looked(**{"role/tasks/main.yml": task, f"role/templates{CONTAINERD}": TEMPLATE})
    assert [one.file for one in report.notes] == [f"role/templates{CONTAINERD}"]


def test_a_comment_removes_nothing_and_begins_no_document() -> None:
    text = "# cat <<EOF\necho no_proxy=x > /etc/environment\n# rm /etc/environment\n"
    assert [line for line, _ in errors(of("build.sh", text))] == [2]


def test_what_goes_before_it_is_placed_is_not_removed() -> None:
    files = {f"files{KUBELET}": DROP_IN}
    place = tasks("copy", dest=KUBELET, src="http-proxy.conf")
    remove = tasks("file", path=KUBELET, state="absent")
    assert errors(looked(**files, **{"tasks.yml": place + remove})) == []
    assert [line for line, _ in errors(looked(**files, **{"tasks.yml": remove + place}))] == [7]


def test_a_file_that_is_copied_into_an_image_is_judged_by_its_place() -> None:
    report = looked(Dockerfile="FROM a\nCOPY build/proxy.txt /etc/apt/apt.conf.d/\n", **{"build/proxy.txt": APT})
    assert [(line, "proxy.txt`" in message) for line, message in errors(report)] == [(2, True)]
    assert report.kinds["build/proxy.txt"] == "file of the image"


def test_a_proxy_file_whose_text_is_not_there_is_a_warning() -> None:
    (note,) = looked(**{"tasks/x.yaml": PLACE}).notes
    assert (note.severity, note.line) == (Severity.WARNING, 3)
    assert "was not among the inputs" in note.message


def test_what_only_the_sysprep_of_a_builder_removes_is_a_warning() -> None:
    (note,) = looked(**{f"files{CONTAINERD}": DROP_IN}).notes
    assert note.severity is Severity.WARNING
    assert "only if `http_proxy` or `https_proxy` is defined" in note.message


def test_a_path_without_its_first_slash_removes_nothing() -> None:
    """As Konvoy Image Builder has it in ``roles/sysprep/tasks/debian.yml``."""
    sweep = tasks("file", path="etc/apt/apt.conf.d/90proxy", state="absent")
    files = {"override.yaml": OVERRIDE, "files/etc/apt/apt.conf.d/90proxy": APT}
    assert [line for line, _ in errors(looked(**files, **{"tasks.yml": sweep}))] == [1]
    assert errors(looked(**files, **{"tasks.yml": sweep.replace("etc", "/etc", 1)})) == []


def test_a_dockerfile_removes_nothing_of_another_image() -> None:
    files = {"Dockerfile": f"FROM a\nRUN rm {KUBELET}\n", f"files{KUBELET}": DROP_IN}
    assert [line for line, _ in errors(looked(**files))] == [2]


def test_no_sysprep_and_no_other_file_removes_what_a_dockerfile_writes() -> None:
    text = "FROM a\nRUN echo 'Acquire::http::Proxy \"x\";' > /etc/apt/apt.conf.d/90proxy\n"
    others = {"override.yaml": OVERRIDE, "tasks.yaml": REMOVE}
    assert [line for line, _ in errors(looked(Dockerfile=text, **others))] == [2]
    assert errors(looked(Dockerfile=text + "RUN make && rm -f /etc/apt/apt.conf.d/90proxy\n", **others)) == []


def test_the_drop_in_of_the_konvoy_image_builder_is_not_baked_in() -> None:
    """The document: "The settings are removed before the image is finalized"."""
    sweep = tasks("file", path=CONTAINERD, state="absent") + "  when: http_proxy is defined or https_proxy is defined\n"
    report = looked(
        **{
            "ansible/roles/containerd/tasks/main.yaml": PLACE,
            f"ansible/roles/containerd/templates{CONTAINERD}": TEMPLATE,
            "ansible/roles/sysprep/tasks/main.yml": sweep,
            "overrides/http-proxy.yaml": OVERRIDE,
        }
    )
    assert {one.severity for one in report.notes} == {Severity.INFO}
    assert all(report.kinds.values())


# No input is too strange.


@given(
    st.sampled_from(["Dockerfile", "x.sh", "x.yaml", "etc/environment", "a.service.d/b.conf", "user-data"]),
    st.lists(
        st.sampled_from(
            ["FROM a AS b\n", "ENV ", "RUN ", "COPY a /etc/\n", "http_proxy=x", " \\\n", "<<EOF\n", "EOF\n", "\n", "- ",
             "#cloud-config\n", "copy: ", "loop: ", "{{ item }}", "{dest: /etc/environment}", "write_files: ", "[", "]",
             "rm -f ", "> /etc/environment", "proxy_env: ", "&a ", "*a", "Environment=", "[Service]\n", "%", '"', "'"]
        ),
        max_size=12,
    ).map("".join),
)  # fmt: skip
def test_no_text_is_too_strange(name: str, text: str) -> None:
    report = of(name, text)
    assert all(0 < note.line <= text.count("\n") + 1 for note in report.notes)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("- shell: &a " + "a" * 9_000 + "\n" + "- shell: *a\n" * 200, id="aliases"),
        pytest.param(
            "- copy: {dest: /etc/environment, content: '" + "{{ item }}" * 500 + "'}\n"
            "  loop:\n" + f"  - {'a' * 100}\n" * 30,
            id="a loop",
        ),
    ],
)
def test_a_file_that_blows_up_is_not_called_clean(text: str) -> None:
    assert check({"a.yml": text.encode()}) == Report((), {"a.yml": ""})


def test_what_is_removed_before_it_is_written_stays() -> None:
    place = "/etc/environment"
    assert check({"a.sh": f"rm {place}; echo http_proxy=a > {place}".encode()}).notes
    assert not check({"a.sh": f"echo http_proxy=a > {place}; rm {place}".encode()}).notes


def test_a_here_string_counts_for_the_redirections_before_it() -> None:
    script = "cat > /etc/environment <<< http_proxy=a; cat > /etc/wgetrc <<< https_proxy=b"
    messages = [note.message.split(",")[0] for note in check({"a.sh": script.encode()}).notes]
    assert messages == [
        "sets `http_proxy`",
        "sets `http_proxy`",
    ]
