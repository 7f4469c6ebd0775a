"""Counter checks at the cage: paid, replaced, and on hand at the end, oldest first."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any, Final

from sqlalchemy import Row, text

from services.reporting.framework.document import Column, Filled, Identity, Made, Section, fill
from services.reporting.framework.figures import NOTHING, EntriesOf, EntryRef, Figure, total
from services.reporting.read_model.derived import stands
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import total_of
from shared.contracts.cage import CheckRedeemed, CheckReplaced, CheckReturned, RedemptionVoided
from shared.contracts.facts import Fact

STEPS: Final = (CheckRedeemed, RedemptionVoided, CheckReturned, CheckReplaced)
"""The cage's steps on counter checks."""

CHANGES: Final = (RedemptionVoided, CheckReturned, CheckReplaced)
"""Those of them that need attention."""

CAGE: Final = Section(
    name="cage",
    title="At the cage",
    key=("step", "serial"),
    columns=(
        Column(name="step", title="No."),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift"),
        Column(name="at", title="At", unit="moment"),
        Column(name="serial", title="Serial no."),
        Column(name="drawer", title="Drawer", formula="the patron, by reference"),
        Column(
            name="what",
            title="What",
            formula="redeemed in full or in part; deposited; void; returned unpaid; consolidation; substitution; "
            "replaced",
        ),
        Column(name="paid_in", title="Paid in"),
        Column(name="cents", title="Changes on hand", unit="cents", added=True),
        Column(name="by", title="Cashier"),
        Column(
            name="reason",
            title="Reason",
            formula="of a void or a return: the redemption, and why; of what was entered late: why",
        ),
    ),
)

ON_HAND: Final = Section(
    name="on_hand",
    title="On hand at the end",
    key=("serial",),
    columns=(
        Column(name="serial", title="Serial no."),
        Column(name="drawer", title="Drawer", formula="the patron, by reference"),
        Column(name="table", title="Table", formula="none: the check replaced others at the cage"),
        Column(name="gaming_day", title="Gaming day", unit="day", formula="of issuance, or of replacement"),
        Column(name="age_days", title="Age", unit="count", formula="days from then to the last gaming day"),
        Column(name="issued_cents", title="Issued", unit="cents", added=True),
        Column(
            name="left_cents",
            title="On hand",
            unit="cents",
            added=True,
            formula="issued - redeemed + returned - replaced",
        ),
    ),
)


async def cage_steps(books: Books, *kinds: type[Fact]) -> list[Listed]:
    """Return the cage's steps of these kinds on the question's gaming days."""
    return await books.facts(*kinds)


def cage_rows(steps: Iterable[Listed]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the cage; for a replacement, also one for each replaced check."""
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
            case CheckReplaced():
                what = "consolidation" if len(fact.replaced) > 1 else "substitution"
                yield row | {"what": what, "cents": Figure(fact.cents, entry)}
                for old in fact.replaced:
                    yield row | {"serial": old.serial, "what": "replaced", "cents": Figure(-old.cents, entry)}


async def left_before(books: Books) -> Figure:
    """Return the balance on hand at the beginning of the question's gaming days."""
    before = books.question.first - timedelta(days=1)
    known = await books.amounts(["check_left_cents"], first=date.min, last=before)
    return known.get((), {}).get("check_left_cents", NOTHING)


_ISSUED: Final = text(
    """
    SELECT service, shard, seq, gaming_day, table_name, check_serial AS serial, check_cents AS cents,
           coalesce(data #>> '{data,drawer}', data ->> 'drawer') AS drawer
    FROM reporting.facts
    WHERE property = :property AND recorded_at <= :known_at AND gaming_day <= :last AND check_serial = ANY(:serials)
      AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table) AND {stands}
    ORDER BY gaming_day, serial, recorded_at, service, shard, seq""".replace("{stands}", stands())
)


async def on_hand(books: Books) -> Filled:
    """Return the checks with an outstanding amount at the end of the question's gaming days, oldest first."""
    last = books.question.last
    left = {
        serial: found["check_left_cents"]
        for (serial,), found in (await books.amounts(["check_left_cents"], ("item",), first=date.min)).items()
    }
    asked = {"serials": list(left), "last": last, "table": books.question.table}
    issued = await books.read(_ISSUED, **asked)
    held = [(row, left.pop(row.serial, NOTHING)) for row in issued]  # a serial number that is used twice has it once
    return fill(
        ON_HAND,
        Made(held, lambda one: _on_hand(*one, last)),
        issued_cents=Figure(sum([row.cents for row in issued]), EntriesOf(issued, _entry_of)),
        left_cents=total(cents for _, cents in held),
    )


def _on_hand(issued: Row[Any], left: Figure, last: date) -> dict[str, Any]:
    because = (_entry_of(issued),)
    return {
        "serial": issued.serial,
        "drawer": issued.drawer,
        "table": issued.table_name,
        "gaming_day": issued.gaming_day,
        "age_days": Figure((last - issued.gaming_day).days, because),
        "issued_cents": Figure(issued.cents, because),
        "left_cents": left,
    }


def _entry_of(issued: Row[Any]) -> EntryRef:
    return EntryRef(issued.service, issued.shard, issued.seq)


async def stays_on_hand(books: Books, before: Figure, found: Filled) -> Identity:
    """Return the identity: opening balance plus issued plus returned less paid equals the balance on hand."""
    measures = ("checks_issued_cents", "checks_redeemed_cents", "checks_returned_cents")
    known = (await books.amounts(measures)).get((), {})
    issued, redeemed, returned = (known.get(name, NOTHING) for name in measures)
    says = "what was on hand before, was issued and came back unpaid, less what was redeemed, is on hand at the end"
    return Identity("on hand", total((before, issued, returned, -redeemed)), total_of(found, "left_cents"), says)
