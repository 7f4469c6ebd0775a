"""Compile the rules, where `COMPILED_RULES=1` asks for it: the wheel is then one of its platform.

The cards and the rules are pure and strictly typed, so that mypyc takes them as they are. Plain Python stay what
pydantic reads (the models of records and documents, the line of a settlement: mypyc keeps no `int | None` in an
annotation), generic classes, a class that inherits from one written in C, and a command. Everything else of the wheel
is in pyproject.toml.
"""

import os
import sys
from pathlib import Path

from setuptools import setup

COMPILED = os.environ.get("COMPILED_RULES") == "1"
PLAIN = {
    *("__init__.py", "_load.py", "_model.py", "document.py", "game.py", "line.py", "packaged.py", "paragraphs.py"),
    "record.py",
}


def compiled_rules() -> list[object]:
    """Return the extension modules of the cards and the rules."""
    from mypyc.build import mypycify

    found = [path for package in ("cards", "rules") for path in sorted(Path("shared", package).rglob("*.py"))]
    modules = [str(path) for path in found if path.name not in PLAIN]
    return list(mypycify(["--ignore-missing-imports", *modules], group_name="pitledger_rules"))


setup(
    # Not while pip asks what a build requires.
    ext_modules=compiled_rules() if COMPILED and "bdist_wheel" in sys.argv else [],
    setup_requires=["mypy[mypyc]>=1.16", "pydantic>=2.11", "types-PyYAML"] if COMPILED else [],
)
