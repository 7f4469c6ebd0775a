"""What an attack came to, and how each of five channels named it."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

CHANNELS: Final = ("metric", "readyz", "alert", "verify", "log")

Outcome = Literal["refused", "found", "survived"]

NO_VERIFY: Final = "refused at the door: the journal is as it was"
NO_READYZ: Final = "refused at the door: the service goes on"
NO_ALERT: Final = "no alert: refused, and nothing to be done"


def say(*lines: str) -> None:
    """Print lines at once."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class Sign:
    """How a channel named an attack: what it said, and how many seconds after it. None: why it has nothing to say."""

    said: str
    seconds: float | None = None
    missing: bool = False

    def __str__(self) -> str:
        after = "" if self.seconds is None else f"  ({self.seconds:.1f} s)"
        return f"{'MISSING: ' if self.missing else ''}{self.said}{after}"


@dataclass(slots=True)
class Attempt:
    """One attack as it was tried. `wrong` says what got through, or was not named in its time; empty where all is well.

    `stated` is the time that the documents give, in words; `within_seconds` what that comes to in this run.
    """

    point: int
    what: str
    outcome: Outcome
    by: str
    stated: str
    within_seconds: float
    signs: Mapping[str, Sign]
    wrong: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float | None:
        """Return after how many seconds it was named first; None where nothing has a time."""
        return min((sign.seconds for sign in self.signs.values() if sign.seconds is not None), default=None)

    @property
    def came_to(self) -> str:
        """Return the outcome in a word."""
        return "NOT" if self.wrong else self.outcome

    def as_document(self) -> dict[str, Any]:
        """Return the attempt as JSON."""
        return asdict(self) | {"seconds": self.seconds, "came_to": self.came_to}

    def lines(self) -> list[str]:
        """Return the attempt for people."""
        after = "" if self.seconds is None else f" after {self.seconds:.1f} s"
        lines = [f"{self.point:>2}  {self.what}", f"    {self.came_to} by {self.by}{after}; stated: {self.stated}"]
        lines += [f"      {channel:<7}{self.signs[channel]}" for channel in CHANNELS if channel in self.signs]
        return lines + [f"      WRONG  {one}" for one in self.wrong]


def summary(attempts: Sequence[Attempt]) -> list[str]:
    """Return all attempts as a table, one line each."""
    lines = [f"{'':>2}  {'what was tried':<64} {'came to':<9}{'by':<44} {'after':>8} {'within':>8}"]
    for each in attempts:
        after = "" if each.seconds is None else f"{each.seconds:.1f} s"
        row = f"{each.point:>2}  {each.what[:63]:<64} {each.came_to:<9}{each.by[:43]:<44} {after:>8}"
        lines.append(f"{row} {each.within_seconds:>6.0f} s")
    return lines
