"""Variances: differences between counted and expected amounts, and their resolution."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import chain
from typing import Any, Literal, NamedTuple

from pydantic import AwareDatetime

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.provisions import Level, Provisions
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.windows import Window
from shared.contracts.inventory import VarianceKind
from shared.journal.entry import Posting
from shared.runtime.commands.approval_subject import ApprovalSubject

VarianceStatus = Literal["open", "owned", "resolved", "changed"]


class VarianceName(NamedTuple):
    """The name of a variance at a property. It omits the gaming day, which may change when counts are corrected.

    `number` is the sequence of the count or box exchange in the table's pit stream, or the slip number.
    """

    table: str
    variance: VarianceKind
    number: int


class VarianceKey(NamedTuple):
    """The key of a variance on its gaming day.

    `number` is the sequence of the count or box exchange in the table's pit stream, or the slip number.
    """

    property: str
    gaming_day: date
    variance: VarianceKind
    table: str
    number: int

    def path(self) -> str:
        """Return the URL path of the variance."""
        return f"/variances/{self.property}/{self.gaming_day}/{self.variance}/{self.table}/{self.number}"


class Variance(ApprovalSubject):
    """A variance. `cents` is the counted (or received) less the expected amount; negative if chips are missing.

    `by_instrument` splits the variance of a drop box. The figures by denomination are numbers of pieces.
    `expected_by_denomination` is None unless all movements since the last count are known by denomination. If it is
    None, `unexplained_by_denomination` has the counted pieces less those of the last count and the known movements.
    Status `changed`: later records changed the variance after it was resolved.
    """

    property: str
    gaming_day: date
    variance: VarianceKind
    table: str
    number: int
    shift: str
    at: AwareDatetime
    what: str
    expected_cents: int
    counted_cents: int
    cents: int
    level: Level = "noted"
    status: VarianceStatus = "open"
    by_instrument: dict[str, int] | None = None
    expected_by_denomination: dict[str, int] | None = None
    counted_by_denomination: dict[str, int] | None = None
    unexplained_by_denomination: dict[str, int] | None = None
    owner: str | None = None
    owned_at: AwareDatetime | None = None
    resolved_cents: int | None = None
    resolved_by_instrument: dict[str, int] | None = None
    resolved_at: AwareDatetime | None = None
    conclusion: str | None = None

    def key(self) -> VarianceKey:
        """Return the key of the variance."""
        return VarianceKey(self.property, self.gaming_day, self.variance, self.table, self.number)

    def judged(self, provisions: Provisions) -> "Variance":
        """Return the variance with its reporting level. The largest part of a split variance determines the level."""
        cents = max((self.by_instrument or {}).values(), key=abs, default=self.cents)
        return self.model_copy(update={"level": provisions.level(cents)})

    def after(self, **changes: Any) -> "Variance":
        """Return the variance with a changed owner or resolution, and its status derived again."""
        found = self.model_copy(update=changes)
        status: VarianceStatus = "open" if found.owner is None else "owned"
        if found.resolved_at is not None:
            resolved = (found.resolved_cents, found.resolved_by_instrument)
            status = "resolved" if resolved == (found.cents, found.by_instrument) else "changed"
        return found.model_copy(update={"status": status})

    def correction(self) -> tuple[Posting, ...]:
        """Return the postings that bring the books to the counted amount, less those of an earlier resolution."""
        table = TableAccounts(self.property, self.table)
        cents = self.cents - (self.resolved_cents or 0)
        match self.variance:
            case "inventory":
                return table.transfer("inventory", "inventory_variance", cents)
            case "drop":
                parts, before = self.by_instrument or {}, self.resolved_by_instrument or {}
                money = (
                    table.transfer("box", "drop_variance", parts.get(name, 0) - before.get(name, 0), name)
                    for name in dict.fromkeys((*parts, *before))
                )
                return tuple(chain.from_iterable(money))
            case "fill" | "credit" as slip:
                return table.transfer("transit", "transit_variance", cents, slip)


def variances(
    property_name: str,
    provisions: Provisions,
    *,
    windows: Iterable[Window],
    boxes: Iterable[Box],
    slips: Iterable[Slip],
    cases: Mapping[VarianceName, Mapping[str, Any]],
) -> list[Variance]:
    """Return all variances of a gaming day, by table and time.

    `cases` maps variances to their cases: owner, conclusion, and resolved amounts. A variance keeps its case even if
    its gaming day changes. A variance of 0 cents is included if an earlier resolution of it must be undone.
    """
    looked_at = (
        window
        for window in windows
        if (window.variance_cents and not provisions.is_win(window))
        or (window.end and VarianceName(window.end.table, "inventory", window.end.sequence) in cases)
    )
    found = [
        *_of_windows(property_name, provisions, looked_at),
        *_of_boxes(property_name, provisions, boxes, cases),
        *_of_slips(slips),
    ]
    standing: list[Variance] = []
    for variance in (one.judged(provisions) for one in found):
        case = cases.get(VarianceName(variance.table, variance.variance, variance.number))
        stands_resolved = case is not None and (case["resolved_cents"] or case["resolved_by_instrument"])
        if variance.cents or variance.by_instrument or stands_resolved:
            standing.append(variance if case is None else variance.after(**case))
    return sorted(standing, key=lambda variance: (variance.table, variance.at, variance.variance, variance.number))


def _variance(property_name: str, kind: VarianceKind, of: Window | Box | Slip, **values: Any) -> Variance:
    cents = values["counted_cents"] - values["expected_cents"]
    place = {"property": property_name, "gaming_day": of.gaming_day, "table": of.table, "shift": of.shift}
    return Variance(**place, variance=kind, cents=cents, **values)


def _of_windows(property_name: str, provisions: Provisions, windows: Iterable[Window]) -> Iterator[Variance]:
    for window in windows:
        end, expected = window.end, window.expected_by_denomination
        if end is not None and provisions.is_win(window):  # the difference is win: only an earlier resolution is undone
            yield _variance(
                property_name,
                "inventory",
                window,
                number=end.sequence,
                at=end.at,
                what=end.purpose,
                expected_cents=end.cents,
                counted_cents=end.cents,
                counted_by_denomination=end.contents,
            )
        elif window.start is not None and end is not None:
            yield _variance(
                property_name,
                "inventory",
                window,
                number=end.sequence,
                at=end.at,
                what=end.purpose,
                expected_cents=window.expected_cents,
                counted_cents=end.cents,
                expected_by_denomination=expected,
                counted_by_denomination=end.contents,
                unexplained_by_denomination=None if expected is not None else window.unexplained_by_denomination,
            )


def _of_boxes(
    property_name: str,
    provisions: Provisions,
    boxes: Iterable[Box],
    cases: Mapping[VarianceName, Mapping[str, Any]],
) -> Iterator[Variance]:
    for box in boxes:
        unrecorded = box.unrecorded(provisions.counted.get(box.table, "each"))
        split = {name: cents for name, cents in box.differences.items() if cents and name not in unrecorded}
        expected_cents = box.recorded_currency_cents + box.recorded_checks_cents + sum(unrecorded.values())
        if split or VarianceName(box.table, "drop", box.exchange) in cases:
            yield _variance(
                property_name,
                "drop",
                box,
                number=box.exchange,
                at=box.removed_at,
                what=f"box {box.box}",
                expected_cents=expected_cents,
                counted_cents=expected_cents + sum(split.values()),
                by_instrument=split,
            )


def _of_slips(slips: Iterable[Slip]) -> Iterator[Variance]:
    for slip in slips:
        if slip.received_at is not None:
            yield _variance(
                slip.property,
                slip.slip,
                slip,
                number=slip.number,
                at=slip.received_at,
                what=f"{slip.slip} slip {slip.number}",
                expected_cents=slip.cents,
                counted_cents=slip.received_cents,
            )
