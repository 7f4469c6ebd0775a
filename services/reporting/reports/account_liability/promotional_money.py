"""Promotional money on accounts by day: granted, spent and written off. It can be wagered but not paid out."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

from services.reporting.framework.document import Column, Filled, Section, fill
from services.reporting.framework.figures import NOTHING, Aggregate, Cell, Figure, Part, Value
from services.reporting.read_model.reading import Books

_MEASURES: Final[Mapping[str, int]] = {
    "promotional_granted_cents": 1,
    "promotional_staked_cents": -1,
    "promotional_credited_cents": 1,
    "promotional_shortage_cents": 1,
    "promotional_written_off_cents": -1,
    "promotional_expired_cents": -1,
}
"""The sign with which each measure changes promotional money."""

PROMOTIONAL: Final = Section(
    name="promotional",
    title="Promotional money by gaming day (part of the liability)",
    key=("gaming_day",),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="opening_cents", title="Opening", unit="cents", formula="may be wagered, but not withdrawn"),
        Column(name="granted_cents", title="Granted", unit="cents", added=True),
        Column(
            name="spent_cents",
            title="Spent",
            unit="cents",
            added=True,
            formula="staked in settled rounds - stakes returned",
        ),
        Column(
            name="shortages_cents",
            title="Shortages",
            unit="cents",
            added=True,
            formula=(
                "amounts that a correction could not debit because the money was already spent, less later recoveries"
            ),
        ),
        Column(
            name="written_off_cents", title="Written off", unit="cents", added=True, formula="canceled by employees"
        ),
        Column(
            name="expired_cents",
            title="Expired",
            unit="cents",
            added=True,
            formula="lapsed automatically on the expiry date",
        ),
        Column(
            name="closing_cents",
            title="Closing",
            unit="cents",
            formula="opening + granted - spent + shortages - written off - expired",
        ),
    ),
)


async def promotional_money(books: Books) -> Filled:
    """Return the changes of promotional money on the queried gaming days, in cents, keyed by cause."""
    before = books.question.first - timedelta(days=1)
    opening = (await books.amounts(tuple(_MEASURES), first=date.min, last=before)).get((), {})
    first = at = _held(_change(opening), before)
    rows: list[dict[str, Value | Figure | Cell]] = []
    for (name,), found in sorted((await books.amounts(tuple(_MEASURES), ("gaming_day",))).items()):
        day = date.fromisoformat(name)
        granted, staked, back, short, off, expired = (found.get(measure, NOTHING) for measure in _MEASURES)
        closing = _held(at.value + _change(found), day)
        figures = {"granted_cents": granted, "spent_cents": staked - back, "shortages_cents": short}
        figures |= {"written_off_cents": off, "expired_cents": expired, "closing_cents": closing}
        rows.append({"gaming_day": day, "opening_cents": at, **figures})
        at = closing
    return fill(PROMOTIONAL, rows, opening_cents=first, closing_cents=at)


def _change(found: Mapping[str, Figure]) -> int:
    return sum(sign * found.get(measure, NOTHING).value for measure, sign in _MEASURES.items())


def _held(cents: int, day: date) -> Figure:
    """Return the balance at the end of a gaming day; its provenance is all changes since the first day."""
    changes = _MEASURES.items()
    return Figure(cents, tuple(Part(Aggregate("amounts", (name,), date.min, day), sign) for name, sign in changes))
