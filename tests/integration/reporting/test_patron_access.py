"""Access to patron data on a real database: accesses go in, who viewed whose data comes out."""

from datetime import timedelta
from typing import Any, Final, get_args

from services.reporting.reports.patron_access import WORDS
from shared.contracts.accounts import Seen
from tests.support.published import published
from tests.support.reporting import Books, names, rows_of
from tests.unit.reporting.entries import NOON

CLERK: Final = "cage.lou"


def _view(books: Books, sequence: int, by: str, patron: str, what: str, **more: Any) -> None:
    at = NOON + timedelta(minutes=sequence)
    said = {"property": "riverside", "patron": patron, "what": what, "by": by, "at": at.isoformat()} | more
    books.desk.feed("accounts", published("patron.seen", said, service="wagering-accounts", sequence=sequence, at=at))


def _report(books: Books) -> dict[str, Any]:
    answer = books.get(books.path("patron-access"), person=CLERK)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    return report


def test_only_those_with_the_role_read_who_viewed_whom(books: Books) -> None:
    """`reports.read` is not enough: the report names patrons."""
    assert 403 == books.get(books.path("patron-access"), person="audit.kim").status_code


def test_accesses_are_counted_by_person_and_by_patron(books: Books) -> None:
    """A person in another case is the same person; accesses to another property's patrons are not in it."""
    _view(books, 1, "cage.ann", "p-1", "patron")
    _view(books, 2, "Cage.Ann", "p-1", "identity")
    _view(books, 3, "cage.ann", "p-2", "accounts")
    _view(books, 4, "audit.kim", "p-1", "filing")
    _view(books, 5, "cage.ann", "p-1", "identity", property="lakeside")
    report = _report(books)
    assert [("audit.kim", 1, 1, 0), ("cage.ann", 2, 3, 1)] == [
        names(row, "person", "patrons", "accesses", "identities") for row in rows_of(report, "people")
    ]
    assert [("p-1", 2, 3, 1), ("p-2", 1, 1, 0)] == [
        names(row, "patron", "people", "accesses", "identities") for row in rows_of(report, "patrons")
    ]
    assert [
        ("cage.ann", "p-1", "exclusion and limits"),
        ("Cage.Ann", "p-1", "identity"),
        ("cage.ann", "p-2", "list of accounts"),
        ("audit.kim", "p-1", "filed reports"),
    ] == [names(row, "person", "patron", "what") for row in rows_of(report, "accesses")]
    explained = books.get(f"{books.path('patron-access/entries')}&cell=people/cage.ann/patrons", person=CLERK)
    assert 3 == len(explained.json()["entries"]), explained.text


def test_every_part_of_a_patrons_data_has_words() -> None:
    """Whatever the accounts record as viewed."""
    assert set(get_args(Seen)) == set(WORDS)
