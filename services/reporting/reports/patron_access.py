"""Access to patron data: who viewed which part of which patron's data, and when."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Section, fill
from services.reporting.framework.figures import Figure, computed, counted_each
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import entry_cell
from shared.contracts.accounts import PatronSeen, Seen
from shared.contracts.people import canonical_person
from shared.runtime.http.roles import READ_PATRON_REPORTS

WORDS: Final[Mapping[Seen, str]] = {
    "patron": "exclusion and limits",
    "accounts": "list of accounts",
    "account": "account",
    "statement": "account statement",
    "adjustments": "account adjustments",
    "identity": "identity",
    "erasure": "erasure",
    "filing": "filed reports",
}
"""The parts of a patron's data in words, keyed by the part as recorded."""

_COUNTS: Final = (
    Column(name="accesses", title="Accesses", unit="count", added=True, formula="one per patron whose data was shown"),
    Column(
        name="identities",
        title="Of identities",
        unit="count",
        added=True,
        formula="accesses to the name, address and documents of a patron",
    ),
    Column(name="last_at", title="Last access", unit="moment"),
)

PEOPLE: Final = Section(
    name="people",
    title="By person",
    key=("person",),
    columns=(
        Column(name="person", title="Person"),
        Column(name="patrons", title="Patrons", unit="count", formula="different patrons whose data the person viewed"),
        *_COUNTS,
    ),
)

PATRONS: Final = Section(
    name="patrons",
    title="By patron",
    key=("patron",),
    columns=(
        Column(name="patron", title="Patron", formula="by reference"),
        Column(name="people", title="People", unit="count", formula="different people who viewed the patron's data"),
        *_COUNTS,
    ),
)

ACCESSES: Final = Section(
    name="accesses",
    title="Accesses in chronological order",
    key=("entry",),
    columns=(
        Column(name="at", title="At", unit="moment"),
        Column(name="person", title="Person"),
        Column(name="patron", title="Patron", formula="by reference"),
        Column(name="what", title="Data viewed"),
        Column(name="entry", title="Entry"),
    ),
)


async def _fill(books: Books) -> Content:
    accesses = sorted(await books.facts(PatronSeen), key=lambda one: one.fact.at)
    return Content(
        (
            fill(PEOPLE, _counted(accesses, "person", _person, "patrons", _patron)),
            fill(PATRONS, _counted(accesses, "patron", _patron, "people", _person)),
            fill(ACCESSES, (_row(one) for one in accesses)),
        )
    )


def _person(access: Listed) -> str:
    return canonical_person(access.fact.by)


def _patron(access: Listed) -> str:
    return str(access.fact.patron)


def _counted(
    accesses: Sequence[Listed],
    key: str,
    key_of: Callable[[Listed], str],
    others: str,
    other_of: Callable[[Listed], str],
) -> Iterator[dict[str, Any]]:
    """Yield a row per key with its accesses, and with the number of different `others` in them."""
    by_key: dict[str, list[Listed]] = defaultdict(list)
    for access in accesses:
        by_key[key_of(access)].append(access)
    for name, found in sorted(by_key.items()):
        yield {
            key: name,
            others: computed(len({other_of(one) for one in found}), _count(found)),
            "accesses": _count(found),
            "identities": _count([one for one in found if one.fact.what == "identity"]),
            "last_at": found[-1].fact.at,
        }


def _count(found: Sequence[Listed]) -> Figure:
    return Figure(len(found), counted_each(one.entry for one in found))


def _row(access: Listed) -> dict[str, Any]:
    return {
        "at": access.fact.at,
        "person": access.fact.by,
        "patron": access.fact.patron,
        "what": WORDS[access.fact.what],
        "entry": entry_cell(access.entry),
    }


PATRON_ACCESS: Final = Report(
    name="patron-access",
    title="Access to patron data",
    about=(
        "Who viewed which part of which patron's data in the wagering accounts, and when: by person, by patron, and "
        "every access with its entry. A search views no patron."
    ),
    sections=(PEOPLE, PATRONS, ACCESSES),
    sources=(PatronSeen,),
    fill=_fill,
    periods=("day", "week", "month"),
    signatures=("Compliance", "Internal audit"),
    of_days=False,
    role=READ_PATRON_REPORTS,
)
