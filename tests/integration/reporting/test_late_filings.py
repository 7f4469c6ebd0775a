"""Rejected reports on a real database: late while they are due, and due no more once nothing is to be reported."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from services.reporting.late_filings import observe_late
from tests.integration.reporting.test_currency import (
    _ACCEPTED,
    _AMENDMENT,
    ON_TIME,
    Till,
    _feed_steps,
    _report,
    _steps,
    sold,
    void,
)
from tests.integration.reporting.test_winnings import (
    OVER_UNDER,
    TOTALS,
    _filing,
    _identified,
    _prepared,
    _returns,
    _won,
)
from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import TableDays
from tests.unit.reporting.entries import NOON

REJECTED: dict[str, Any] = {"accepted": True, "reports": [{"report": 1, "accepted": False}]}
AFTER_CTR, AFTER_W_2G = timedelta(days=16), timedelta(days=140)
"""Past the last day of filing, from noon of the gaming day."""
MINUTE = timedelta(minutes=1)


def late(books: Books, after: timedelta) -> float | None:
    """Return the number of late filings so long after the gaming day, as the metric of reporting has it."""
    context = replace(books.desk.context, clock=lambda: NOON + after)
    books.desk.client.run(observe_late(context))
    return context.metrics.registry.get_sample_value("pitledger_filings_late")


def rejected(books: Books, till: Till, filing: int = 1, **report: Any) -> None:
    """Let reporting read a filing that was sent in time and rejected."""
    steps = [*_steps(*_ACCEPTED[:2], **report), ("filing.filed", ON_TIME | {"tracking_id": f"26000000000{filing}"})]
    _feed_steps(books, till, *steps, ("filing.acknowledged", REJECTED), filing=filing)


def filed(books: Books) -> list[tuple[Any, ...]]:
    """Return what became of each person's report."""
    return [names(row, "status", "filing", "rejected") for row in rows_of(_report(books), "filed")]


def test_a_rejected_report_is_late_while_it_is_due(books: Books) -> None:
    """From the day after its last day until it is in another file, or its movements are void."""
    till, ledger = Till(), TableDays()
    sale = sold(ledger, 10_500)
    books.desk.feed("inventory", sale)
    assert 0 == late(books, AFTER_CTR)
    rejected(books, till)
    assert [("rejected", "1", "1")] == filed(books)
    assert [0, 1] == [late(books, after) for after in (AFTER_CTR - timedelta(days=1), AFTER_CTR)]
    _feed_steps(books, till, *_steps(_ACCEPTED[0]), filing=2)
    assert ([("prepared", "2", None)], 0) == (filed(books), late(books, AFTER_CTR))
    _feed_steps(books, till, ("filing.withdrawn", {"reason": "another document"}), filing=2)
    assert 1 == late(books, AFTER_CTR)
    books.desk.feed("inventory", void(ledger, sale))
    assert ([], 0) == (filed(books), late(books, AFTER_CTR))


def test_a_rejected_amendment_is_late_until_what_was_accepted_holds_again(books: Books) -> None:
    """While the report is to be corrected, the amendment must be filed again; afterwards nothing is due."""
    till, ledger = Till(), TableDays()
    books.desk.feed("inventory", sold(ledger, 10_500))
    accepted = _steps(*_ACCEPTED)[3]
    _feed_steps(books, till, *_steps(*_ACCEPTED[:2]), ("filing.filed", ON_TIME), accepted)
    late_sale = sold(ledger, 50_000)
    books.desk.feed("inventory", late_sale)
    assert ([("to_correct", "1", None)], 0) == (filed(books), late(books, AFTER_CTR))
    rejected(books, till, filing=2, **_AMENDMENT)
    assert ([("to_correct", "1", "2")], 1) == (filed(books), late(books, AFTER_CTR))
    books.desk.feed("inventory", void(ledger, late_sale))
    assert ([("accepted", "1", None)], 0) == (filed(books), late(books, AFTER_CTR))


@pytest.mark.parametrize("is_reversed", [True, False])
def test_a_rejected_return_is_due_no_more_once_its_win_is_gone(books: Books, is_reversed: bool) -> None:
    """The round was reversed, or somebody else won it, whose return is another one; until then it is late."""
    ledger = TableDays()
    _won(books, ledger)
    first = _returns(books)["W-2G", "p-9"]
    books.desk.feed(
        "accounts", _prepared(1, MINUTE, first), *_sent(2), _filing(4, "filing.acknowledged", MINUTE, **REJECTED)
    )
    assert ("rejected", "1") == names(_returns(books)["W-2G", "p-9"], "status", "rejected")
    assert [0, 1] == [late(books, after) for after in (MINUTE * 9, AFTER_W_2G)]
    if is_reversed:
        books.desk.feed("settlements", books.reversed(5, "BJ-01", TOTALS, round_id="r-1", **OVER_UNDER))
    else:
        books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", patron="p-11"))
    assert (False, not is_reversed) == tuple(("W-2G", patron) in _returns(books) for patron in ("p-9", "p-11"))
    assert 0 == late(books, AFTER_W_2G)


def test_a_rejected_correction_is_due_no_more_once_what_was_accepted_holds_again(books: Books) -> None:
    """Until then the return is to be corrected, and the correction late."""
    ledger = TableDays()
    _won(books, ledger)
    first = _returns(books)["W-2G", "p-9"]
    accepted = {"accepted": True, "reports": [{"report": 1, "accepted": True}]}
    books.desk.feed(
        "accounts", _prepared(1, MINUTE, first), *_sent(2), _filing(4, "filing.acknowledged", MINUTE, **accepted)
    )
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=60_000))
    changed = _prepared(5, MINUTE, first | {"withheld_cents": 60_000}, filing=2)
    answer = _filing(8, "filing.acknowledged", MINUTE, **REJECTED, filing=2)
    books.desk.feed("accounts", changed, *_sent(6, filing=2), answer)
    found = _returns(books)["W-2G", "p-9"]
    assert (("to_correct", "1", "2"), 1) == (names(found, "status", "filing", "rejected"), late(books, AFTER_W_2G))
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=0))
    found = _returns(books)["W-2G", "p-9"]
    assert (("accepted", "1", None), 0) == (names(found, "status", "filing", "rejected"), late(books, AFTER_W_2G))


@pytest.mark.parametrize(("answers", "status"), [((True, False), "rejected"), ((False, True), "accepted")])
def test_each_of_two_returns_that_correct_one_is_filed_again(
    books: Books, answers: tuple[bool, bool], status: str
) -> None:
    """A mended name: a return to nothing and a new one. Whichever was rejected, the filing is late."""
    _won(books, TableDays())
    first = _returns(books)["W-2G", "p-9"]
    accepted = {"accepted": True, "reports": [{"report": 1, "accepted": True}]}
    books.desk.feed(
        "accounts", _prepared(1, MINUTE, first), *_sent(2), _filing(4, "filing.acknowledged", MINUTE, **accepted)
    )
    both = _prepared(5, MINUTE, first | {"winnings_cents": 0}, first, filing=2)
    reports = [{"report": number, "accepted": one} for number, one in enumerate(answers, start=1)]
    answer = _filing(8, "filing.acknowledged", MINUTE, accepted=True, reports=reports, filing=2)
    books.desk.feed("accounts", both, *_sent(6, filing=2), answer)
    assert (status, "2", "2") == names(_returns(books)["W-2G", "p-9"], "status", "filing", "rejected")
    assert 1 == late(books, AFTER_W_2G)


def _sent(seq: int, filing: int = 1) -> list[dict[str, Any]]:
    """The returns of a filing were released and sent."""
    released = {"by": "tax.sam", "prepared_by": "tax.eve", "content_sha256": "5" * 64}
    sent = {"filed_at": NOON.isoformat(), "tracking_id": f"2026-{filing}"}
    return [
        _filing(seq, "filing.released", MINUTE, **released, filing=filing),
        _filing(seq + 1, "filing.filed", MINUTE, **sent, filing=filing),
    ]
