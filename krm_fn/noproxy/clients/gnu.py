"""wget and apt: plain suffixes of the host, nothing else.

No CIDR, no port, no ``*``, and every blank counts.
"""

from __future__ import annotations

import re

from krm_fn.noproxy.clients._match import in_domain

# utils.c: blanks after a comma are skipped, those before it stay in the entry.
_COMMA = re.compile(r",[ \t\n\v\f\r]*")


def wget_1_19(no_proxy: str, host: str, port: int) -> bool:
    """Return whether wget up to 1.19 (RHEL 8) goes direct: an entry with a leading dot matches nothing.

    Source: ``sufmatch`` in ``src/host.c``, v1.19.5.
    """
    del port
    return any(in_domain(host.lower(), entry) for entry in _wget_list(no_proxy))


def wget_1_20(no_proxy: str, host: str, port: int) -> bool:
    """Return whether wget 1.20 and later (commit fd85ac9c) goes direct: ``.d`` means the names below ``d``.

    Source: ``sufmatch`` in ``src/host.c``, v1.21.3.
    """
    del port
    name = host.lower()
    return any(
        in_domain(name, entry) or (entry.startswith(".") and name.endswith(entry))
        for entry in _wget_list(no_proxy)
    )


def apt(no_proxy: str, host: str, port: int) -> bool:
    """Return whether apt goes direct.

    An entry is a suffix without a boundary (``example.com`` matches ``notexample.com``).

    apt 2.6 ``CheckDomainList`` (``apt-pkg/contrib/strutl.cc``), which ``methods/http.cc`` calls.
    """
    del port
    name = host.lower()
    return any(name.endswith(entry.lower()) for entry in no_proxy.split(",") if entry)


def _wget_list(no_proxy: str) -> list[str]:
    return _COMMA.split(no_proxy.lower()) if no_proxy else []
