"""What a run over a small list loads: importing modules takes most of the time of such a run."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from contract_lists import BAD_CONFIG, CONFIG, CONFIG_MAP, SETTINGS, WORKERS, resource_list
from support import TIME_LIMIT

RUN = """\
import json, sys
before = {*sys.modules}
from krm_fn.cli import main
code = main([])
print(json.dumps([code, sorted({*sys.modules} - before)]), file=sys.stderr)
"""
"""Its last line on standard error: the exit code, and the modules that the run loaded."""

FOR_WRONG_CONFIGS = {"jsonschema", "referencing", "attr", "rpds"}
FOR_OTHER_INPUT = {"gzip", "hashlib", "traceback"}
NEVER = {"argparse", "asyncio", "email", "html", "http", "importlib.metadata", "logging", "socket", "unittest"}
OTHER_COMMANDS = {
    "krm_fn.cli.check_image",
    "krm_fn.cli.explain",
    "krm_fn.cli.export",
    "krm_fn.cli.import_",
    "krm_fn.cli.lint",
    "krm_fn.clients",
    "krm_fn.explain",
    "krm_fn.image_check",
    "krm_fn.lint.manifests",
}


def modules_of_a_run(text: str, code: int) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=text.encode(), capture_output=True, timeout=TIME_LIMIT, check=True
    )
    given_code, modules = json.loads(done.stderr.splitlines()[-1])
    assert given_code == code
    assert "krm_fn.pipeline" in modules
    return {*modules}


@pytest.mark.parametrize("config", [CONFIG, CONFIG_MAP], ids=["a ProxyConfig", "a ConfigMap"])
def test_a_run_with_a_right_config_loads_only_what_it_needs(config: str) -> None:
    loaded = modules_of_a_run(resource_list(WORKERS, SETTINGS, config=config), 0)
    assert loaded & (FOR_WRONG_CONFIGS | FOR_OTHER_INPUT | NEVER | OTHER_COMMANDS) == set()


def test_a_run_with_a_wrong_config_loads_jsonschema() -> None:
    assert "jsonschema" in modules_of_a_run(resource_list(WORKERS, config=BAD_CONFIG), 1)
