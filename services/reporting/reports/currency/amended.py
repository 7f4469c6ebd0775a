"""Reportable currency totals that a void changed, each before and after the void."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from services.reporting.domain.federal.currency import CashMovement, CurrencyTotal, currency_totals
from services.reporting.framework.document import Column, Section
from services.reporting.framework.figures import Figure
from services.reporting.read_model.currency import moved_currency
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import entry_cell
from services.reporting.reports.currency.sections import DAY, DIRECTION, FORM, PERSON
from shared.contracts.cage import CageVoided, RedemptionVoided
from shared.contracts.check_collection import RecoveryVoided
from shared.contracts.inventory import PitVoided
from shared.contracts.pit import SoldChips
from shared.jurisdictions import Pack

VOIDS: Final = (PitVoided, CageVoided, RedemptionVoided, RecoveryVoided)
"""The voids of currency transactions."""

AMENDED: Final = Section(
    name="amended",
    title="Reportable totals changed by a void",
    key=("form", "gaming_day", "person", "direction", "entry"),
    columns=(
        FORM,
        DAY,
        PERSON,
        DIRECTION,
        Column(
            name="was_cents", title="Before", unit="cents", formula="amount to be reported, as known before the void"
        ),
        Column(
            name="cents",
            title="After",
            unit="cents",
            formula="amount to be reported, as known after the void; empty: below the threshold",
        ),
        Column(name="file_by", title="Original due date", unit="day"),
        Column(name="voided_at", title="Voided at", unit="moment"),
        Column(name="reason", title="Reason"),
        Column(name="entry", title="Entry of the void"),
    ),
)

_INSTANT: Final = timedelta(microseconds=1)
_Key = tuple[date, str, str]
"""Gaming day, person (or the transaction, if unknown) and direction."""


def _key(one: CurrencyTotal) -> _Key:
    return one.held.gaming_day, one.first.patron or one.first.reference, one.first.direction


async def amended_rows(books: Books, filed: Sequence[tuple[Pack, str]], least_cents: int) -> list[dict[str, Any]]:
    """Return a row for each total that was reportable before a void on the queried gaming days changed it.

    `filed` are (pack, report) of the reports that are filed; `least_cents` is the lowest threshold.
    """
    found: list[dict[str, Any]] = []
    for void in await books.facts(*VOIDS):
        fact = void.fact
        if isinstance(fact, PitVoided) and not (
            isinstance(fact.data, SoldChips) and fact.data.instrument == "currency"
        ):
            continue
        before, after = [
            await moved_currency(
                books.known_at(moment).asked(first=fact.gaming_day, last=fact.gaming_day),
                fact.gaming_day,
                person_cents=least_cents,
                nobody_cents=least_cents,
                table_cents=least_cents,
            )
            for moment in (void.recorded_at - _INSTANT, void.recorded_at)
        ]
        for law, report in filed:
            left = {_key(one): one for one in currency_totals(law, report, after) if one.standing == "reached"}
            found += _changed(void, law, report, before, left)
    return found


def _persons(fact: Any) -> frozenset[str | None]:
    """Return the persons whose totals a void changes; None stands for an unknown person."""
    said = fact.data if isinstance(fact, PitVoided) else fact
    own = getattr(said, "patron", None) or getattr(said, "drawer", None)
    return frozenset((own, *(getattr(said, "on_behalf_of", None) or ())))


def _changed(
    void: Listed, law: Pack, report: str, moved: Sequence[CashMovement], after: Mapping[_Key, CurrencyTotal]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each total of the void's persons that was reportable and that the void changed."""
    concerned = _persons(void.fact)
    for one in currency_totals(law, report, moved):
        left = after.get(_key(one))
        if one.first.patron not in concerned or one.standing != "reached":
            continue
        if left is not None and left.cents == one.cents:
            continue
        form = law.forms[law.currency_reports[report].form].on(one.held.gaming_day).value
        because = (void.entry,)
        yield {
            "form": form.number or form.title,
            "gaming_day": one.held.gaming_day,
            "person": one.first.patron or "unknown",
            "direction": one.first.direction,
            "was_cents": Figure(one.cents, because),
            "cents": None if left is None else Figure(left.cents, because),
            "file_by": one.file_by,
            "voided_at": void.recorded_at,
            "reason": getattr(void.fact, "reason", None) or void.fact.correction.reason,
            "entry": entry_cell(void.entry),
        }
