"""Counter checks at the cage: paid and replaced checks, and checks on hand at the end, oldest first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row, text

from services.reporting.framework.document import Column, Filled, Identity, Made, Section, fill
from services.reporting.framework.figures import NOTHING, EntriesOf, EntryRef, Figure, total
from services.reporting.read_model.derived import drawer, stands
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import total_of
from shared.contracts.cage import CheckRedeemed, CheckReplaced, CheckReturned, RedemptionVoided
from shared.contracts.check_collection import (
    CheckCleared,
    CheckRecovered,
    CheckWrittenOff,
    CollectionBegun,
    RecoveryReturned,
    RecoveryVoided,
)
from shared.contracts.facts import Fact
from shared.contracts.money import amount

CHANGES: Final = (
    *(RedemptionVoided, CheckReturned, CheckReplaced, CollectionBegun, CheckWrittenOff),
    *(CheckRecovered, RecoveryVoided, RecoveryReturned),
)
"""The cage's steps on counter checks that reports on more than a week still list."""

STEPS: Final = (CheckRedeemed, CheckCleared, *CHANGES)
"""All of the cage's steps on counter checks."""

CAGE: Final = Section(
    name="cage",
    title="At the cage",
    key=("step", "serial"),
    columns=(
        Column(name="step", title="No."),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift"),
        Column(name="at", title="Time", unit="moment"),
        Column(name="serial", title="Serial no."),
        Column(name="drawer", title="Drawn by", formula="the patron who drew the check, by reference"),
        Column(
            name="what",
            title="Transaction",
            formula="redeemed in full or in part; deposited; void; returned unpaid; consolidation; substitution; "
            "replaced; cleared; in collection; written off; recovered; recovery void, or returned unpaid",
        ),
        Column(name="paid_in", title="Paid in"),
        Column(name="cents", title="Change on hand", unit="cents", added=True),
        Column(name="by", title="Cashier"),
        Column(
            name="reason",
            title="Reason",
            formula="void: the voided redemption and the reason; return: the reason; late entry: why it was late",
        ),
    ),
)

ON_HAND: Final = Section(
    name="on_hand",
    title="On hand at the end",
    key=("serial",),
    columns=(
        Column(name="serial", title="Serial no."),
        Column(name="drawer", title="Drawn by", formula="the patron who drew the check, by reference"),
        Column(name="table", title="Table", formula="empty: the check was issued at the cage in place of others"),
        Column(name="gaming_day", title="Gaming day", unit="day", formula="gaming day of issuance or replacement"),
        Column(
            name="age_days",
            title="Age in days",
            unit="count",
            formula="days from the first issuance to the last gaming day of the period",
        ),
        Column(name="issued_cents", title="Issued", unit="cents", added=True),
        Column(
            name="left_cents",
            title="On hand",
            unit="cents",
            added=True,
            formula="issued - redeemed + returned - replaced - written off",
        ),
    ),
)


async def cage_steps(books: Books, *kinds: type[Fact]) -> list[Listed]:
    """Return the facts of these kinds about checks at the cage on the queried gaming days."""
    return await books.facts(*kinds)


def cage_rows(steps: Iterable[Listed]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the section `cage`; a replacement is followed by a row for each replaced check."""
    for one in steps:
        fact, entry = one.fact, (one.entry,)
        row: dict[str, Any] = {
            "step": str(fact.step),
            "gaming_day": fact.gaming_day,
            "shift": fact.shift,
            "at": fact.at,
            "serial": fact.serial,
            "drawer": fact.drawer,
            "by": fact.by,
            "reason": getattr(fact, "late_reason", None),
        }
        match fact:
            case CheckRedeemed():
                how = "deposited" if fact.paid_in == "deposit" else "redeemed"
                what = f"{how} {'in part' if fact.left_cents else 'in full'}"
                yield row | {"what": what, "paid_in": fact.paid_in, "cents": Figure(-fact.cents, entry)}
            case RedemptionVoided():
                void = {"what": "void", "paid_in": fact.paid_in, "reason": f"no. {fact.voids}: {fact.reason}"}
                yield row | void | {"cents": Figure(fact.cents, entry)}
            case CheckReturned():
                back = {
                    "what": "returned unpaid",
                    "paid_in": fact.paid_in,
                    "reason": f"no. {fact.returns}: {fact.reason}",
                }
                yield row | back | {"cents": Figure(fact.cents, entry)}
            case CheckCleared():
                yield row | {"what": "cleared", "paid_in": fact.paid_in, "reason": f"no. {fact.clears}"}
            case CollectionBegun():
                yield row | {"what": "in collection", "reason": fact.collector}
            case CheckWrittenOff():
                why = f"{fact.write_off_kind}, entered by {fact.entered_by}: {fact.reason}"
                yield row | {"what": "written off", "cents": Figure(-fact.cents, entry), "reason": why}
            case CheckRecovered():
                why = f"write-off {fact.check_write_off}: {amount(fact.recovered_cents)} so far"
                yield row | {"what": "recovered", "paid_in": fact.paid_in, "reason": why}
            case RecoveryVoided():
                why = f"no. {fact.voids}: {fact.reason}"
                yield row | {"what": "recovery void", "paid_in": fact.paid_in, "reason": why}
            case RecoveryReturned():
                why = f"no. {fact.returns}: {fact.reason}"
                yield row | {"what": "recovery returned unpaid", "paid_in": fact.paid_in, "reason": why}
            case CheckReplaced():
                what = "consolidation" if len(fact.replaced) > 1 else "substitution"
                yield row | {"what": what, "cents": Figure(fact.cents, entry)}
                for old in fact.replaced:
                    yield row | {"serial": old.serial, "what": "replaced", "cents": Figure(-old.cents, entry)}


async def left_before(books: Books) -> Figure:
    """Return the amount of checks on hand at the beginning of the queried gaming days, in cents."""
    return await left_after(books, books.question.first - timedelta(days=1))


async def left_after(books: Books, day: date) -> Figure:
    """Return the amount of checks on hand at the end of a gaming day, in cents."""
    known = await books.amounts(["check_left_cents"], first=date.min, last=day)
    return known.get((), {}).get("check_left_cents", NOTHING)


_ISSUED: Final = text(
    """
    SELECT service, shard, seq, gaming_day, table_name, check_serial AS serial, check_cents AS cents,
           {drawer} AS drawer,
           data ->> 'first_issued_at' AS first_issued_at
    FROM reporting.facts
    WHERE property = :property AND recorded_at <= :known_at AND gaming_day <= :last AND check_serial = ANY(:serials)
      AND kind <> 'counter_check.prepared'
      AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table) AND {stands}
    ORDER BY gaming_day, serial, recorded_at, service, shard, seq""".replace("{stands}", stands()).replace(
        "{drawer}", drawer("facts")
    )
)


@dataclass(frozen=True, slots=True)
class HeldCheck:
    """A counter check issued at a table or as a replacement (by `entry`); `left` is its outstanding amount.

    `first_day` is the gaming day of its issuance; for a replacement, the day of the first issuance among the replaced
    checks.
    """

    serial: str
    drawer: str | None
    table: str | None
    gaming_day: date
    first_day: date
    issued_cents: int
    left: Figure
    entry: EntryRef

    def age_days(self, last: date) -> Figure:
        """Return the number of days from the first issuance to a gaming day."""
        return Figure((last - self.first_day).days, (self.entry,))


async def held_checks(books: Books) -> list[HeldCheck]:
    """Return the checks with an outstanding amount at the end of the queried gaming days, oldest first."""
    last = books.question.last
    left = {
        serial: found["check_left_cents"]
        for (serial,), found in (await books.amounts(["check_left_cents"], ("item",), first=date.min)).items()
    }
    asked = {"serials": list(left), "last": last, "table": books.question.table}
    issued = await books.read(_ISSUED, **asked)
    held = [
        _held(books, row, left.pop(row.serial, NOTHING)) for row in issued
    ]  # if two checks have the same number, only one of them gets the amount
    return sorted(held, key=lambda one: one.first_day)


def _held(books: Books, issued: Row[Any], left: Figure) -> HeldCheck:
    first = issued.first_issued_at
    first_day = issued.gaming_day if first is None else books.place.gaming_day(datetime.fromisoformat(first))
    return HeldCheck(
        serial=issued.serial,
        drawer=issued.drawer,
        table=issued.table_name,
        gaming_day=issued.gaming_day,
        first_day=first_day,
        issued_cents=issued.cents,
        left=left,
        entry=EntryRef(issued.service, issued.shard, issued.seq),
    )


async def on_hand(books: Books) -> Filled:
    """Return the section of the checks with an outstanding amount at the end, oldest first."""
    held, last = await held_checks(books), books.question.last
    return fill(
        ON_HAND,
        Made(held, lambda one: _on_hand(one, last)),
        issued_cents=Figure(
            sum([one.issued_cents for one in held]), EntriesOf(held, _entry_of, lambda one: one.issued_cents)
        ),
        left_cents=total(one.left for one in held),
    )


def _on_hand(one: HeldCheck, last: date) -> dict[str, Any]:
    return {
        "serial": one.serial,
        "drawer": one.drawer,
        "table": one.table,
        "gaming_day": one.gaming_day,
        "age_days": one.age_days(last),
        "issued_cents": Figure(one.issued_cents, (one.entry,)),
        "left_cents": one.left,
    }


def _entry_of(one: HeldCheck) -> EntryRef:
    return one.entry


async def stays_on_hand(books: Books, before: Figure, found: Filled) -> Identity:
    """Return the identity: checks on hand = opening balance + issues + returns - payments - write-offs."""
    measures = ("checks_issued_cents", "checks_redeemed_cents", "checks_returned_cents", "checks_written_off_cents")
    known = (await books.amounts(measures)).get((), {})
    issued, redeemed, returned, lost = (known.get(name, NOTHING) for name in measures)
    says = "on hand before + issued + returned unpaid - redeemed - written off equals on hand at the end"
    return Identity("on hand", total((before, issued, returned, -redeemed, -lost)), total_of(found, "left_cents"), says)
