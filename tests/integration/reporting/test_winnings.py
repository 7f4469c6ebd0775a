"""The log of winnings on a real database: settled rounds go in, candidates and numbered forms come out over HTTP."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.properties import property_event
from tests.support.published import published
from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import TableDays
from tests.unit.reporting.entries import DAY, NOON, total

CLERK = "cage.lou"
TOTALS = [total("exact", handle=500, payout=250_500)]
OVER_UNDER = {"game": "over-under", "regulation": "pa-686a"}


def _line(stake: int, payout: int, seat: int = 3, **more: Any) -> dict[str, Any]:
    """A side bet of a stake, dollars, that was paid so many dollars on top of it."""
    line = {"seat": seat, "wager": "exact", "stake": stake * 100, "payout": payout * 100, "from_meter": 0}
    return (
        line
        | {"stake_returned": stake * 100 if payout else 0, "paid_by": "house", "outcome": "win" if payout else "lose"}
        | more
    )


def _posted(books: Books, seq: int, *lines: dict[str, Any], round_id: str = "", **more: Any) -> dict[str, Any]:
    return books.posted(seq, "BJ-01", TOTALS, round_id=round_id, lines=list(lines), **OVER_UNDER | more)


def _log(books: Books, more: str = "") -> dict[str, Any]:
    answer = books.get(books.path("winnings", more), person=CLERK)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    assert all(one["holds"] for one in report["content"]["identities"])
    return report


def _forms(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [names(row, "form", "number", "wins", "amount_cents") for row in rows_of(report, "forms")]


def test_a_win_above_the_threshold_has_a_form(books: Books) -> None:
    """Amount and ratio decide, by the wager; what a banking player pays is none; an account leads to its patron."""
    opened = {"property": "riverside", "by": "cage.ann", "account": "ga-1", "table": "BJ-01", "patron": "p-77"}
    at = NOON + timedelta(seconds=1)
    entry = published("account.opened", opened, service="wagering-accounts", sequence=1, at=at)
    books.desk.feed("accounts", entry)
    credit = {"account": "ga-1", "seat": 3, "wager": "exact", "staked_cents": 500, "credited_cents": 250_500}
    books.desk.feed(
        "settlements",
        _posted(books, 1, _line(1, 500), _line(10_000, 10_000, seat=1), _line(5, 2500, paid_by="bank"), round_id="r-1"),
        _posted(books, 2, _line(5, 0, seat=1), _line(5, 2500), round_id="r-2", account_credits=[credit]),
        _posted(books, 3, _line(20, 6_000, seat=4), round_id="r-3"),
    )
    report = _log(books)
    found = [row for row in rows_of(report, "candidates") if row["form"] == "W-2G"]
    assert [
        ("r-2/3/exact", 250_000, "500", 200_000, 300, "ga-1", "p-77", 0, 60_000, "unconfirmed"),
        ("r-3/4/exact", 600_000, "300", 200_000, 300, None, None, 144_000, 0, "unconfirmed"),
    ] == [
        names(
            row,
            *("win", "amount_cents", "ratio", "threshold_cents", "least_ratio", "account", "patron"),
            *("regular_cents", "backup_cents", "status"),
        )
        for row in found
    ]
    assert [
        ("1042-S", 1, "r-2/3/exact", 250_000),
        ("1042-S", 2, "r-3/4/exact", 600_000),
        ("W-2G", 1, "r-2/3/exact", 250_000),
        ("W-2G", 2, "r-3/4/exact", 600_000),
    ] == sorted(_forms(report))
    marks = [mark["what"] for mark in report["content"]["marks"]]
    assert "reportable_winnings.w_2g_table_wager.threshold_cents" in marks
    cell = f"&cell=candidates/W-2G|BJ-01|{found[0]['win'].replace('/', '%252F')}/amount_cents"
    explained = books.get(books.path("winnings/entries", cell), person=CLERK).json()
    assert [("round-settlement", 2)] == [names(one, "service", "seq") for one in explained["entries"]]


def _identified(ledger: TableDays, round_id: str, **more: Any) -> dict[str, Any]:
    """A cashier recorded who won on the side bet at seat 3."""
    said = {"property": "riverside", "table": "BJ-01", "gaming_day": DAY, "round_id": round_id, "seat": 3}
    said |= {"wager": "exact", "patron": "p-9", "tax_number": "given", "by": "cage.ann", "at": NOON.isoformat()}
    return ledger.entry("winner.identified", said | more)


def test_the_log_has_who_won_and_what_was_done_about_the_form(books: Books) -> None:
    """A resident has no 1042-S, a known nonresident no W-2G; what is said last stands, from then on."""
    ledger = TableDays()
    books.desk.feed(
        "settlements",
        _posted(books, 1, _line(5, 2500), round_id="r-1"),
        _posted(books, 2, _line(5, 3000), round_id="r-2"),
    )
    books.desk.feed(
        "inventory",
        _identified(ledger, "r-1", tax_residence="US", withheld_cents=5_000),
        _identified(ledger, "r-2", tax_residence="CA", patron="p-8"),
    )
    asked = f"&known_at={ledger.last_recorded.isoformat().replace('+', '%2B')}"
    before = books.get(books.path("winnings", asked), person=CLERK).content
    done = {"form_number": "2026-17", "identified_by": ["passport"], "filed_on": "2027-01-31", "before_cents": 5_000}
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=6_000, **done))
    assert before == books.get(books.path("winnings", asked), person=CLERK).content
    report = _log(books)
    assert [
        ("W-2G", "p-9", "US", "2026-17", "passport", "given", 6_000, "2027-01-31"),
        ("1042-S", "p-8", "CA", None, None, "given", None, None),
    ] == [
        names(
            row,
            *(
                "form",
                "patron",
                "residence",
                "form_number",
                "identified_by",
                "tax_number",
                "withheld_cents",
                "filed_on",
            ),
        )
        for row in rows_of(report, "forms")
    ]
    assert ["W-2G", "1042-S"] == [row["form"] for row in rows_of(report, "candidates")]
    cell = "&cell=forms/W-2G|2026|1/withheld_cents"
    found = books.get(books.path("winnings/entries", cell), person=CLERK).json()["entries"]
    assert [("table-inventory", 3)] == [names(one, "service", "seq") for one in found]


def test_tax_that_had_to_be_withheld_and_was_not_recorded_is_named(books: Books) -> None:
    """Federal and state apart; 0 is recorded; where nothing had to be, nothing is missing."""
    books.desk.feed("properties", property_event(sequence=3, version=2, packs=["us-ri", "us-federal"]))
    books.desk.feed(
        "settlements",
        *(_posted(books, seq, _line(20, 6000), round_id=f"r-{seq}") for seq in (1, 2, 3)),
        _posted(books, 4, _line(5, 2500), round_id="r-4"),
    )
    ledger = TableDays()
    books.desk.feed(
        "inventory",
        _identified(ledger, "r-1", tax_residence="US"),
        _identified(ledger, "r-2", tax_residence="US", withheld_cents=0),
        _identified(ledger, "r-3", tax_residence="US", withheld_cents=144_000, state_withheld_cents=0),
        _identified(ledger, "r-4", tax_residence="US"),
    )
    taxes = ("regular_cents", "state_cents", "withheld_cents", "state_withheld_cents", "unrecorded_cents")
    state = 8_626
    assert [
        (144_000, state, None, None, 144_000 + state),
        (144_000, state, 0, None, state),
        (144_000, state, 144_000, 0, 0),
        (0, 0, 0, 0, 0),
    ] == [names(row, *taxes) for row in rows_of(_log(books), "forms")]


def test_small_wins_of_known_nonresident_aliens_are_reported(books: Books) -> None:
    """From the first dollar: of accounts whose patron is one, and of chips as a cashier said; of nobody else."""
    at = NOON + timedelta(seconds=1)
    about: dict[str, Any] = {"property": "riverside", "by": "cage.ann"}
    opened = [about | {"account": f"ga-{number}", "table": "BJ-01", "patron": f"p-{number}"} for number in (1, 2, 3)]
    settled_in = [
        about | {"patron": f"p-{number}", "country": country, "reason": "passport"}
        for number, country in ((1, "CA"), (2, "US"))
    ]
    said = [("account.opened", one) for one in opened] + [("patron.tax_residence_set", one) for one in settled_in]
    entries = [
        published(kind, data, service="wagering-accounts", sequence=number, at=at)
        for number, (kind, data) in enumerate(said, 1)
    ]
    books.desk.feed("accounts", *entries)
    credited = [
        {"account": f"ga-{seat}", "seat": seat, "wager": "exact", "staked_cents": 1000, "credited_cents": 2000}
        for seat in (1, 2, 3)
    ]
    won = [_line(10, 10, seat=seat) for seat in (1, 2, 3, 4)]
    books.desk.feed(
        "settlements",
        _posted(books, 1, *won, round_id="r-1", account_credits=credited),
        _posted(books, 2, *won, round_id="r-2"),
        _posted(books, 3, *won, round_id="r-3"),
        books.reversed(4, "BJ-01", TOTALS, round_id="r-3", **OVER_UNDER),
    )
    ledger = TableDays()
    paid = {"paid": {"regulation": "pa-686a", "stake_cents": 1000, "winnings_cents": 1000}}
    books.desk.feed(
        "inventory",
        _identified(ledger, "r-1", tax_residence="MX", patron="p-3", **paid),
        _identified(ledger, "r-2", tax_residence="MX", withheld_cents=300, **paid),
        _identified(ledger, "r-3", tax_residence="MX", **paid),
        _identified(ledger, "r-2", seat=4, tax_residence="US", **paid),
    )
    report = _log(books)
    assert [
        ("r-1/1/exact", "1042-S", 1000, 300, "p-1", "CA", "ga-1"),
        ("r-1/3/exact", "1042-S", 1000, 300, "p-3", "MX", "ga-3"),
        ("r-2/3/exact", "1042-S", 1000, 300, "p-9", "MX", None),
    ] == sorted(
        names(row, *("win", "form", "amount_cents", "regular_cents", "patron", "residence", "account"))
        for row in rows_of(report, "candidates")
    )
    assert [300] == [row["withheld_cents"] for row in rows_of(report, "forms") if row["wins"] == "r-2/3/exact"]
    cell = f"&cell=candidates/1042-S|BJ-01|{'r-2/3/exact'.replace('/', '%252F')}/amount_cents"
    found = books.get(books.path("winnings/entries", cell), person=CLERK).json()["entries"]
    assert [("table-inventory", 2)] == [names(one, "service", "seq") for one in found]


def test_without_a_choice_of_the_property_law_says_whether_the_wager_comes_off(books: Books) -> None:
    """The page says so; with a choice it does not need to."""
    books.desk.feed("settlements", _posted(books, 1, _line(4, 1996), round_id="r-1"))
    assert "choice of the licensee" not in [mark["what"] for mark in _log(books)["content"]["marks"]]
    assert ["1042-S"] == [row["form"] for row in rows_of(_log(books), "candidates")]
    silent = property_event(
        sequence=3, version=2, effective_from="2026-11-01T00:00:00Z", winnings_reduced_by_wager=None
    )
    books.desk.feed("properties", silent)
    report = _log(books)
    assert [("W-2G", 200_000)] == [
        names(row, "form", "amount_cents") for row in rows_of(report, "candidates") if row["form"] == "W-2G"
    ]
    [mark] = [mark for mark in report["content"]["marks"] if mark["what"] == "choice of the licensee"]
    assert "w_2g_table_wager: none was made, so if_payer_chooses holds" == mark["note"]


def test_a_property_may_report_all_of_a_patron_on_a_day_on_one_form(books: Books) -> None:
    """As the version of the property says that is in effect on the gaming day; the residence is that of the patron."""
    since = "2026-11-01T00:00:00Z"
    chosen = property_event(sequence=3, version=2, effective_from=since, winnings_forms="patron_day")
    books.desk.feed("properties", chosen)
    at = NOON + timedelta(seconds=1)
    resident = {"property": "riverside", "by": "cage.ann", "patron": "p-9", "country": "US", "reason": "passport"}
    books.desk.feed(
        "accounts", published("patron.tax_residence_set", resident, service="wagering-accounts", sequence=1, at=at)
    )
    books.desk.feed(
        "settlements",
        _posted(books, 1, _line(5, 2500), round_id="r-1"),
        _posted(books, 2, _line(5, 3000), round_id="r-2"),
        _posted(books, 3, _line(5, 3500), round_id="r-3"),
    )
    ledger = TableDays()
    books.desk.feed("inventory", _identified(ledger, "r-1"), _identified(ledger, "r-2", withheld_cents=100))
    assert [("W-2G", "p-9", 550_000, 100), ("W-2G", None, 350_000, None), ("1042-S", None, 350_000, None)] == [
        names(row, "form", "patron", "amount_cents", "withheld_cents") for row in rows_of(_log(books), "forms")
    ]


def test_a_round_that_is_taken_back_takes_its_win_with_it(books: Books) -> None:
    """A correction has its own; as known before, it is there; the next win of the year has the number."""
    books.desk.feed("settlements", _posted(books, 1, _line(5, 2500), round_id="r-1"))
    before = f"&known_at={(NOON + timedelta(seconds=1)).isoformat().replace('+', '%2B')}"
    asked = books.path("winnings", before)
    first = books.get(asked, person=CLERK).content
    books.desk.feed(
        "settlements",
        books.reversed(2, "BJ-01", TOTALS, round_id="r-1", **OVER_UNDER),
        _posted(books, 3, _line(5, 3000), round_id="r-1", revision=2),
        _posted(books, 4, _line(5, 4000), round_id="r-9"),
    )
    assert first == books.get(asked, person=CLERK).content
    assert [("W-2G", 1, "r-1/3/exact", 300_000), ("W-2G", 2, "r-9/3/exact", 400_000)] == [
        form for form in _forms(_log(books)) if form[0] == "W-2G"
    ]


def test_a_win_is_the_same_whatever_else_its_round_is_corrected_to(books: Books) -> None:
    """Another seat's line before it, or another wager of the seat, makes no new return of what was filed."""
    _won(books, TableDays())
    first, minute = _returns(books)["W-2G", "p-9"], timedelta(minutes=1)
    books.desk.feed(
        "accounts",
        _prepared(1, minute, first),
        _filing(2, "filing.released", minute, by="tax.sam", prepared_by="tax.eve", content_sha256="5" * 64),
        _filing(3, "filing.filed", minute, filed_at=NOON.isoformat(), tracking_id="2026-17"),
        _filing(4, "filing.acknowledged", minute, accepted=True, reports=[{"report": 1, "accepted": True}]),
    )
    books.desk.feed(
        "settlements",
        books.reversed(5, "BJ-01", TOTALS, round_id="r-1", **OVER_UNDER),
        _posted(books, 6, _line(5, 0, seat=1), _line(5, 0, wager="bonus"), _line(5, 2500), round_id="r-1", revision=2),
    )
    [found] = [row for row in rows_of(_log(books, YEAR), "returns") if row["patron"] == "p-9"]
    assert ("accepted", first["account_number"], 250_000) == names(found, "status", "account_number", "winnings_cents")


@pytest.mark.parametrize(
    ("second", "residence", "form"), [(500, "US", "W-2G"), (6000, "US", "W-2G"), (500, "CA", "1042-S")]
)
def test_the_lines_of_one_wager_are_one_win_as_the_cashier_recorded_it(
    books: Books, second: int, residence: str, form: str
) -> None:
    """An Envy Bonus has a line for each other hand; what was withheld counts once, also where one line is small."""
    envy: dict[str, Any] = {"wager": "envy_bonus", "stake_returned": 0}
    won_cents = (5_000 + second) * 100
    books.desk.feed("settlements", _posted(books, 1, _line(0, 5000, **envy), _line(0, second, **envy), round_id="r-1"))
    paid = {"regulation": "pa-686a", "stake_cents": 0, "winnings_cents": won_cents}
    said = {"tax_residence": residence, "withheld_cents": 165_000, "paid": paid}
    books.desk.feed("inventory", _identified(TableDays(), "r-1", wager="envy_bonus", **said))
    report = _log(books, YEAR)
    assert [(form, "r-1/3/envy_bonus", won_cents, 165_000)] == [
        names(row, "form", "wins", "amount_cents", "withheld_cents") for row in rows_of(report, "forms")
    ]
    assert [(won_cents, 165_000)] == [
        names(row, "winnings_cents", "withheld_cents") for row in rows_of(report, "returns")
    ]


def test_the_year_of_the_payment_has_the_threshold(books: Books) -> None:
    """On the clock of the property: New Year's Eve goes on after midnight under the threshold of the new year."""
    eve = {"gaming_day": "2025-12-31"}
    books.desk.feed(
        "settlements",
        _posted(books, 1, _line(2, 1000), round_id="r-1", closed_at="2026-01-01T04:59:59Z", **eve),
        _posted(books, 2, _line(2, 1000), round_id="r-2", closed_at="2026-01-01T05:00:00Z", **eve),
    )
    answer = books.get("/reports/winnings?property=riverside&gaming_day=2025-12-31", person=CLERK).json()
    found = [row for row in rows_of(answer, "candidates") if row["form"] == "W-2G"]
    assert [("r-1/3/exact", "2025-12-31", 60_000)] == [names(row, "win", "paid_on", "threshold_cents") for row in found]


def test_a_year_has_what_was_paid_in_it(books: Books) -> None:
    """On the clock of the property: the night of New Year's Eve is of both years, its gaming day of the old one alone.

    A win is paid when its round is closed; or when a cashier says so, whenever its form is dealt with.
    """
    eve, autumn = {"gaming_day": "2025-12-31"}, {"gaming_day": "2025-11-20", "closed_at": "2025-11-20T18:00:00Z"}
    books.desk.feed(
        "settlements",
        _posted(books, 1, _line(5, 2500), round_id="before", closed_at="2026-01-01T04:59:59Z", **eve),
        _posted(books, 2, _line(5, 3000), round_id="after", closed_at="2026-01-01T05:00:00Z", **eve),
        _posted(books, 3, _line(5, 3500), round_id="later", **autumn),
        _posted(books, 4, _line(10, 10), round_id="small", **autumn),
        _posted(books, 5, _line(10, 10), gaming_day="2026-01-02", closed_at="2026-01-02T18:00:00Z"),
    )
    ledger = TableDays()
    paid = {"paid": {"regulation": "pa-686a", "stake_cents": 1000, "winnings_cents": 1000}}
    books.desk.feed(
        "inventory",
        _identified(ledger, "later", gaming_day="2025-11-20", tax_residence="US", paid_on="2026-01-02"),
        _identified(ledger, "small", gaming_day="2025-11-20", tax_residence="MX", **paid),
    )

    def asked(period: str) -> list[tuple[str, str]]:
        answer = books.get(f"/reports/winnings?property=riverside&{period}", person=CLERK)
        assert answer.status_code == 200, answer.text
        report = answer.json()
        assert all(one["holds"] for one in report["content"]["identities"])
        return sorted({(row["win"].partition("/")[0], row["paid_on"]) for row in rows_of(report, "candidates")})

    assert [("after", "2026-01-01"), ("before", "2025-12-31")] == asked("gaming_day=2025-12-31")
    assert [("before", "2025-12-31"), ("small", "2025-11-20")] == asked("gaming_day=2025-07-01&period=year")
    assert [("after", "2026-01-01"), ("later", "2026-01-02")] == asked("gaming_day=2026-07-01&period=year")


@pytest.mark.parametrize(("person", "status"), [("audit.kim", 403), ("games.ray", 403), (CLERK, 200)])
def test_reports_about_patrons_take_a_role_of_their_own(books: Books, person: str, status: int) -> None:
    """Who reads the books of tables does not read what persons won."""
    books.desk.feed("settlements", _posted(books, 1, _line(5, 2500)))
    answer = books.get(books.path("winnings"), person=person)
    assert status == answer.status_code
    if status == 403:
        assert_problem(answer, 403, "patrons.report")
    assert 403 == books.get(books.path("master-game"), person=CLERK).status_code


COUNTED = {"CR-01": {"game": "craps", "play": "counted"}, "EZ-01": {"game": "ez-baccarat", "play": "counted"}}
GAMES = [{"game": "craps", "kind": "craps"}, {"game": "ez-baccarat", "kind": "minibaccarat"}]


def _won_at(ledger: TableDays, minute: int, wager: str, paid: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A cashier recorded a win at a counted table, so many minutes after noon."""
    said = {"property": "riverside", "table": "CR-01", "gaming_day": DAY, "seat": 3, "wager": wager, "patron": "p-9"}
    said |= {"won_at": (NOON + timedelta(minutes=minute)).isoformat(), "paid": paid, "tax_number": "given"}
    return ledger.entry("winner.identified", said | {"by": "cage.ann", "at": NOON.isoformat()} | more)


def test_a_win_at_a_counted_table_is_reported_without_a_round(books: Books) -> None:
    """By what was paid; a game that a form leaves out is known by its kind, and a side bet of it is reported."""
    books.desk.feed("properties", property_event(tables=COUNTED, games=GAMES, sequence=3, version=2))
    ledger, abroad = TableDays(), {"tax_residence": "CA", "table": "EZ-01"}
    fire: dict[str, Any] = {"stake_cents": 500, "winnings_cents": 500_000, "odds": "1000 to 1", "side_bet": True}
    books.desk.feed(
        "inventory",
        _won_at(ledger, 1, "fire", fire, tax_residence="US", wager_words="Fire Bet"),
        _won_at(ledger, 2, "pass", {"stake_cents": 500_000, "winnings_cents": 500_000}, tax_residence="US"),
        _won_at(ledger, 3, "banker", {"stake_cents": 10_000, "winnings_cents": 10_000}, **abroad),
        _won_at(ledger, 4, "dragon-7", {"stake_cents": 100, "winnings_cents": 4_000, "side_bet": True}, **abroad),
    )
    columns = ("form", "table", "wager", "win", "amount_cents", "odds", "ratio", "regular_cents")
    report = _log(books)
    assert [
        ("W-2G", "CR-01", "Fire Bet", "2026-11-20T12:01Z/3/fire", 500_000, "1000 to 1", "1000", 0),
        ("1042-S", "EZ-01", "dragon-7", "2026-11-20T12:04Z/3/dragon-7", 4_000, None, "40", 1_200),
    ] == [names(row, *columns) for row in rows_of(report, "candidates")]
    assert ["p-9", "p-9"] == [row["patron"] for row in rows_of(report, "forms")]
    cell = "&cell=forms/W-2G|2026|1/amount_cents"
    found = books.get(books.path("winnings/entries", cell), person=CLERK).json()["entries"]
    assert [("table-inventory", 1)] == [names(one, "service", "seq") for one in found]


def test_a_capped_win_is_reported_by_what_was_paid(books: Books) -> None:
    """500 times the wager is on a form with the limit; 200 times is on none, though the odds would make 999."""
    books.desk.feed("properties", property_event(tables=COUNTED, games=GAMES, sequence=3, version=2))
    ledger = TableDays()
    fire: dict[str, Any] = {"stake_cents": 5_000, "odds": "999 to 1", "capped": "aggregate limit", "side_bet": True}
    books.desk.feed(
        "inventory",
        _won_at(ledger, 1, "fire", fire | {"winnings_cents": 2_500_000}, tax_residence="US"),
        _won_at(ledger, 2, "fire", fire | {"winnings_cents": 1_000_000}, tax_residence="US"),
    )
    columns = ("form", "stake_cents", "amount_cents", "odds", "capped", "ratio")
    assert [("W-2G", 5_000, 2_500_000, "999 to 1", "aggregate limit", "500")] == [
        names(row, *columns) for row in rows_of(_log(books), "candidates")
    ]


def test_what_known_patrons_buy_at_a_counted_table_is_in_the_currency_log(books: Books) -> None:
    """A sale that the table does not have to report is in it where the pit reports who bought."""
    counted = {"CR-01": {"game": "craps", "play": "counted", "sales": "none"}}
    books.desk.feed("properties", property_event(tables=counted, games=GAMES[:1], sequence=3, version=2))
    ledger = TableDays()
    sales = [
        ledger.pit("chips.sold", "CR-01", moved=-cents, cents=cents, instrument="currency", dealer="d.1", patron="p-9")
        for cents in (600_000, 500_000)
    ]
    books.desk.feed("inventory", *sales)
    report = books.get(books.path("currency"), person=CLERK).json()
    assert [("p-9", 1_100_000)] == [names(row, "person", "cents") for row in rows_of(report, "reportable")]
    log = [names(row, "department", "place", "cents") for row in rows_of(report, "log") if row["person"] == "p-9"]
    assert [("table", "CR-01", 600_000), ("table", "CR-01", 500_000)] == log


YEAR = "&period=year"


def _returns(books: Books, more: str = YEAR) -> dict[tuple[str, Any], dict[str, Any]]:
    """The returns of a year, by form and patron."""
    return {(row["form"], row["patron"]): row for row in rows_of(_log(books, more), "returns")}


def _filing(seq: int, kind: str, at: timedelta, **data: Any) -> dict[str, Any]:
    """A step of the first filing was taken, so long after noon of the day."""
    said = {"property": "riverside", "filing": 1, "by": "tax.eve"} | data
    return published(kind, said, service="wagering-accounts", sequence=seq, at=NOON + at)


def _prepared(seq: int, at: timedelta, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The returns of these rows were prepared as they stand."""
    reports = [
        {
            "kind": "patron",
            "reference": row["patron"],
            "report": number,
            "account_number": row["account_number"],
            "winnings_cents": row["winnings_cents"],
            "withheld_cents": row["withheld_cents"] or 0,
            "state_withheld_cents": row["state_withheld_cents"],
        }
        for number, row in enumerate(rows, start=1)
    ]
    said = {"form": "w_2g", "period": "2026", "file_by": "2027-03-31", "copy_by": "2027-02-01", "reports": reports}
    whole = said | {"content_sha256": "5" * 64, "content_bytes": 7000} | more
    return _filing(seq, "filing.prepared", at, **whole)


def _won(books: Books, ledger: TableDays) -> None:
    """A resident won twice, and somebody from Canada, of whom cashiers recorded what was withheld."""
    books.desk.feed(
        "settlements",
        _posted(books, 1, _line(5, 2500), round_id="r-1"),
        _posted(books, 2, _line(20, 6000), round_id="r-2"),
        _posted(books, 3, _line(5, 3000), round_id="r-3"),
        _posted(books, 4, _line(5, 4000), round_id="r-4"),
    )
    books.desk.feed(
        "inventory",
        _identified(ledger, "r-1", tax_residence="US"),
        _identified(ledger, "r-2", tax_residence="US", patron="p-10", withheld_cents=144_000),
        _identified(ledger, "r-3", tax_residence="CA", patron="p-8", withheld_cents=90_000),
        _identified(ledger, "r-4", tax_residence="CA", patron="p-8", withheld_cents=120_000),
    )


def test_a_year_has_a_return_for_each_form_or_recipient(books: Books) -> None:
    """A W-2G for each form of the log, a 1042-S for all wins of a foreign winner; each with the days of the pack."""
    _won(books, TableDays())
    found = _returns(books)
    columns = ("forms", "winnings_cents", "regular_cents", "withheld_cents", "copy_by", "file_by", "status", "late")
    assert {
        ("W-2G", "p-9"): (1, 250_000, 0, 0, "2027-02-01", "2027-03-31", "due", ""),
        ("W-2G", "p-10"): (1, 600_000, 144_000, 144_000, "2027-02-01", "2027-03-31", "due", ""),
        ("1042-S", "p-8"): (2, 700_000, 210_000, 210_000, "2027-03-15", "2027-03-15", "due", ""),
    } == {key: names(row, *columns) for key, row in found.items()}
    assert all(len(row["account_number"]) == 10 for row in found.values())
    assert sum(row["winnings_cents"] for row in found.values()) == sum(
        row["amount_cents"] for row in rows_of(_log(books, YEAR), "forms")
    )
    assert {} == _returns(books, "&period=month")
    late = _returns(books, f"{YEAR}&known_at=2027-03-20T12:00:00Z")
    assert ("late", "") == (late["1042-S", "p-8"]["late"], late["W-2G", "p-9"]["late"])


def test_a_return_that_changed_after_it_was_sent_is_to_be_corrected(books: Books) -> None:
    """Another amount, another winner, a round that is gone; of a file that was not sent, it is to be withdrawn."""
    ledger = TableDays()
    _won(books, ledger)
    first, second = (_returns(books)["W-2G", patron] for patron in ("p-9", "p-10"))
    minute = timedelta(minutes=1)
    books.desk.feed("accounts", _prepared(1, minute, first, second))
    assert {"prepared", "due"} == {row["status"] for row in _returns(books).values()}
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=60_000))
    assert "to_withdraw" == _returns(books)["W-2G", "p-9"]["status"]
    released = {"by": "tax.sam", "prepared_by": "tax.eve", "content_sha256": "5" * 64}
    filed = {"filed_at": (NOON + 3 * minute).isoformat(), "tracking_id": "2026-17"}
    books.desk.feed(
        "accounts",
        _filing(2, "filing.released", 2 * minute, **released),
        _filing(3, "filing.filed", 3 * minute, **filed),
    )
    columns = ("status", "winnings_cents", "withheld_cents", "filed_winnings_cents", "filed_withheld_cents", "filing")
    found = _returns(books)
    assert ("to_correct", 250_000, 60_000, 250_000, 0, "1") == names(found["W-2G", "p-9"], *columns)
    assert ("filed", 600_000, 144_000, 600_000, 144_000, "1") == names(found["W-2G", "p-10"], *columns)

    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", patron="p-11"))
    books.desk.feed("settlements", books.reversed(5, "BJ-01", TOTALS, round_id="r-2", **OVER_UNDER))
    found = _returns(books)
    assert ("to_correct", 0, 0, 250_000, 0, "1") == names(found["W-2G", "p-9"], *columns)
    assert ("to_correct", 0, 0, 600_000, 144_000, "1") == names(found["W-2G", "p-10"], *columns)
    assert ("due", 250_000, None) == names(found["W-2G", "p-11"], "status", "winnings_cents", "filing")
    assert first["account_number"] == found["W-2G", "p-9"]["account_number"]
    assert ("W-2G", "p-10") not in _returns(books, f"{YEAR}&table=BJ-02")


def test_a_correction_stands_beside_the_return_that_was_sent(books: Books) -> None:
    """Until it is sent itself; one with amounts that hold no longer is to be withdrawn."""
    ledger, minute = TableDays(), timedelta(minutes=1)
    _won(books, ledger)
    first = _returns(books)["W-2G", "p-9"]
    sent = {"filed_at": (NOON + minute).isoformat(), "tracking_id": "2026-17"}
    released = {"by": "tax.sam", "prepared_by": "tax.eve", "content_sha256": "5" * 64}
    books.desk.feed(
        "accounts",
        _prepared(1, minute, first),
        _filing(2, "filing.released", minute, **released),
        _filing(3, "filing.filed", minute, **sent),
        _filing(4, "filing.acknowledged", minute, accepted=True, reports=[{"report": 1, "accepted": True}]),
    )
    columns = ("status", "withheld_cents", "filed_withheld_cents", "filing", "amendment")
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=60_000))
    assert ("to_correct", 60_000, 0, "1", None) == names(_returns(books)["W-2G", "p-9"], *columns)
    changed = first | {"withheld_cents": 60_000}
    books.desk.feed("accounts", _prepared(5, minute, changed, filing=2))
    assert ("to_correct", 60_000, 0, "1", "2") == names(_returns(books)["W-2G", "p-9"], *columns)
    in_time = _returns(books, f"{YEAR}&known_at=2027-04-01T12:00:00Z")["W-2G", "p-9"]
    assert ("", "2") == names(in_time, "late", "amendment")  # the last day is for the first return
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=61_000))
    assert ("to_withdraw", 61_000, 0, "1", "2") == names(_returns(books)["W-2G", "p-9"], *columns)
    books.desk.feed("inventory", _identified(ledger, "r-1", tax_residence="US", withheld_cents=60_000))
    books.desk.feed(
        "accounts",
        _filing(6, "filing.released", minute, **released, filing=2),
        _filing(7, "filing.filed", minute, **sent | {"tracking_id": "2026-18"}, filing=2),
    )
    assert ("filed", 60_000, 60_000, "2", None) == names(_returns(books)["W-2G", "p-9"], *columns)


def test_a_rejected_return_is_due_again_and_an_accepted_one_is_not(books: Books) -> None:
    """By the answer to each; the row leads to the entries of its filing."""
    _won(books, TableDays())
    first, second = (_returns(books)["W-2G", patron] for patron in ("p-9", "p-10"))
    minute = timedelta(minutes=1)
    answer = {"accepted": True, "reports": [{"report": 1, "accepted": False}, {"report": 2, "accepted": True}]}
    books.desk.feed(
        "accounts",
        _prepared(1, minute, first, second),
        _filing(2, "filing.released", minute, by="tax.sam", prepared_by="tax.eve", content_sha256="5" * 64),
        _filing(3, "filing.filed", minute, filed_at=NOON.isoformat(), tracking_id="2026-17"),
        _filing(4, "filing.acknowledged", minute, **answer),
    )
    found = _returns(books)
    assert ("rejected", "accepted") == (found["W-2G", "p-9"]["status"], found["W-2G", "p-10"]["status"])
    cell = f"{YEAR}&cell=returns/W-2G|2026|{second['account_number']}/status"
    shown = books.get(books.path("winnings/entries", cell), person=CLERK).json()["entries"]
    assert [1, 2, 3, 4] == [one["seq"] for one in shown]
    books.desk.feed("accounts", _prepared(5, minute, first, filing=2))
    assert ("prepared", "2", None) == names(_returns(books)["W-2G", "p-9"], "status", "filing", "amendment")


def test_a_threshold_that_nobody_reviewed_is_doubted_on_the_face_of_the_report(books: Books) -> None:
    """Of the year after its review also where no win reached it; of the year of the value it is not."""
    later = {"gaming_day": "2027-01-05", "closed_at": "2027-01-05T18:00:00Z"}
    books.desk.feed("settlements", _posted(books, 1, _line(10, 10)), _posted(books, 2, _line(10, 10), **later))
    threshold = "reportable_winnings.w_2g_table_wager.threshold_cents"

    def doubts(day: str) -> dict[str, str]:
        answer = books.get(f"/reports/winnings?property=riverside&gaming_day={day}&period=year", person=CLERK)
        assert answer.status_code == 200, answer.text
        marks = answer.json()["content"]["marks"]
        return {one["what"]: one["note"] for one in marks if "to be reviewed" in one["note"]}

    assert {} == doubts("2026-12-31")
    assert {threshold, "returns.w_2g.layout", "returns.form_1042_s.layout"} == doubts("2027-12-31").keys()
    assert "no value was confirmed since it was to be reviewed by 2026-12-31" in doubts("2027-12-31")[threshold]


def test_what_is_withheld_for_a_state_is_on_the_return(books: Books) -> None:
    """As cashiers recorded it; another amount of it alone is to be corrected. Pennsylvania demands none."""
    ledger = TableDays()
    books.desk.feed("settlements", _posted(books, 1, _line(20, 6000), round_id="r-1"))
    said: dict[str, Any] = {"tax_residence": "US", "withheld_cents": 144_000, "state_withheld_cents": 18_420}
    books.desk.feed("inventory", _identified(ledger, "r-1", **said))
    taxes = ("state_code", "state_cents", "withheld_cents", "state_withheld_cents", "local_withheld_cents")
    [form] = rows_of(_log(books), "forms")
    found = _returns(books)["W-2G", "p-9"]
    assert ("PA", 0, 144_000, 18_420, 0) == names(form, *taxes) == names(found, *taxes)
    minute = timedelta(minutes=1)
    books.desk.feed("accounts", _prepared(1, minute, found))
    assert "prepared" == _returns(books)["W-2G", "p-9"]["status"]
    books.desk.feed("inventory", _identified(ledger, "r-1", **said | {"state_withheld_cents": 18_421}))
    found = _returns(books)["W-2G", "p-9"]
    assert ("to_withdraw", 18_421, 18_420) == names(
        found, "status", "state_withheld_cents", "filed_state_withheld_cents"
    )
    marks = [mark["what"] for mark in _log(books)["content"]["marks"]]
    assert "state_withholding.withheld" in marks


def test_what_a_treaty_gives_relief_on_is_a_return_of_its_own(books: Books) -> None:
    """At its rate; what the same recipient won without a claim is another one, of which 30% is withheld."""
    ledger = TableDays()
    _won(books, ledger)
    claim = {"country": "DE", "article": "21(1)", "signed_on": DAY, "valid_until": "2029-12-31"}
    german = {"tax_residence": "DE", "patron": "p-8", "paid_on": DAY}
    books.desk.feed(
        "inventory",
        _identified(ledger, "r-3", **german, treaty=claim, before_cents=90_000),
        _identified(ledger, "r-4", **german, withheld_cents=120_000),
    )
    found = [row for row in rows_of(_log(books, YEAR), "returns") if row["patron"] == "p-8"]
    columns = ("treaty", "rate_percent", "winnings_cents", "regular_cents", "withheld_cents")
    assert [("DE", "0.00", 300_000, 0, 0), (None, "30.00", 400_000, 120_000, 120_000)] == [
        names(row, *columns) for row in found
    ]
    assert 2 == len({row["account_number"] for row in found})
    marks = [mark["what"] for mark in _log(books, YEAR)["content"]["marks"]]
    assert "reportable_winnings.form_1042_s_winnings.treaty_rates" in marks
