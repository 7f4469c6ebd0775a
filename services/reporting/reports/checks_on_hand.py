"""Counter checks at the cage: what was paid and replaced, and what is on hand at the end, the oldest first."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any, Final

from services.reporting.books.reading import Books, Listed
from services.reporting.kit.document import Column, Filled, Identity, Section, fill
from services.reporting.kit.figures import NOTHING, Figure, total
from services.reporting.reports.cells import total_of
from shared.contracts import pit
from shared.contracts.cage import CheckRedeemed, CheckReplaced, RedemptionVoided

STEPS: Final = (CheckRedeemed, RedemptionVoided, CheckReplaced)
"""What the cage does about counter checks."""

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
            formula="redeemed in full or in part; deposited; void; consolidation; substitution; replaced",
        ),
        Column(name="paid_in", title="Paid in"),
        Column(name="cents", title="Changes on hand", unit="cents", added=True),
        Column(name="by", title="Cashier"),
        Column(name="reason", title="Reason", formula="of a void: the redemption, and why"),
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
        Column(name="left_cents", title="On hand", unit="cents", added=True, formula="issued - redeemed - replaced"),
    ),
)


async def cage_steps(books: Books) -> list[Listed]:
    """Return what the cage did about counter checks on the question's gaming days."""
    return await books.facts(*STEPS)


def cage_rows(steps: Iterable[Listed]) -> Iterator[dict[str, Any]]:
    """Give the rows of the cage: of a check that takes the place of others, one for each of them too."""
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
        }
        match fact:
            case CheckRedeemed():
                how = "deposited" if fact.paid_in == "deposit" else "redeemed"
                what = f"{how} {'in part' if fact.left_cents else 'in full'}"
                yield row | {"what": what, "paid_in": fact.paid_in, "cents": Figure(-fact.cents, entry)}
            case RedemptionVoided():
                void = {"what": "void", "paid_in": fact.paid_in, "reason": f"no. {fact.voids}: {fact.reason}"}
                yield row | void | {"cents": Figure(fact.cents, entry)}
            case CheckReplaced():
                what = "consolidation" if len(fact.replaced) > 1 else "substitution"
                yield row | {"what": what, "cents": Figure(fact.cents, entry)}
                for old in fact.replaced:
                    yield row | {"serial": old.serial, "what": "replaced", "cents": Figure(-old.cents, entry)}


async def left_before(books: Books) -> Figure:
    """Return what was on hand when the question's gaming days began."""
    before = books.question.first - timedelta(days=1)
    known = await books.amounts(["check_left_cents"], first=date.min, last=before)
    return known.get((), {}).get("check_left_cents", NOTHING)


async def on_hand(books: Books) -> Filled:
    """Return the checks on which anything is owed at the end of the question's gaming days, the oldest first."""
    last = books.question.last
    left = {
        serial: found["check_left_cents"]
        for (serial,), found in (await books.amounts(["check_left_cents"], ("item",), first=date.min)).items()
    }
    rows = []
    for one in await books.pit(pit.IssuedCounterCheck, first=date.min):
        data = one.fact.data
        if data.serial in left:
            rows.append((one, {"serial": data.serial, "drawer": data.drawer, "table": one.fact.table}, data.cents))
    for one in await books.facts(CheckReplaced, first=date.min):
        if one.fact.serial in left:
            rows.append((one, {"serial": one.fact.serial, "drawer": one.fact.drawer}, one.fact.cents))
    by_age = sorted(rows, key=lambda row: (row[0].fact.gaming_day, row[1]["serial"]))
    return fill(
        ON_HAND,
        (
            row
            | {
                "gaming_day": one.fact.gaming_day,
                "age_days": Figure((last - one.fact.gaming_day).days, (one.entry,)),
                "issued_cents": Figure(cents, (one.entry,)),
                "left_cents": left.pop(row["serial"], NOTHING),  # a serial number that is used twice has it once
            }
            for one, row, cents in by_age
        ),
    )


async def stays_on_hand(books: Books, before: Figure, found: Filled) -> Identity:
    """Return the identity that what was on hand, was issued and was not paid is what is on hand."""
    measures = ("checks_issued_cents", "checks_redeemed_cents")
    known = (await books.amounts(measures)).get((), {})
    issued, redeemed = (known.get(name, NOTHING) for name in measures)
    says = "what was on hand before and was issued, less what was redeemed, is on hand at the end"
    return Identity("on hand", total((before, issued, -redeemed)), total_of(found, "left_cents"), says)
