"""Runs curl, wget or apt where nothing but loopback exists, and tells which URLs came to the proxy.

No packet leaves the machine. It must be started by `unshare --map-root-user --net --mount`, and
refuses before it touches anything where it was not. It brings up `lo` and takes away every way to a name server that is
not the network (nscd, systemd-resolved).

argv: curl, wget or apt-helper, as a path; then the network and the mount namespace of the caller, as
`/proc/self/ns/net` and `/proc/self/ns/mnt` name them. stdin: [{"no_proxy": "...", "urls": [...]}, ...];
stdout: [[true, ...], ...], true = direct: the proxy did not see the request.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
SECONDS = 20
APT_CONFIGURATION = """Dir::Etc::main "/dev/null"; Dir::Etc::parts "/dev/null";
APT::Sandbox::User "root"; Acquire::Retries "0"; Acquire::http::Timeout "5";"""


class Proxy(ThreadingHTTPServer):
    """Notes which paths it is asked for, and sends nothing on."""

    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: set[str] = set()


class Handler(BaseHTTPRequestHandler):
    """Answers a request for ``http://host/<mark>`` with nothing, and success."""

    server: Proxy

    def do_GET(self) -> None:
        self.server.seen.add(self.path.rpartition("/")[2])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")  # wget would use the connection again, and lose the next request
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name the standard library gave it
        pass


def main() -> None:
    """Answer the questions on stdin."""
    tool, scratch = sys.argv[1], Path(tempfile.mkdtemp())
    refuse_to_run_in(*sys.argv[2:4])
    cut_off(scratch)
    (scratch / "apt.conf").write_text(APT_CONFIGURATION)
    proxy = Proxy()
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    env = {
        "http_proxy": f"http://127.0.0.1:{proxy.server_address[1]}",
        "APT_CONFIG": str(scratch / "apt.conf"),
        "HOME": str(scratch),
        "LC_ALL": "C.UTF-8",
    }
    questions = json.load(sys.stdin)
    marks = [[f"{number}-{index}" for index in range(len(q["urls"]))] for number, q in enumerate(questions)]

    def ask(question: dict[str, Any], own_marks: list[str]) -> None:
        urls = [url + mark for url, mark in zip(question["urls"], own_marks, strict=True)]
        for argv in commands(tool, urls, scratch):
            # That a client fails where it went direct is as it should be.
            subprocess.run(
                argv, env={**env, "no_proxy": question["no_proxy"]}, capture_output=True, timeout=SECONDS, check=False
            )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, questions, marks))
    print(json.dumps([[mark not in proxy.seen for mark in own] for own in marks]))  # noqa: T201 -- it is a program


def commands(tool: str, urls: list[str], scratch: Path) -> list[list[str]]:
    """What to run so that the client asks for each of ``urls`` once, and reads no file of this machine."""
    if tool.endswith("apt-helper"):
        return [[tool, "download-file", url, str(scratch / url.rpartition("/")[2])] for url in urls]
    options = {
        "curl": ["-q", "--silent", "--globoff", "--max-time", "5"],
        "wget": ["--no-config", "--no-hsts", "-q", "--tries=1", "--timeout=5", "--output-document=/dev/null"],
    }
    return [[tool, *options[Path(tool).name], *urls]]


def refuse_to_run_in(network: str, mounts: str) -> None:
    """End the program unless both namespaces are others than these, and loopback is the only interface."""
    shared = {network, mounts} & {str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in ("net", "mnt")}
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if shared or others:
        sys.exit("own_network: refuses to run outside of `unshare --map-root-user --net --mount`")


def cut_off(scratch: Path) -> None:
    """Bring up loopback, and leave nothing else to ask."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = fcntl.ioctl(control, SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0))
        flags = struct.unpack("16sh14x", request)[1] | IFF_UP
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags))
    names = scratch / "nsswitch.conf"
    names.write_text("passwd: files\ngroup: files\nhosts: files\n")
    for mount in (["-t", "tmpfs", "none", "/run"], ["--bind", str(names), "/etc/nsswitch.conf"]):
        subprocess.run(["mount", *mount], check=True)


if __name__ == "__main__":
    main()
