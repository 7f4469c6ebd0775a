"""Runs a target under atheris: what new places an input reached, in the code or in what is refused, guides the next.

atheris owns the process in which it runs, so each target runs in a fork of its own.
"""

import atexit
import json
import multiprocessing
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from traceback import extract_tb
from typing import Any, Final

import atheris
from pydantic import ValidationError

from tests.fuzz.mutate import mutated
from tests.fuzz.target import BYTES_MAX, Target

_SECONDS_MAX: Final = 5.0
"""How much of a processor one input of 64 KiB may take: more is a finding, for whoever sends it stops a partition."""
_HANGS_SECONDS: Final = 60
_SHARE_OF_JSON: Final = 0.9
"""How many inputs are other JSON rather than other bytes: 27% more places were reached so, in as many inputs."""
_PLACES_MAX: Final = 5_000
_VALUES: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9]+")
_COVERED: Final = re.compile(r"cov: (\d+) ft: (\d+)")
_STOPPED: Final = ("crash-*", "timeout-*", "oom-*", "leak-*")
"""What libFuzzer writes of the input at which it ended the process itself."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that was neither read nor refused as declared, or that took far too long."""

    data: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of the inputs of a target; `features` are the places that they reached, as libFuzzer counts them."""

    target: str
    inputs: int
    read: int
    features: int
    seconds: float
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Seen:
    """What is known of a run so far, and one input for each kind of finding."""

    inputs: int = 0
    read: int = 0
    seconds: float = 0.0
    findings: dict[str, tuple[str, str]] = field(default_factory=dict)

    def note(self, place: str, data: bytes, reason: str) -> None:
        self.findings.setdefault(place, (data.hex(), reason))


@contextmanager
def instrumented() -> Iterator[None]:
    """Have every module of the project that is imported meanwhile say which places are reached."""
    with redirect_stderr(StringIO()), atheris.instrument_imports(include=["services", "shared"]):
        yield


def run(target: Target, inputs: int, seed: int) -> Result:
    """Try so many inputs in a process of its own; the same seed tries the same ones again."""
    with TemporaryDirectory(prefix="pitledger-fuzz-") as directory:
        home = Path(directory)
        process = multiprocessing.get_context("fork").Process(target=_fuzz, args=(target, inputs, seed, home))
        process.start()
        process.join()
        return _result(target.name, home, process.exitcode)


def _result(name: str, home: Path, code: int | None) -> Result:
    log, said = (home / "log").read_text(errors="replace"), home / "seen"
    seen = _Seen(**json.loads(said.read_text())) if said.exists() else _Seen()
    findings = [Finding(bytes.fromhex(data), reason) for data, reason in seen.findings.values()]
    for stopped in (file for pattern in _STOPPED for file in sorted(home.glob(pattern))):
        findings.append(Finding(stopped.read_bytes(), f"{stopped.name.partition('-')[0]}: {log[-300:]}"))
    if not said.exists() and not findings:
        findings.append(Finding(b"", f"the process ended with {code}: {log[-2000:]}"))
    covered = _COVERED.findall(log)
    features = int(covered[-1][1]) if covered else 0
    return Result(name, seen.inputs, seen.read, features, seen.seconds, tuple(findings))


def _fuzz(target: Target, inputs: int, seed: int, home: Path) -> None:
    """Run in the fork until all inputs were tried; does not return."""
    log = os.open(home / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    corpus = home / "corpus"
    corpus.mkdir()
    for number, data in enumerate(target.inputs):
        (corpus / f"{number:05d}").write_bytes(data)
    seen, reached, began = _Seen(), _Reached(), time.process_time()

    def take(data: bytes) -> None:
        seen.inputs += 1
        started = time.process_time()
        try:
            read = target.takes(data)
            seen.read += 1
            reached(f"read as {type(read).__name__}")
        except target.refuses as error:
            for what in _said(error):
                reached(what)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            seen.note(_place(error), data, f"{type(error).__name__}: {error}"[:500])
        if (took := time.process_time() - started) > _SECONDS_MAX:
            seen.note("time", data, f"took {took:.1f} s of a processor")
        if seen.inputs == inputs:
            seen.seconds = time.process_time() - began
            (home / "seen").write_text(json.dumps(asdict(seen)))

    def change(data: bytes, size_max: int, number: int) -> bytes:
        random = Random(number)
        if random.random() < _SHARE_OF_JSON:
            return mutated(data, target.inputs, random)[:size_max]
        changed: bytes = atheris.Mutate(data, size_max)
        return changed

    atexit.register(sys.stdout.flush)
    words = [f"-atheris_runs={inputs}", f"-seed={seed % 2**31 or 1}", f"-max_len={BYTES_MAX}"]
    words += [f"-timeout={_HANGS_SECONDS}", f"-artifact_prefix={home}/", str(corpus)]
    atheris.Setup(["fuzz", *words], take, custom_mutator=change)
    atheris.Fuzz()


class _Reached:
    """Places that are no lines of ours: the kinds of what is read and refused, which mostly pydantic decides in Rust.

    Each is a function with a counter of its own, made when it is first reached.
    """

    def __init__(self) -> None:
        self._places: dict[str, Any] = {}

    def __call__(self, what: str) -> None:
        place = self._places.get(what)
        if place is None:
            if len(self._places) >= _PLACES_MAX:
                return
            place = self._places[what] = atheris.instrument_func(eval("lambda: None"))  # a code object of its own
        place()


def _said(error: BaseException) -> Sequence[str]:
    """Return what an error refuses, without the values: of a model, where and how each field is wrong."""
    cause = error if isinstance(error, ValidationError) else error.__cause__
    if isinstance(cause, ValidationError):
        wrong = cause.errors(include_url=False, include_context=False, include_input=False)
        return [f"{'.'.join('#' if isinstance(at, int) else at for at in one['loc'])} {one['type']}" for one in wrong]
    return [f"{type(error).__name__} {_VALUES.sub('#', str(error))[:80]}"]


def _place(error: BaseException) -> str:
    """Return which kind of finding it is: two of one type from one line are the same."""
    last = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} {last.filename}:{last.lineno}"


def name_of(finding: Finding) -> str:
    """Return the name under which an input is kept."""
    return f"{sha256(finding.data).hexdigest()[:16]}.bin"
