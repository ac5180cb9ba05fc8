"""Start of the report: ``python3 -I action FOLDER``, which imports from this folder and not from the current one."""

from __future__ import annotations

from report import main

main()
