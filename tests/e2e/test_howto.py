"""What docs/howto says about kustomize is what the real kustomize does."""

from __future__ import annotations

from pathlib import Path

from support import ROOT, example, in_a_process, need, run

FLAGS = ("--enable-alpha-plugins", "--enable-exec")
PROXY = b"http://proxy.acme.example:3128"


def build(folder: Path, *flags: str) -> tuple[int, bytes, str]:
    """Return exit code, output and errors of a build."""
    done = run([need("kustomize"), "build", *flags, "."], cwd=folder)
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_skipped_function_gives_no_message_and_the_check_of_the_build_finds_it(tmp_path: Path) -> None:
    folder = example("kustomize-exec", tmp_path)
    code, skipped, errors = build(folder, "--enable-alpha-plugins")
    assert (code, errors) == (0, "")
    assert PROXY not in skipped

    _, built, _ = build(folder, *FLAGS)
    assert PROXY in built
    check = ("run", "--check", "--config", str(folder / "proxy.yaml"), "-")
    assert [in_a_process(text, *check).returncode for text in (skipped, built)] == [1, 0]


def test_each_overlay_patches_the_config_of_its_base(tmp_path: Path) -> None:
    files = {
        "proxy/base/kustomization.yaml": "resources: [proxy.yaml]\n",
        "proxy/eu/kustomization.yaml": "resources: [../base]\npatches: [{path: eu.yaml}]\n",
        "proxy/eu/eu.yaml": (
            "apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\nmetadata: {name: corporate-proxy}\n"
            "spec: {httpProxy: 'http://eu.acme.example:1'}\n"
        ),
        "clusters/eu/kustomization.yaml": "resources: [cp.yaml]\ntransformers: [../../proxy/eu]\n",
        "component/kustomization.yaml": (
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ntransformers: [../proxy/eu]\n"
        ),
        "clusters/us/kustomization.yaml": "resources: [cp.yaml]\ncomponents: [../../component]\n",
    }
    source = ROOT / "examples"
    files["proxy/base/proxy.yaml"] = (source / "kustomize-exec" / "proxy.yaml").read_text()
    for region in ("eu", "us"):
        path = source / "config-repo" / "clusters" / "prod-1" / "control-plane.yaml"
        files[f"clusters/{region}/cp.yaml"] = path.read_text()
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for region in ("eu", "us"):
        code, built, errors = build(tmp_path / "clusters" / region, *FLAGS)
        assert code == 0, errors
        assert b'Environment="HTTP_PROXY=http://eu.acme.example:1"' in built
        assert b'Environment="HTTPS_PROXY=http://proxy.acme.example:3128"' in built
