"""Reports that amend others, on a real database: with which amounts and which identifier, and why one does not hold."""

from typing import Any

import pytest

from tests.integration.reporting.test_currency import (
    _ACCEPTED,
    _AMENDMENT,
    Till,
    _feed_steps,
    _moved,
    _report,
    _steps,
    _unprepared,
    sold,
    void,
)
from tests.integration.reporting.test_late_filings import MINUTE, _sent
from tests.integration.reporting.test_winnings import _filing, _identified, _prepared, _returns, _won
from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import TableDays

FIRST, SECOND, THIRD = "31000000000002", "31000000000003", "31000000000004"


def answered(bsa_id: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """FinCEN accepted the only report of a filing."""
    return "filing.acknowledged", {
        "accepted": True,
        "reports": [{"report": 1, "accepted": True, "bsa_id": bsa_id}],
    } | more


def test_an_amendment_with_a_replaced_identifier_stays_visible_after_it_was_sent(books: Books) -> None:
    """It is to be withdrawn; sent and accepted, it is to be corrected, until an amendment of it is accepted."""
    till, ledger = Till(), TableDays()
    books.desk.feed("inventory", sold(ledger, 10_500), sold(ledger, 50_000))
    _feed_steps(books, till, *_steps(*_ACCEPTED))
    _feed_steps(books, till, *_steps(*_ACCEPTED[:2], **_AMENDMENT), filing=2)
    _feed_steps(books, till, answered(SECOND, reason="typed wrong"))

    def filed() -> tuple[Any, ...]:
        [row] = rows_of(_report(books), "filed")
        return names(row, "status", "filing", "amendment", "amended_in_cents", "why")

    why = f"it amends {FIRST}, and {SECOND} was accepted before it"
    assert (("to_withdraw", "1", "2", 6_050_000, why), 1) == (filed(), _unprepared(books))
    _feed_steps(books, till, _steps(*_ACCEPTED)[2], filing=2)
    for _ in ("sent", "accepted"):
        assert (("to_correct", "2", None, None, why), 1) == (filed(), _unprepared(books))
        _feed_steps(books, till, answered(THIRD), filing=2)
    _feed_steps(books, till, *_steps(*_ACCEPTED[:3], **_AMENDMENT | {"amends": THIRD}), filing=3)
    assert ("filed", "3", None, None, "") == filed()


@pytest.mark.parametrize(
    ("dollars", "amends", "why"),
    [
        (60_500, SECOND, f"it amends {SECOND}, and {FIRST} was accepted before it"),
        (60_500, None, f"it amends nothing, and {FIRST} was accepted before it"),
        (11_000, FIRST, "other amounts hold now"),
        (11_000, SECOND, f"other amounts hold now; it amends {SECOND}, and {FIRST} was accepted before it"),
    ],
)
def test_what_is_wrong_with_an_amendment_is_said(books: Books, dollars: int, amends: str | None, why: str) -> None:
    """Of the amendment, not of the report that was sent, beside the amounts of the amendment."""
    till, ledger = Till(), TableDays()
    books.desk.feed("inventory", sold(ledger, 10_500), sold(ledger, 50_000))
    _feed_steps(books, till, *_steps(*_ACCEPTED))
    _feed_steps(books, till, *_steps(_ACCEPTED[0], in_dollars=dollars, amends=amends), filing=2)
    [row] = rows_of(_report(books), "filed")
    assert ("to_withdraw", dollars * 100, 0, why) == names(
        row, "status", "amended_in_cents", "amended_out_cents", "why"
    )


def test_what_need_not_be_reported_is_said_so_although_its_amounts_hold(books: Books) -> None:
    """A file that was made elsewhere has an amount below the threshold, which is what was moved."""
    till = Till()
    books.desk.feed("accounts", till.registered("p-7", "w-7"), till.paid(9_000, "w-7"))
    _feed_steps(books, till, *_steps(_ACCEPTED[0], in_dollars=9_000))
    [row] = rows_of(_report(books), "filed")
    assert ("to_withdraw", 900_000, 900_000, "it need not be reported") == names(
        row, "status", "in_cents", "filed_in_cents", "why"
    )


@pytest.mark.parametrize("patron", ["p-9", None])
def test_who_turns_out_to_be_somebody_has_the_report_of_the_entry(books: Books, patron: str | None) -> None:
    """Prepared, it stands as the amendment of what was accepted, also of the same amount; then as what was filed."""
    till, ledger = Till(), TableDays()
    wrong = sold(ledger, 12_000, None)
    books.desk.feed("inventory", wrong)
    [before] = rows_of(_report(books), "filed")
    entry = {"kind": "entry", "reference": before["entry"]}
    _feed_steps(books, till, *_steps(*_ACCEPTED, in_dollars=12_000, **entry))
    books.desk.feed("inventory", void(ledger, wrong), sold(ledger, 12_000, patron))

    def filed() -> list[tuple[Any, ...]]:
        columns = ("person", "status", "filing", "bsa_id", "amendment", "rejected", "why")
        return sorted(names(row, *columns) for row in rows_of(_report(books), "filed"))

    assert {"due", "to_correct"} == {row[1] for row in filed()}
    [entry_now] = {row["entry"] for row in rows_of(_report(books), "filed")} - {before["entry"]}
    subject = {"kind": "entry", "reference": entry_now} if patron is None else {"kind": "patron", "reference": patron}
    amendment = {"in_dollars": 12_000, "amends": FIRST, **subject}
    who, why = patron or "unknown", f"it is of entry {before['entry']}"
    _feed_steps(books, till, *_steps(*_ACCEPTED[:2], **amendment), filing=2)
    assert ([(who, "to_correct", "1", FIRST, "2", None, why)], 0) == (filed(), _unprepared(books))
    _feed_steps(books, till, _steps(*_ACCEPTED)[2], filing=2)
    assert [(who, "filed", "2", None, None, None, "")] == filed()
    rejected = {"accepted": True, "reports": [{"report": 1, "accepted": False}]}
    _feed_steps(books, till, ("filing.acknowledged", rejected), filing=2)
    assert ([(who, "to_correct", "1", FIRST, None, "2", why)], 1) == (filed(), _unprepared(books))
    _feed_steps(books, till, *_steps(*_ACCEPTED[:3], **amendment), answered(SECOND), filing=3)
    assert ([(who, "accepted", "3", SECOND, None, None, "")], 0) == (filed(), _unprepared(books))


@pytest.mark.parametrize("is_prepared", [True, False])
def test_an_entry_taken_for_another_person_stays_filed_as_that_entry(books: Books, is_prepared: bool) -> None:
    """The first amendment was rejected: the second names whom it was of, and takes the report from the first."""
    till, ledger = Till(), TableDays()
    sale = sold(ledger, 12_000, None)
    books.desk.feed("inventory", sale)
    [before] = rows_of(_report(books), "filed")
    _feed_steps(books, till, *_steps(*_ACCEPTED, in_dollars=12_000, kind="entry", reference=before["entry"]))
    books.desk.feed("inventory", void(ledger, sale), mistaken := sold(ledger, 12_000, "p-9"))
    rejected = {"accepted": True, "reports": [{"report": 1, "accepted": False}]}
    amendment = {"in_dollars": 12_000, "amends": FIRST, "kind": "patron"}
    for filing, patron in enumerate(("p-9", "p-10"), start=2):
        steps = _steps(*_ACCEPTED[:3], **amendment, reference=patron)
        _feed_steps(books, till, *(steps[:1] if is_prepared and patron == "p-10" else steps), filing=filing)
        if patron == "p-9" or not is_prepared:
            _feed_steps(books, till, ("filing.acknowledged", rejected), filing=filing)
        if patron == "p-9":
            books.desk.feed("inventory", void(ledger, mistaken), sold(ledger, 12_000, "p-10"))
            of_nobody = [row for row in rows_of(_report(books), "filed") if row["person"] == "p-9"]
            assert [("to_correct", 0, before["entry"])] == [
                names(row, "status", "in_cents", "filed_entry") for row in of_nobody
            ]
    [row] = rows_of(_report(books), "filed")
    found = names(row, "person", "status", "filing", "amendment", "rejected", "filed_entry")
    assert ("p-10", "to_correct", "1", *(("3", None) if is_prepared else (None, "3")), before["entry"]) == found


def by_agent(till: Till, dollars: int, principal: str = "p-8") -> dict[str, Any]:
    """An agent, p-7, pays currency into the account of a principal."""
    paid = till.paid(dollars, f"w-{principal[-1]}")
    paid["data"] |= {"patron": principal, "conducted_by": "p-7"}
    return paid


def test_what_an_agent_moves_later_amends_the_report_of_the_principal(books: Books) -> None:
    """All that was accepted of the principal is in the agent's report then: an initial one would report it twice."""
    till, ledger = Till(), TableDays()
    books.desk.feed("accounts", till.registered("p-8", "w-8"), by_agent(till, 12_000))
    principal = {"reference": "p-8", "with_others": ["p-7"], "in_dollars": 12_000}
    _feed_steps(books, till, *_steps(*_ACCEPTED, **principal))
    columns = ("person", "status", "reported_with", "filing", "bsa_id", "amendment", "in_cents", "why")

    def filed() -> list[tuple[Any, ...]]:
        return sorted(names(row, *columns) for row in rows_of(_report(books), "filed"))

    both = ("accepted", "1", FIRST, None, 1_200_000, "")
    status, *rest = both
    assert [("p-7", status, "p-8", *rest), ("p-8", status, "", *rest)] == filed()
    own = sold(ledger, 3_000)
    books.desk.feed("inventory", own)

    def of_agent(status: str, *rest: Any) -> list[tuple[Any, ...]]:
        return [("p-7", status, "", *rest), ("p-8", status, "p-7", *rest)]

    why = "other amounts hold now; it should not name p-7; it is of patron p-8"
    why = why.replace("should not name p-7", "does not name p-8; it should not name p-7")
    assert (of_agent("to_correct", "1", FIRST, None, 1_500_000, why), 1) == (filed(), _unprepared(books))
    initial = {"reference": "p-7", "with_others": ["p-8"], "in_dollars": 15_000}
    _feed_steps(books, till, *_steps(_ACCEPTED[0], **initial), filing=2)
    repeated = f"it amends nothing, and {FIRST} was accepted before it"
    assert of_agent("to_withdraw", "1", FIRST, "2", 1_500_000, repeated) == filed()
    _feed_steps(books, till, ("filing.withdrawn", {"by": "title31.eve", "reason": "twice"}), filing=2)
    _feed_steps(books, till, *_steps(*_ACCEPTED[:2], **initial, amends=FIRST), filing=3)
    assert (of_agent("to_correct", "1", FIRST, "3", 1_500_000, why), 0) == (filed(), _unprepared(books))
    _feed_steps(books, till, _steps(*_ACCEPTED)[2], answered(SECOND), filing=3)
    assert of_agent("accepted", "3", SECOND, None, 1_500_000, "") == filed()
    books.desk.feed("inventory", void(ledger, own))
    assert of_agent("to_correct", "3", SECOND, None, 1_200_000, "other amounts hold now") == filed()


def test_the_second_report_that_another_one_has_is_amended_to_nothing(books: Books) -> None:
    """Two principals were reported apart; the agent's report has both, and amends one of them."""
    till = Till()
    for principal in ("p-8", "p-9"):
        paid = by_agent(till, 12_000, principal)
        books.desk.feed("accounts", till.registered(principal, f"w-{principal[-1]}"), paid)
    for number, (principal, bsa_id) in enumerate((("p-8", FIRST), ("p-9", SECOND)), start=1):
        of_principal = {"reference": principal, "with_others": ["p-7"], "in_dollars": 12_000}
        _feed_steps(books, till, *_steps(*_ACCEPTED[:3], **of_principal), answered(bsa_id), filing=number)
    whole = {"reference": "p-7", "with_others": ["p-8", "p-9"], "in_dollars": 24_000, "amends": FIRST}
    _feed_steps(books, till, *_steps(*_ACCEPTED[:3], **whole), answered(THIRD), filing=3)

    def filed() -> list[tuple[Any, ...]]:
        columns = ("person", "status", "reported_with", "filing", "in_cents", "why")
        return sorted(names(row, *columns) for row in rows_of(_report(books), "filed"))

    agent = [("p-7", "accepted", "", "3", 2_400_000, ""), ("p-8", "accepted", "p-7", "3", 2_400_000, "")]
    why = "all of it is in the report of p-7"
    assert ([*agent, ("p-9", "to_correct", "", "2", 0, why)], 1) == (filed(), _unprepared(books))
    nothing = {"reference": "p-9", "in_dollars": 0, "amends": SECOND}
    _feed_steps(books, till, *_steps(*_ACCEPTED[:3], **nothing), answered("31000000000005"), filing=4)
    assert ([*agent, ("p-9", "accepted", "", "4", 0, "")], 0) == (filed(), _unprepared(books))


def test_an_amendment_says_what_is_left_in_each_direction_that_was_filed(books: Books) -> None:
    """Also where the other direction is to be reported still; a report that was not sent has that one alone."""
    till, ledger = Till(), TableDays()
    gone = sold(ledger, 10_500)
    books.desk.feed("inventory", gone, sold(ledger, 2_000), _moved(ledger, 1, "chip_redemption", 11_000))
    both = {"in_dollars": 12_500, "out_dollars": 11_000}
    _feed_steps(books, till, *_steps(*_ACCEPTED[:2], **both))
    books.desk.feed("inventory", void(ledger, gone))
    columns = ("status", "in_cents", "out_cents")

    def filed() -> list[tuple[Any, ...]]:
        return [names(row, *columns) for row in rows_of(_report(books), "filed")]

    assert ([("to_withdraw", 0, 1_100_000)], []) == (filed(), rows_of(_report(books), "below"))
    _feed_steps(books, till, *_steps(*_ACCEPTED)[2:])
    assert [("to_correct", 200_000, 1_100_000)] == filed()
    assert [("in", 200_000)] == [names(row, "direction", "cents") for row in rows_of(_report(books), "below")]
    amendment = {"in_dollars": 2_000, "out_dollars": 11_000, "amends": FIRST}
    _feed_steps(books, till, *_steps(*_ACCEPTED[:3], **amendment), answered(SECOND), filing=2)
    assert ([("accepted", 200_000, 1_100_000)], 0) == (filed(), _unprepared(books))


def test_a_report_that_is_in_that_of_another_person_is_withdrawn_unless_it_was_sent(books: Books) -> None:
    """Its amounts hold, and the same money would be filed twice; what was sent is amended as what it is."""
    till = Till()
    by_agent = till.paid(10_001, "w-8")
    by_agent["data"] |= {"patron": "p-8", "conducted_by": "p-7"}
    books.desk.feed("accounts", till.registered("p-8", "w-8"), by_agent)
    why = "all of it is in the report of p-8"
    for step in _steps(*_ACCEPTED, in_dollars=10_001)[:2]:
        _feed_steps(books, till, step)
        found = {names(row, "person", "status", "why") for row in rows_of(_report(books), "filed")}
        assert ({("p-7", "to_withdraw", why), ("p-8", "due", None)}, 1) == (found, _unprepared(books))
    _feed_steps(books, till, _steps(*_ACCEPTED)[2])
    found = {names(row, "person", "status", "why") for row in rows_of(_report(books), "filed")}
    assert {(person, "to_correct", "it does not name p-8") for person in ("p-7", "p-8")} == found


def test_a_correction_of_a_return_has_its_amounts_beside_those_that_were_sent(books: Books) -> None:
    """Where it is to be withdrawn, they are what is wrong."""
    ledger = TableDays()
    _won(books, ledger)
    first = _returns(books)["W-2G", "p-9"]
    accepted = {"accepted": True, "reports": [{"report": 1, "accepted": True}]}
    answer = _filing(4, "filing.acknowledged", MINUTE, **accepted)
    books.desk.feed("accounts", _prepared(1, MINUTE, first), *_sent(2), answer)
    books.desk.feed("accounts", _prepared(5, MINUTE, first | {"withheld_cents": 60_000}, filing=2))
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=61_000))
    found = names(
        _returns(books)["W-2G", "p-9"],
        *("status", "withheld_cents", "filed_withheld_cents", "amended_withheld_cents", "amended_winnings_cents"),
    )
    assert ("to_withdraw", 61_000, 0, 60_000, 250_000) == found
