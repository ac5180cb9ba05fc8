"""Write the SBOM of an image as CycloneDX 1.6, from what the image itself says of its packages.

Python packages are known by their METADATA, packages of Debian by the files that ``image/assemble.py`` leaves for
scanners, the interpreter by the configuration of its environment. Trivy and Grype look for nothing in packages of
Debian without a component for Debian itself, and Debian lists what is vulnerable by the names of source packages.
Format: https://cyclonedx.org/docs/1.6/json/, names of packages: https://github.com/package-url/purl-spec.
"""

from __future__ import annotations

import datetime
import email
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

NAME = "inject-proxy"


def components(files: Mapping[str, bytes], architecture: str) -> Iterator[dict[str, Any]]:
    """Yield the packages that files of an image describe, by their paths."""
    system = release_of(files.get("usr/lib/os-release") or files.get("etc/os-release") or b"")
    if "ID" in system and "VERSION_ID" in system:
        yield operating_system(system["ID"], system["VERSION_ID"])
    for path, content in sorted(files.items()):
        if path.endswith("/METADATA"):
            package = python_package(content)
            if package["name"] != NAME:
                yield package
        elif path.endswith("/pyvenv.cfg"):
            version = re.search(rb"(?m)^version = (\S+)", content)
            if version:
                yield interpreter(version[1].decode())
        elif path.startswith("var/lib/dpkg/"):
            yield debian_package(content, system, architecture)


def interpreter(version: str) -> dict[str, Any]:
    """Return the component of the interpreter, which no package manager knows: scanners find it by its CPE."""
    made = component("python", version, f"pkg:generic/python@{version}")
    made["cpe"] = f"cpe:2.3:a:python:python:{version}:*:*:*:*:*:*:*"
    return made


def python_package(content: bytes) -> dict[str, Any]:
    """Return the component that a METADATA describes."""
    about = email.message_from_bytes(content)
    name = re.sub(r"[-_.]+", "-", about["Name"]).lower()
    made = component(name, about["Version"], f"pkg:pypi/{name}@{quote(about['Version'])}")
    if about["License-Expression"]:
        made["licenses"] = [{"expression": about["License-Expression"]}]
    elif about["License"]:
        made["licenses"] = [{"license": {"name": about["License"].splitlines()[0]}}]
    return made


def debian_package(content: bytes, system: Mapping[str, str], architecture: str) -> dict[str, Any]:
    """Return the component that a status of dpkg describes."""
    about = email.message_from_bytes(content)
    vendor = system.get("ID", "debian")
    source = (about["Source"] or about["Package"]).partition(" ")[0]
    qualifiers = f"arch={about['Architecture'] or architecture}"
    if "VERSION_ID" in system:
        qualifiers += f"&distro={vendor}-{system['VERSION_ID']}"
    if source != about["Package"]:
        qualifiers += f"&upstream={quote(source)}"  # where Grype looks
    purl = f"pkg:deb/{vendor}/{quote(about['Package'])}@{quote(about['Version'], safe='')}?{qualifiers}"
    made = component(about["Package"], about["Version"], purl)
    made["properties"] = [{"name": "aquasecurity:trivy:SrcName", "value": source}]
    return made


def operating_system(name: str, version: str) -> dict[str, Any]:
    """Return the component of the system whose packages are listed."""
    ref = f"{name}-{version}"
    return {"type": "operating-system", "bom-ref": ref, "name": name, "version": version}


def component(name: str, version: str, purl: str) -> dict[str, Any]:
    """Return a component, which its purl names in all places."""
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def release_of(content: bytes) -> dict[str, str]:
    """Return the fields of an os-release."""
    return {
        name: value.strip("\"'")
        for name, value in re.findall(r"(?m)^(\w+)=(.*)$", content.decode())
    }


def document(
    version: str, description: str, found: Iterable[dict[str, Any]], time: datetime.datetime
) -> str:
    """Return the SBOM; the same packages and time give the same text."""
    each = {one["bom-ref"]: one for one in found}
    purl = f"pkg:pypi/{NAME}@{version}"
    own = {
        **component(NAME, version, purl),
        "type": "application",
        "description": description,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    listed = [each[ref] for ref in sorted(each)]
    data = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, purl + json.dumps(listed))}",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": own},
        "components": listed,
        "dependencies": [{"ref": purl, "dependsOn": sorted(each)}],
    }
    return json.dumps(data, indent=2) + "\n"
