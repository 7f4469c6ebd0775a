"""A report's definition: everything about it in one place, and the function that fills it from the books."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from services.reporting.framework.document import Filled, Identity, Mark, Period, Section
from services.reporting.read_model.reading import Books
from shared.contracts.facts import Fact
from shared.runtime.http.roles import READ_REPORTS, Role


@dataclass(frozen=True, slots=True)
class Content:
    """What a report comes to: the rows of its sections, what must hold in them, and which law is unconfirmed."""

    sections: tuple[Filled, ...]
    identities: tuple[Identity, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report: its name in URLs and commands, what it is for, the periods that it can be asked for, its sections.

    `sources` are the facts that its figures come from, `signatures` who signs the page. `fill` reads the books.
    `role` is the one that its reader needs.
    `of_days`: it is about what happened on gaming days, and so there is none of days of which nothing is known.
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
