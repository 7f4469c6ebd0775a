"""Compare a settlement with the lines and meters that a case file expects."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.rules.line import HOUSE
from shared.rules.record import ExpectedLine, ExpectedMeter
from shared.rules.settlement import Settlement

_BY_DEFAULT: Final[Mapping[str, Any]] = {"vigorish": 0, "from_meter": 0, "paid_by": HOUSE}
"""The values of fields that a line's document leaves out."""


def differences(expect: Sequence[ExpectedMeter | ExpectedLine], settlement: Settlement) -> list[str]:
    """Return the differences of a settlement from the expected lines; empty if there are none.

    Each expected line must match one line of the settlement in all fields that it lists, and each line of the
    settlement must be expected.
    """
    found = []
    left = [{**_BY_DEFAULT, **line.as_document()} for line in settlement.lines]
    for entry in expect:
        if isinstance(entry, ExpectedMeter):
            after = settlement.meters.get(entry.meter)
            if after != entry.after:
                found.append(f"meter '{entry.meter}' shows {after}, expected {entry.after}")
            continue
        expected = entry.model_dump(exclude_unset=True)
        fitting = [line for line in left if expected.items() <= line.items()]
        if fitting:
            left.remove(fitting[0])
        else:
            found.append(_nearest(expected, left))
    found.extend(f"{_name(line)} is not expected: {line}" for line in left)
    return found


def _nearest(expected: Mapping[str, Any], lines: list[dict[str, Any]]) -> str:
    named = [line for line in lines if _name(line) == _name(expected)]
    if not named:
        return f"{_name(expected)} is missing"
    line = named[0]
    lines.remove(line)
    fields = [
        f"{field} {line.get(field)!r}, expected {value!r}"
        for field, value in expected.items()
        if line.get(field) != value
    ]
    return f"{_name(expected)}: {'; '.join(fields)}"


def _name(line: Mapping[str, Any]) -> str:
    hand = f" hand {line['hand']}" if "hand" in line else ""
    return f"seat {line['seat']} {line['wager']}{hand}"
