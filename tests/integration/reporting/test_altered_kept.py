"""What reporting keeps and does not project: what was delivered, tested and read, as somebody alters it past it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from services.reporting.evidence import evaluate_sealed
from services.reporting.ingest.progress import PROGRESS, all_read_until
from services.reporting.schedule import deliver_sealed, wanted_reports
from services.reporting.tables import deliveries, evidence_days, read_until
from shared.journal.signed_note import Signer
from tests.support.nightly import AT_NIGHT
from tests.support.rebuilding import assert_named, execute, named
from tests.support.reporting import Books
from tests.support.services import query
from tests.support.tampering import tampered
from tests.unit.reporting.entries import day_closed, total

pytestmark = AT_NIGHT

SIGNER = Signer.generate("pitledger/reporting")
READ = {("settlements", 0): 0.0, ("inventory", 0): 0.0}
SERVICE = "reporting"


@pytest.fixture
def sealed(books: Books, tmp_path: Path) -> Books:
    """A day that was sealed, delivered and tested, then restated and tested again: two rows of evidence."""
    books.desk.feed("settlements", books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))
    books.desk.feed("inventory", day_closed(1, "preliminary", seconds=100), day_closed(2, "final", seconds=100))
    note(books)
    assert (1, 1) == (deliver(books, tmp_path), evaluate(books))
    books.desk.feed("settlements", books.reversed(102, "BJ-01", [total(handle=100)], round_id="r-1"))
    assert 1 == evaluate(books)
    return books


def note(books: Books, behind: Mapping[tuple[str, int], float] = READ) -> None:
    """Note what a process has read."""
    books.desk.client.run(PROGRESS.note(replace(books.desk.context, behind=lambda: behind)))


def deliver(books: Books, folder: Path) -> int:
    """Deliver what is sealed; return how many days."""
    wanted = wanted_reports("master-game:csv")
    return books.desk.client.run(deliver_sealed(books.desk.context, str(folder), wanted, SIGNER))


def evaluate(books: Books) -> int:
    """Test what is sealed; return how many days."""
    return books.desk.client.run(evaluate_sealed(books.desk.context))


def test_what_was_delivered_and_tested_is_named(sealed: Books, url: str) -> None:
    """Every column altered, a row added: the signature of the row says it."""
    for table in (deliveries, evidence_days, read_until):
        assert_named(SERVICE, url, table, "altered", "added")


def test_what_is_gone_is_made_again(sealed: Books, url: str, tmp_path: Path) -> None:
    """A day whose delivery is not known is delivered again."""
    execute(url, "DELETE FROM reporting.deliveries")
    assert 1 == deliver(sealed, tmp_path / "again")
    assert set() == named(SERVICE, url)


def test_a_day_of_evidence_that_is_gone_is_missed(sealed: Books, url: str) -> None:
    """Its number is; the last row is made again as it was."""
    kept = query(url, "SELECT e::text FROM reporting.evidence_days e ORDER BY number")
    execute(url, "DELETE FROM reporting.evidence_days WHERE number = 2")
    assert 1 == evaluate(sealed)
    made = query(url, "SELECT e::text FROM reporting.evidence_days e ORDER BY number")
    assert [row.rsplit(",", 1)[0] for (row,) in kept] == [row.rsplit(",", 1)[0] for (row,) in made]
    execute(url, "DELETE FROM reporting.evidence_days WHERE number = 1")
    assert {"evidence_days"} == named(SERVICE, url)


def test_nothing_is_carried_on_from_what_was_altered(sealed: Books, url: str) -> None:
    """The next day waits: it would be signed together with the forged one."""
    books = sealed
    with tampered(url, evidence_days, "altered", "carried"):
        books.desk.feed("settlements", books.posted(110, "BJ-01", [total(handle=300)], round_id="r-2"))
        assert 0 == evaluate(books)
        assert [(2,)] == query(url, "SELECT count(*) FROM reporting.evidence_days")
    assert 1 == evaluate(books)


@pytest.mark.parametrize("what", ["altered", "added"])
def test_a_mark_that_was_moved_ahead_lets_nothing_out(sealed: Books, url: str, what: str) -> None:
    """Nor does one of a partition that nobody reads; whoever reads a partition writes its mark again."""
    books = sealed
    until = books.desk.client.run(all_read_until(books.desk.context, books.desk.context.pools.readers))
    assert until is not None
    with tampered(url, read_until, what, "until"):
        assert books.desk.client.run(all_read_until(books.desk.context, books.desk.context.pools.readers)) is None
        note(books)
        again = books.desk.client.run(all_read_until(books.desk.context, books.desk.context.pools.readers))
        assert (what == "added") == (again is None)
    execute(url, "DELETE FROM reporting.read_until")
    note(books)
    again = books.desk.client.run(all_read_until(books.desk.context, books.desk.context.pools.readers))
    assert again is not None
    assert abs(again - until) < timedelta(minutes=10)
