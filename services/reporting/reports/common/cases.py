"""The columns that end every list of variances: level, status, owner and resolution."""

from typing import Any, Final

from services.reporting.framework.document import Column, Mark, Section
from services.reporting.framework.figures import Figure
from services.reporting.read_model.reading import Books
from services.reporting.read_model.variances import CaseKey, Cases, level_of
from shared.contracts.property_snapshot import MoneyLimit

CASE_COLUMNS: Final = (
    Column(
        name="level",
        title="Level",
        formula=(
            "noted; report: above the limit for written reports; authority: at or above the limit for copies to "
            "the authority"
        ),
    ),
    Column(
        name="status",
        title="Status",
        formula="none, open, owned, resolved; changed: a later record changed the amount of a resolved variance",
    ),
    Column(name="owner", title="Owner"),
    Column(name="conclusion", title="Conclusion"),
    Column(name="resolved_at", title="Resolved at", unit="moment"),
    Column(name="sealed", title="Open after the seal", formula="open: not resolved, although its gaming day is sealed"),
)
"""The columns filled by `cells_of`."""

_LIMITS: Final[tuple[MoneyLimit, ...]] = ("variance_report_cents", "variance_authority_cents")


def cells_of(books: Books, cases: Cases, key: CaseKey, cents: Figure, *parts: int) -> dict[str, Any]:
    """Return the cells of CASE_COLUMNS for a variance; if it has several parts, the largest determines the level."""
    day = key[0]
    largest = max(parts, key=abs, default=cents.value)
    return {
        "level": level_of(books.place_on(day), day, largest) if largest else None,
        "sealed": "open" if cases.is_open_after_seal(key, cents.value, *parts) else None,
        **cases.of(key).cells(cents.value, *parts),
    }


def marks(books: Books, *sections: Section) -> tuple[Mark, ...]:
    """Return remarks on the unconfirmed variance limits, which determine the levels in these sections."""
    levels = tuple(f"{section.name}/level" for section in sections)
    dated = {name: getattr(books.place.law.limits, name).on(books.question.last) for name in _LIMITS}
    return tuple(
        Mark(name, one.source, one.note or "", levels) for name, one in dated.items() if one.status == "unconfirmed"
    )
