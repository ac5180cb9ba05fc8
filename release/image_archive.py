"""Write an image that an engine saved as an OCI archive whose bytes depend on its files alone.

Every builder writes its own time, its own order of files and its own history into an image. Here each
layer is written again: sorted, with one time. So the digest is the same with Docker, BuildKit and podman.

Formats: https://github.com/opencontainers/image-spec (layout, index, manifest, config). Beside them is the
`manifest.json` of `docker save`, so that `docker load` and `podman load` take the archive, too.
"""

from __future__ import annotations

import datetime
import gzip
import hashlib
import io
import json
import re
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

OCI = "application/vnd.oci.image"
READ = re.compile(
    r"var/lib/dpkg/status\.d/[^/]+|etc/os-release|usr/lib/os-release|.*\.dist-info/METADATA|.*/pyvenv\.cfg"
)
"""The files that say what is in an image."""


class Image(NamedTuple):
    """An image for one platform."""

    config: dict[str, Any]
    layers: list[bytes]
    files: dict[str, bytes]
    """By their path, those that say which packages it holds."""

    @property
    def architecture(self) -> str:
        """The architecture, as Go and Debian name it."""
        return str(self.config["architecture"])

    @classmethod
    def read(cls, saved: Path, epoch: int) -> Image:
        """Read the one image of an archive of `docker save`, and give all of it the time ``epoch``."""
        with tarfile.open(saved) as archive:
            (entry,) = json.loads(member(archive, "manifest.json"))
            found: dict[str, bytes] = {}
            layers = [normal_layer(member(archive, name), epoch, found) for name in entry["Layers"]]
            config = normal_config(json.loads(member(archive, entry["Config"])), layers, epoch)
        return cls(config, layers, found)


def member(archive: tarfile.TarFile, name: str) -> bytes:
    """Return the content of a file of an archive; raises KeyError where it is missing."""
    file = archive.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file.read()


def normal_layer(layer: bytes, epoch: int, found: dict[str, bytes]) -> bytes:
    """Return a layer with its files sorted and of one time; add those that match ``READ`` to ``found``."""
    written = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(layer)) as old,
        tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        # A hard link comes after the file that it names.
        for entry in sorted(old.getmembers(), key=lambda one: (one.islnk(), clean(one.name))):
            if not clean(entry.name):
                continue
            copy = tarfile.TarInfo(clean(entry.name))
            copy.type, copy.mode, copy.uid, copy.gid = entry.type, entry.mode, entry.uid, entry.gid
            copy.linkname, copy.mtime = entry.linkname, epoch
            content = b""
            if entry.isreg():
                content = member_of(old, entry)
                copy.size = len(content)
            if READ.fullmatch(copy.name):
                found[copy.name] = content
            new.addfile(copy, io.BytesIO(content))
    return written.getvalue()


def clean(name: str) -> str:
    """Return the name of an entry without what builders write around it; empty for the root folder."""
    trimmed = name.removeprefix("./").strip("/")
    return "" if trimmed == "." else trimmed


def member_of(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    """Return the content of an entry that is a file."""
    file = archive.extractfile(entry)
    return b"" if file is None else file.read()


def normal_config(config: dict[str, Any], layers: Sequence[bytes], epoch: int) -> dict[str, Any]:
    """Return what a run of the image needs of its configuration, with one time and these layers."""
    kept = ("User", "Env", "Entrypoint", "Cmd", "WorkingDir", "Labels")
    given = config.get("config", {})
    platform = {
        name: config[name] for name in ("architecture", "os", "variant") if config.get(name)
    }
    return {
        **platform,
        "created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        ),
        "config": {name: given[name] for name in kept if given.get(name)},
        "rootfs": {"type": "layers", "diff_ids": [digest_of(layer) for layer in layers]},
    }


def write(path: Path, images: Sequence[Image], name: str, epoch: int) -> str:
    """Write the images of all platforms as one archive; return the digest of their index."""
    blobs: dict[str, bytes] = {}
    manifests, loadable = [], []
    for image in images:
        config = descriptor(blobs, f"{OCI}.config.v1+json", canonical(image.config))
        layers = [
            descriptor(blobs, f"{OCI}.layer.v1.tar+gzip", gzip.compress(layer, 9, mtime=0))
            for layer in image.layers
        ]
        manifest = canonical(
            {
                "schemaVersion": 2,
                "mediaType": f"{OCI}.manifest.v1+json",
                "config": config,
                "layers": layers,
            }
        )
        platform = {
            key: image.config[key]
            for key in ("architecture", "os", "variant")
            if key in image.config
        }
        manifests.append(
            {**descriptor(blobs, f"{OCI}.manifest.v1+json", manifest), "platform": platform}
        )
        loadable.append(
            {
                "Config": blob_path(config),
                "RepoTags": [name],
                "Layers": [blob_path(layer) for layer in layers],
            }
        )
    index = descriptor(blobs, f"{OCI}.index.v1+json", index_of(manifests))
    index["annotations"] = {"org.opencontainers.image.ref.name": name.rpartition(":")[2]}
    files = {
        "oci-layout": canonical({"imageLayoutVersion": "1.0.0"}),
        "index.json": index_of([index]),
        "manifest.json": canonical(loadable[:1]),
        **{f"blobs/{digest.replace(':', '/')}": blob for digest, blob in blobs.items()},
    }
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(files):
            entry = tarfile.TarInfo(file)
            entry.size, entry.mtime = len(files[file]), epoch
            archive.addfile(entry, io.BytesIO(files[file]))
    return str(index["digest"])


def index_of(manifests: Sequence[dict[str, Any]]) -> bytes:
    """Return the text of an index."""
    return canonical(
        {"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": list(manifests)}
    )


def descriptor(blobs: dict[str, bytes], media_type: str, content: bytes) -> dict[str, Any]:
    """Add a blob, and return what refers to it."""
    blobs[digest_of(content)] = content
    return {"mediaType": media_type, "digest": digest_of(content), "size": len(content)}


def blob_path(described: dict[str, Any]) -> str:
    """Return where a blob is in the archive."""
    return f"blobs/{described['digest'].replace(':', '/')}"


def digest_of(content: bytes) -> str:
    """Return the digest of a content."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def canonical(data: object) -> bytes:
    """Return JSON that is always written in one way."""
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()
