"""The report of adjustments, with a mark on those above the limit over which the law requires listing."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Identity, Mark, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, EntryRef, Explained, Figure, exact_sum, stated, total
from services.reporting.read_model.adjustments import Adjustment, adjustments_of, is_over_limit, limit_cents
from services.reporting.read_model.reading import Books
from shared.contracts import accounts
from shared.contracts.exact import NANOCENTS
from shared.contracts.inventory import AdjustmentApproved, AdjustmentEntered, AdjustmentRejected
from shared.contracts.meters import ChangeApproved, ChangeRejected, ChangeRequested

ADJUSTED: Final = Section(
    name="adjustments",
    title="Adjustments",
    key=("of", "about", "gaming_day", "number"),
    columns=(
        Column(name="of", title="Adjusted books", formula="win, account or meter"),
        Column(
            name="about",
            title="Account or pool",
            formula="the account or the pool; empty for an adjustment of a table's win",
        ),
        Column(name="number", title="No."),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="pit", title="Pit"),
        Column(name="table", title="Table"),
        Column(name="shift", title="Shift"),
        Column(
            name="figure",
            title="Figure",
            formula=(
                "win: the adjusted figure; account: available balance; meter: displayed value, with the kind of change"
            ),
        ),
        Column(name="before_cents", title="Before", unit="exact_cents"),
        Column(
            name="cents",
            title="Adjustment",
            unit="exact_cents",
            formula=(
                "as entered: the sign is that of the change in the figure, not in the win; for a reset, known only "
                "once it is made"
            ),
        ),
        Column(name="after_cents", title="After", unit="exact_cents", formula="before + adjustment"),
        Column(name="over_threshold", title="Over the limit", formula="yes: the absolute amount exceeds the limit"),
        Column(
            name="limit_cents",
            title="Limit",
            unit="cents",
            formula="of the jurisdiction's pack, or the property's own if it is lower",
        ),
        Column(name="status", title="Status", formula="entered, approved or rejected"),
        Column(name="reason", title="Reason"),
        Column(name="entered_by", title="Entered by"),
        Column(name="entered_at", title="Entered at", unit="moment"),
        Column(name="decided_by", title="Approved or rejected by"),
        Column(name="decided_at", title="Approved or rejected at", unit="moment"),
        Column(name="rejection_reason", title="Rejection reason"),
        Column(name="after_seal", title="After the seal", formula="yes: entered after its gaming day was sealed"),
    ),
)


async def _fill(books: Books) -> Content:
    listed = await adjustments_of(books)
    identity = await _approved(books, listed)
    return Content((fill(ADJUSTED, (_row(books, one) for one in listed)),), (identity,), _marks(books))


def _row(books: Books, one: Adjustment) -> dict[str, Any]:
    return {
        "of": one.of,
        "about": one.about,
        "number": str(one.number),
        "gaming_day": one.gaming_day,
        "pit": None if one.table is None else books.pit_of(one.table, one.gaming_day),
        "table": one.table,
        "shift": one.shift,
        "figure": one.figure,
        "before_cents": one.before,
        "cents": None if one.change is None else _change(one.change, one.entries),
        "after_cents": one.after,
        "over_threshold": "yes" if is_over_limit(books, one) else "no",
        "limit_cents": limit_cents(books, one),
        "status": Cell(one.status, one.entries),
        "reason": one.reason,
        "entered_by": one.entered_by,
        "entered_at": one.entered_at,
        "decided_by": one.decided_by,
        "decided_at": one.decided_at,
        "rejection_reason": one.rejection_reason,
        "after_seal": "yes" if one.after_seal else "no",
    }


def _change(cents: str, entries: Iterable[EntryRef]) -> Cell:
    return exact_sum(cents, (Explained(stated(Fraction(cents), *entries)),))


async def _approved(books: Books, listed: list[Adjustment]) -> Identity:
    approved = [one for one in listed if one.of == "account" and one.status == "approved"]
    known = (await books.amounts(["account_adjusted_cents"])).get((), {}).get("account_adjusted_cents", NOTHING)
    here = total(Figure(cents := one.nanocents // NANOCENTS, stated(cents, *one.entries)) for one in approved)
    return Identity(
        "approved, account",
        here,
        known,
        "approved adjustments of accounts: those listed here, and those in the accounts' books",
    )


def _marks(books: Books) -> tuple[Mark, ...]:
    dated = books.place.law.limits.adjustment_listed_cents.on(books.question.last)
    if dated.status == "confirmed":
        return ()
    columns = ("adjustments/over_threshold", "adjustments/limit_cents")
    return (Mark("adjustment_listed_cents", dated.source, dated.note or "", columns),)


ADJUSTMENTS: Final = Report(
    name="adjustments",
    title="Adjustments",
    about=(
        "Every manual change of a figure of these gaming days, in the win, a wagering account or a "
        "progressive meter: amount before and after, reason, and the people who entered and approved it. An "
        "account adjustment belongs to the gaming day of its decision, and until then to that of its entry. "
        "Adjustments over the limit of the jurisdiction, or over the property's lower one, are marked."
    ),
    sections=(ADJUSTED,),
    sources=(
        *(AdjustmentEntered, AdjustmentApproved, AdjustmentRejected),
        *(accounts.AccountAdjustmentEntered, accounts.AccountAdjustmentApproved, accounts.AccountAdjustmentRejected),
        *(ChangeRequested, ChangeApproved, ChangeRejected),
    ),
    fill=_fill,
    signatures=("Revenue audit", "Controller"),
)
