"""Runs a target: every input follows from a seed, and what is found names the input."""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Final

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import Target

_KEPT_MAX: Final = 2_000
_SECONDS_MAX: Final = 5.0
"""How long one input of 64 KiB may take, on any machine: more is a finding, for whoever sends it stops a partition."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that was neither read nor refused as declared, or that took far too long."""

    target: str
    number: int
    data: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of the inputs of a target."""

    target: str
    inputs: int
    read: int
    seconds: float
    findings: tuple[Finding, ...]


def run(target: Target, inputs: int, seed: int) -> Result:
    """Try so many inputs: what a target reads itself, and what becomes of it.

    What was read is changed again, so that inputs get far from where they began and are still read.
    """
    random = Random(sha256(f"{seed}/{target.name}".encode()).digest())
    kept = deque(target.inputs, maxlen=_KEPT_MAX)
    findings: list[Finding] = []
    began, read = time.monotonic(), 0
    for number, data in enumerate(_inputs(target.inputs, kept, inputs, random)):
        at = time.monotonic()
        try:
            was_read = target(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            findings.append(Finding(target.name, number, data, f"{type(error).__name__}: {error}"))
            continue
        if time.monotonic() - at > _SECONDS_MAX:
            findings.append(Finding(target.name, number, data, f"took {time.monotonic() - at:.1f} s"))
        if was_read:
            read += 1
            kept.append(data)
    return Result(target.name, inputs, read, time.monotonic() - began, tuple(findings))


def _inputs(first: Sequence[bytes], kept: Sequence[bytes], inputs: int, random: Random) -> Iterator[bytes]:
    yield from first[:inputs]
    for _ in range(inputs - len(first)):
        yield mutated(random.choice(kept), first, random)
