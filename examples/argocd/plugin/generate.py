"""What Argo CD runs in the folder of an Application, with the Python of the image, which holds no shell.

Standard output gets manifests and nothing else; standard error is shown in the UI when this fails.
"""

import os
import subprocess
import sys


def main() -> int:
    """Print what kustomize builds of the folder, with the proxy in it; return the exit code of what fails, or 0."""
    built = subprocess.run(["kustomize", "build", "."], stdout=subprocess.PIPE, check=False)
    if built.returncode:
        return built.returncode
    if not built.stdout.strip():  # an empty answer would make Argo CD remove everything
        print("kustomize built no manifest in this folder", file=sys.stderr)
        return 1
    command = [sys.executable, "-I", "-m", "krm_fn", "run", *options(), "-"]
    return subprocess.run(command, input=built.stdout, check=False).returncode


def options() -> list[str]:
    """Return the options of `inject-proxy run` that the sidecar and the Application ask for.

    An administrator who sets INJECT_PROXY_CONFIG in the sidecar decides; its password need not be in any repository
    then. PARAM_ONLY_0, PARAM_ONLY_1 ... are the items of the parameter `only`.
    """
    given = os.environ
    config = given.get("INJECT_PROXY_CONFIG") or given.get("PARAM_CONFIG") or "proxy.yaml"
    found = [f"--config={config}"]
    while f"PARAM_ONLY_{len(found) - 1}" in given:
        found.append(f"--only={given[f'PARAM_ONLY_{len(found) - 1}']}")
    return found


if __name__ == "__main__":
    sys.exit(main())
