"""Everything that takes bytes from outside, with the inputs at which an earlier version failed."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.fuzz import outside
from tests.fuzz import targets as records
from tests.fuzz.target import Target

FOUND: Final = Path(__file__).parent / "found"


def found(name: str) -> list[Path]:
    """Return the files of inputs at which a target failed once."""
    return sorted((FOUND / name).glob("*"))


def targets(only: Collection[str] = ()) -> list[Target]:
    """Return these targets, or all, by name. Raises: ValueError for a name that none has."""
    every = {one.name: one for one in (*records.targets(), *outside.targets())}
    if unknown := set(only) - every.keys():
        raise ValueError(f"no target {', '.join(sorted(unknown))}; there are {', '.join(sorted(every))}")
    return [
        replace(one, inputs=[*one.inputs, *(file.read_bytes() for file in found(name))])
        for name, one in sorted(every.items())
        if not only or name in only
    ]
