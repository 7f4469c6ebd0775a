"""The definition of a report: one object with everything about the report, including the function that fills it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from services.reporting.framework.document import Filled, Identity, Mark, Period, Section
from services.reporting.read_model.reading import Books
from shared.contracts.facts import Fact
from shared.contracts.ratings import RatingStated
from shared.runtime.http.roles import READ_REPORTS, Role


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a report: sections with rows, accounting identities, and remarks on unconfirmed law."""

    sections: tuple[Filled, ...]
    identities: tuple[Identity, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report: its name in URLs and commands, its purpose, the available periods, and its sections.

    `sources` are the fact types behind its figures, `signatures` the lines on which people sign the page. `fill`
    computes the content from the read model. Readers need the `role`. With `of_days`, the report is about events of
    gaming days and is not available for days without events. `sheet` names the first columns of section keys: the rows
    of all sections with the same values in these columns are printed together on one sheet.
    """

    name: str
    title: str
    about: str
    sections: tuple[Section, ...]
    sources: tuple[type[Fact], ...]
    fill: Callable[[Books], Awaitable[Content]]
    periods: tuple[Period, ...] = ("day", "week", "month", "year")
    signatures: tuple[str, ...] = field(default=())
    of_days: bool = True
    role: Role = READ_REPORTS
    sheet: tuple[str, ...] = ()

    @property
    def of_ratings(self) -> bool:
        """Return whether the report is about ratings, which may be amended after a gaming day was sealed."""
        return RatingStated in self.sources
