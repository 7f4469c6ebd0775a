"""Currency reports on a real database: movements of accounts and tables go in, reports and logs come out over HTTP."""

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any
from urllib.parse import quote

import pytest

from services.reporting.reports.currency.unprepared import observe_unprepared
from shared.contracts.cage import DIRECTIONS, CageKind
from tests.support.published import published
from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import TableDays
from tests.unit.reporting.entries import DAY, NOON

CLERK = "cage.lou"
_MONTH = "&period=month"


class Till:
    """Makes the entries of the wagering accounts; the `seq`-th was recorded so many minutes after noon of its day."""

    def __init__(self) -> None:
        self._seq = count(1)

    def _entry(self, kind: str, data: dict[str, Any], day: int = 0) -> dict[str, Any]:
        seq = next(self._seq)
        at = NOON + timedelta(days=day, minutes=seq)
        said = {"property": "riverside", "by": "cage.ann"} | data
        return published(kind, said, service="wagering-accounts", sequence=seq, at=at)

    def opened(self, account: str, patron: str | None = None, table: str = "BJ-01") -> dict[str, Any]:
        """A game account was opened."""
        return self._entry("account.opened", {"account": account, "table": table, "patron": patron})

    def registered(self, patron: str, wallet: str) -> dict[str, Any]:
        """A patron has a wallet."""
        return self._entry("patron.registered", {"patron": patron, "wallet": wallet})

    def filing(self, kind: str, **data: Any) -> dict[str, Any]:
        """A step of the first filing was taken."""
        return self._entry(kind, {"filing": 1, "by": "title31.eve"} | data)

    def paid(
        self, dollars: int, account: str, *, out: bool = False, day: int = 0, instrument: str = "cash", **more: Any
    ) -> dict[str, Any]:
        """So many dollars were paid into an account, or out of it."""
        cents = dollars * 100
        moved = {"account": account, "available_cents": -cents if out else cents} | more
        data = {"account": account, "instrument": instrument, "cents": cents, "movements": [moved]}
        if out:
            return self._entry("account.cashed_out", data | {"closed": False}, day)
        return self._entry("account.bought_in", data, day)


def _report(books: Books, more: str = "") -> dict[str, Any]:
    answer = books.get(books.path("currency", more), person=CLERK)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    assert all(one["holds"] for one in report["content"]["identities"])
    return report


def test_a_person_is_added_up_over_accounts_in_and_out_apart(books: Books) -> None:
    """More than the threshold is reported, by its date; vouchers are no currency; others stand for themselves."""
    till = Till()
    books.desk.feed(
        "accounts",
        till.registered("p-7", "w-7"),
        till.opened("ga-1", "p-7"),
        till.opened("ga-2"),
        till.paid(6_000, "w-7"),
        till.paid(4_001, "ga-1", table="BJ-01"),
        till.paid(10_000, "ga-2", table="BJ-02"),
        till.paid(9_000, "ga-2", instrument="voucher", table="BJ-02"),
        till.paid(3_500, "w-7", out=True),
    )
    report = _report(books)
    assert [("FinCEN 112", "p-7", "in", 2, 1_000_100, 1_000_000, "2026-12-05", "wagering-accounts/1/4")] == [
        names(row, "form", "person", "direction", "movements", "cents", "threshold_cents", "file_by", "entry")
        for row in rows_of(report, "reportable")
    ]
    assert [
        ("account", "wallet", "p-7", "in", 600_000, 600_000, 0),
        ("account", "BJ-01", "p-7", "in", 400_100, 1_000_100, 0),
        ("account", "BJ-02", "account ga-2", "in", 1_000_000, 1_000_000, 0),
        ("account", "wallet", "p-7", "out", 350_000, 1_000_100, 350_000),
    ] == [
        names(row, "department", "place", "person", "direction", "cents", "in_cents", "out_cents")
        for row in rows_of(report, "log")
    ]
    assert [("FinCEN 112", "account ga-2", 0, "confirmed")] == [
        names(row, "form", "person", "left_cents", "status") for row in rows_of(report, "warnings")
    ]
    cell = f"reportable/{rows_of(report, 'reportable')[0]['id']}/cents".replace("%", "%25")
    found = books.get(books.path("currency/entries", f"&cell={cell}"), person=CLERK).json()
    assert [4, 5] == [entry["seq"] for entry in found["entries"]]


def test_references_that_differ_only_in_case_are_named(books: Books) -> None:
    """Each is added up apart from the other, so that neither may reach the threshold that both reach together.

    However little one of them moved: it may be what the other one lacks.
    """
    till = Till()
    for number, (patron, dollars) in enumerate((("q-9", 9_900), ("Q-9", 200), ("p-7", 9_000)), start=1):
        books.desk.feed("accounts", till.registered(patron, f"w-{number}"), till.paid(dollars, f"w-{number}"))
    report = _report(books)
    assert [("Q-9", "q-9"), ("q-9", "Q-9")] == [names(row, "person", "alike") for row in rows_of(report, "alike")]
    assert [] == rows_of(report, "reportable")


def test_at_a_table_nobody_is_known(books: Books) -> None:
    """Each sale of chips stands alone in the log of the tables; small ones are not in it, one near it is a warning."""
    ledger = TableDays()

    def sold(dollars: int, instrument: str = "currency") -> dict[str, Any]:
        cents = dollars * 100
        data: dict[str, Any] = {"cents": cents, "instrument": instrument, "dealer": "dealer.1"}
        return ledger.pit("chips.sold", "BJ-01", moved=-cents, **data)

    books.desk.feed("inventory", sold(2_000), sold(3_001), sold(2_900), sold(3_001), sold(9_000, "prepaid_access"))
    report = _report(books)
    assert [("table", "BJ-01", "unknown", 300_100, 300_100)] * 2 == [
        names(row, "department", "place", "person", "cents", "in_cents") for row in rows_of(report, "log")
    ]
    assert [(290_000, 10_000)] == [names(row, "cents", "left_cents") for row in rows_of(report, "warnings")]
    assert [] == rows_of(report, "reportable")


def _moved(ledger: TableDays, number: int, kind: CageKind, dollars: int, **more: Any) -> dict[str, Any]:
    """A known patron moved so many dollars at the cage, or that is void."""
    direction = DIRECTIONS[kind]
    said = {"property": "riverside", "gaming_day": DAY, "shift": "day", "number": number, "window": "cage-1"}
    said |= {"patron": "p-7", "kind": kind, "direction": direction, "cents": dollars * 100, "by": "cage.ann"}
    void = "voids" in more
    more |= {"moved_by": "cage.bob", "reason": "entered twice"} if void else {}
    return ledger.entry("cage.voided" if void else "cage.moved", said | {"at": NOON.isoformat()} | more)


def test_a_person_is_added_up_over_accounts_cage_and_tables(books: Books) -> None:
    """What is void is no movement, a counter check paid in currency is one, monetary instruments stand apart."""
    till, ledger = Till(), TableDays()
    bought: dict[str, Any] = {"cents": 300_000, "instrument": "currency", "dealer": "dealer.1", "patron": "p-7"}
    check = {"property": "riverside", "gaming_day": DAY, "shift": "day", "step": 1, "by": "cage.ann", "serial": "CC-1"}
    check |= {"at": NOON.isoformat(), "drawer": "p-7", "cents": 200_000, "left_cents": 0, "paid_in": "currency"}
    books.desk.feed("accounts", till.registered("p-7", "w-7"), till.paid(4_000, "w-7"))
    books.desk.feed(
        "inventory",
        ledger.pit("chips.sold", "BJ-01", moved=-300_000, **bought),
        ledger.entry("counter_check.redeemed", check),
        _moved(ledger, 1, "front_money_deposit", 1_001),
        _moved(ledger, 2, "front_money_deposit", 9_000),
        _moved(ledger, 3, "front_money_deposit", 9_000, voids=2),
        _moved(ledger, 4, "chip_redemption", 12_000),
        _moved(ledger, 5, "front_money_deposit", 3_000, medium="instrument"),
    )
    report = _report(books)
    assert [("p-7", "in", 4, 1_000_100), ("p-7", "out", 1, 1_200_000)] == [
        names(row, "person", "direction", "movements", "cents") for row in rows_of(report, "reportable")
    ]
    logged = {names(row, "department", "kind", "place", "direction", "cents") for row in rows_of(report, "log")}
    assert {
        ("account", "buy-in", "wallet", "in", 400_000),
        ("table", "chips for currency", "BJ-01", "in", 300_000),
        ("cage", "counter check", "cage", "in", 200_000),
        ("cage", "front money deposit", "cage-1", "in", 100_100),
        ("cage", "chip redemption", "cage-1", "out", 1_200_000),
    } == logged
    assert [("front money deposit", 300_000)] == [  # the instrument, in a list of its own
        names(row, "kind", "cents") for row in rows_of(report, "instruments")
    ]


def test_an_exchange_is_in_and_out_and_a_money_play_a_wager(books: Books) -> None:
    """Each on its line of the form, what has no line with its purpose; what is void is on none."""
    ledger = TableDays()
    played: dict[str, Any] = {"cents": 300_000, "instrument": "currency", "dealer": "dealer.1", "patron": "p-7"}
    books.desk.feed(
        "inventory",
        ledger.pit("chips.sold", "BJ-01", moved=-300_000, **played, money_play=True),
        ledger.pit("chips.sold", "BJ-01", moved=-1_100_000, **played | {"cents": 1_100_000, "patron": None}),
        ledger.pit(
            "chips.sold", "BJ-01", moved=-1_200_000, **played | {"cents": 1_200_000, "patron": None}, money_play=True
        ),
        _moved(ledger, 1, "currency_exchange", 5_000),
        _moved(ledger, 2, "foreign_currency_bought", 4_000, foreign_country="CA"),
        _moved(ledger, 3, "foreign_currency_bought", 2_000, foreign_country="MX"),
        _moved(ledger, 4, "currency_wager", 1_000, table="BJ-02"),
        _moved(ledger, 5, "other_in", 400, purpose="locker rental"),
        _moved(ledger, 6, "other_in", 300, purpose="lost property"),
        _moved(ledger, 7, "currency_exchange", 9_000),
        _moved(ledger, 8, "currency_exchange", 9_000, voids=7),
    )
    for more in ("", _MONTH):
        report = _report(books, more)
        lines = [names(row, "kind", "specified", "cents", "person") for row in rows_of(report, "lines")]
        assert [
            ("chips for currency", "", 1_100_000, "unknown"),
            ("currency exchange", "", 500_000, "p-7"),
            ("currency exchange", "", 500_000, "p-7"),
            ("currency wager", "", 400_000, "p-7"),
            ("currency wager", "", 1_200_000, "unknown"),
            ("foreign currency bought", "CA", 400_000, "p-7"),
            ("foreign currency bought", "CA", 400_000, "p-7"),
            ("foreign currency bought", "MX", 200_000, "p-7"),
            ("foreign currency bought", "MX", 200_000, "p-7"),
            ("other in", "locker rental", 40_000, "p-7"),
            ("other in", "lost property", 30_000, "p-7"),
        ] == sorted(lines)
        assert [("in", 1_570_000), ("out", 1_100_000)] == [
            names(row, "direction", "cents") for row in rows_of(report, "reportable") if row["person"] == "p-7"
        ]
    report = _report(books)
    assert [("in", 300_000), ("in", 500_000), ("out", 500_000)] == sorted(
        names(row, "direction", "cents")
        for row in rows_of(report, "log")
        if row["person"] == "p-7" and row["cents"] in (300_000, 500_000)
    )
    assert [("BJ-02", 100_000)] == [
        names(row, "place", "cents")
        for row in rows_of(report, "log")
        if row["kind"] == "currency wager" and row["department"] == "cage"
    ]
    [cage] = [row for row in rows_of(report, "days") if row["department"] == "cage"]
    assert (1_270_000, 1_100_000, 9, 2_370_000) == names(cage, "in_cents", "out_cents", "logged", "logged_cents")


CASHIERS_CHECK: dict[str, Any] = {
    "instrument_type": "cashiers_check",
    "issuer": "First Bank of Oakhurst",
    "references": ["casino account GA-1", "check 4711"],
}


def test_instruments_are_listed_with_what_describes_them_and_who_took_them(books: Books) -> None:
    """Also what pays a counter check, and a check that is cashed for currency; what is void is not."""
    ledger = TableDays()
    of_check: dict[str, Any] = {"property": "riverside", "gaming_day": DAY, "shift": "day", "serial": "CC-1"}
    of_check |= {"by": "cage.bob", "at": NOON.isoformat(), "cents": 300_000}
    paid = of_check | {"step": 1, "drawer": "p-7", "left_cents": 0, "paid_in": "check"}
    personal = CASHIERS_CHECK | {"instrument_type": "personal_check"}
    recovered = {"check_write_off": 1, "recovered_cents": 300_000, "paid_in": "check"}
    books.desk.feed(
        "inventory",
        ledger.entry("counter_check.redeemed", paid | {"instrument": personal}),
        ledger.entry("counter_check.redeemed", paid | {"step": 2, "cents": 900_000}),
        ledger.entry(
            "counter_check.redemption_voided",
            {name: value for name, value in (paid | {"step": 3, "cents": 900_000}).items() if name != "left_cents"}
            | {"voids": 2, "redeemed_by": "cage.bob", "reason": "another check"},
        ),
        ledger.entry("counter_check.recovered", of_check | recovered | {"step": 4, "instrument": personal}),
        ledger.entry("counter_check.redeemed", paid | {"step": 5, "paid_in": "deposit"}),
        _moved(ledger, 1, "check_cashed", 3_000, instrument=CASHIERS_CHECK),
        _moved(ledger, 2, "casino_check_purchase", 3_000, instrument=CASHIERS_CHECK),
        _moved(ledger, 3, "front_money_deposit", 2_999, medium="instrument"),
        _moved(ledger, 4, "front_money_deposit", 3_000, medium="instrument", instrument=CASHIERS_CHECK),
        _moved(ledger, 5, "front_money_deposit", 4_000, medium="instrument", instrument=CASHIERS_CHECK),
        _moved(ledger, 6, "front_money_deposit", 4_000, medium="instrument", voids=5),
    )
    said = ("person", "direction", "kind", "instrument_type", "by")
    expected = [
        ("p-7", "in", "counter check", "personal check", "cage.bob"),
        ("unknown", "in", "counter check", "personal check", "cage.bob"),
        ("p-7", "in", "check cashed", "cashiers check", "cage.ann"),
        ("p-7", "out", "casino check purchase", "cashiers check", "cage.ann"),
        ("p-7", "in", "front money deposit", "cashiers check", "cage.ann"),
    ]
    for more in ("", _MONTH):
        listed = rows_of(_report(books, more), "instruments")
        assert sorted(expected) == sorted(names(row, *said) for row in listed)
        assert [row["moment"] for row in listed] == sorted(row["moment"] for row in listed)
        assert {("First Bank of Oakhurst", "casino account GA-1; check 4711", 300_000)} == {
            names(row, "issuer", "references", "cents") for row in listed
        }


def test_an_instrument_given_for_an_instrument_is_listed_beside_it(books: Books) -> None:
    """The one that came in and the one that went out, whichever the kind is named for; a void takes back both."""
    ledger = TableDays()
    own = CASHIERS_CHECK | {"instrument_type": "business_check", "issuer": "Riverside", "references": ["check 88"]}
    by_check = {"medium": "instrument"}
    bought = by_check | {"instrument": own | {"exchanged_for": CASHIERS_CHECK}}
    cashed = by_check | {"instrument": CASHIERS_CHECK | {"exchanged_for": own}}
    books.desk.feed(
        "inventory",
        _moved(ledger, 1, "casino_check_purchase", 3_000, **bought),
        _moved(ledger, 2, "check_cashed", 4_000, **cashed),
        _moved(ledger, 3, "check_cashed", 5_000, **cashed),
        _moved(ledger, 4, "check_cashed", 5_000, **cashed, voids=3),
    )
    both = [("in", "First Bank of Oakhurst", "casino account GA-1; check 4711"), ("out", "Riverside", "check 88")]
    expected = [("casino check purchase", 300_000, *one) for one in both]
    expected += [("check cashed", 400_000, *one) for one in both]
    listed = rows_of(_report(books, ""), "instruments")
    said = ("kind", "cents", "direction", "issuer", "references")
    assert expected == sorted(names(row, *said) for row in listed)


def test_a_month_adds_up_logs_by_gaming_day_and_lists_what_is_due(books: Books) -> None:
    """Of more than a week, what is in logs alone and what unidentified persons bought is added up; due is listed."""
    till, ledger = Till(), TableDays()

    def sold(dollars: int, **more: str) -> dict[str, Any]:
        data: dict[str, Any] = {"cents": dollars * 100, "instrument": "currency", "dealer": "dealer.1", **more}
        return ledger.pit("chips.sold", "BJ-01", moved=-dollars * 100, **data)

    books.desk.feed("accounts", till.registered("p-7", "w-7"), till.paid(4_000, "w-7"), till.paid(500, "w-7", out=True))
    books.desk.feed(
        "inventory",
        *map(sold, (2_900, 3_000, 3_001, 3_500, 8_500, 10_001)),
        sold(10_500, patron="p-9"),
        _moved(ledger, 1, "front_money_deposit", 3_000, medium="instrument"),
        _moved(ledger, 2, "chip_redemption", 200),
    )
    day, month = _report(books), _report(books, _MONTH)
    sums = ("gaming_day", "department", "in_cents", "out_cents", "logged", "logged_cents", "unknown", "unknown_cents")
    assert [
        (DAY, "account", 400_000, 50_000, 1, 400_000, None, None),
        (DAY, "cage", None, 20_000, None, None, None, None),
        (DAY, "table", 4_140_200, None, 5, 3_550_200, 1, 1_000_100),
    ] == [names(row, *sums) for row in rows_of(month, "days")]
    assert rows_of(day, "days") == rows_of(month, "days")
    due = [names(row, "person", "cents") for row in rows_of(day, "reportable")]
    assert [("unknown", 1_000_100), ("p-9", 1_050_000)] == due
    assert due == [names(row, "person", "cents") for row in rows_of(month, "reportable")]
    assert rows_of(day, "filed") == rows_of(month, "filed")
    assert [290_000, 300_000, 850_000] == sorted(row["cents"] for row in rows_of(day, "warnings"))
    assert [] == rows_of(month, "warnings")
    assert (6, 0) == (len(rows_of(day, "log")), len(rows_of(month, "log")))
    assert [("front money deposit", 300_000)] == [names(row, "kind", "cents") for row in rows_of(month, "instruments")]
    assert day["content"]["marks"] == month["content"]["marks"]
    cell = f"days/{DAY}|table/logged_cents".replace("|", "%7C")
    entries = [
        books.get(books.path("currency/entries", f"{more}&cell={cell}"), person=CLERK).json()["entries"]
        for more in ("", _MONTH)
    ]
    assert 5 == len(entries[0])
    assert sorted(one["seq"] for one in entries[0]) == sorted(one["seq"] for one in entries[1])


def test_patterns_are_listed_for_a_person_to_judge(books: Books) -> None:
    """Movements just below the threshold on days one after the other: that of the days before the period too."""
    till = Till()
    entries = [till.registered("p-7", "w-7"), till.paid(9_500, "w-7", day=-2), till.paid(9_600, "w-7", day=-1)]
    books.desk.feed("accounts", *entries, till.paid(9_700, "w-7"))
    [repeated, consecutive] = sorted(
        rows_of(_report(books), "patterns"), key=lambda row: str(row["pattern"]), reverse=True
    )
    expected = ("p-7", "in", "2026-11-18", DAY, 3, 2_880_000)
    figures = ("person", "direction", "first_day", "last_day", "movements", "cents")
    assert ("repeated_just_below", *expected) == names(repeated, "pattern", *figures)
    assert ("consecutive_days", *expected) == names(consecutive, "pattern", *figures)
    assert "3 movements of $9,500.00 to $9,700.00" in repeated["saw"]


def test_the_report_is_what_was_known_at_a_moment(books: Books) -> None:
    """What comes later does not change it, a patron who was registered later neither."""
    till = Till()
    books.desk.feed("accounts", till.paid(10_001, "w-7"))
    asked = f"&known_at={(NOON + timedelta(minutes=1)).isoformat().replace('+', '%2B')}"
    before = books.get(books.path("currency", asked), person=CLERK).content
    books.desk.feed("accounts", till.registered("p-7", "w-7"), till.paid(20_000, "w-7"))
    assert before == books.get(books.path("currency", asked), person=CLERK).content
    assert ["p-7"] == [row["person"] for row in rows_of(_report(books), "reportable")]
    assert 403 == books.get(books.path("currency")).status_code


def test_what_became_of_a_report_stands_beside_what_is_due(books: Books) -> None:
    """Due, late, then as the filing goes; another moment shows what was known then."""
    till = Till()
    for wallet in ("7", "8"):
        books.desk.feed("accounts", till.registered(f"p-{wallet}", f"w-{wallet}"))
    books.desk.feed("accounts", till.paid(10_001, "w-7"), till.paid(10_001, "w-8"), till.paid(10_001, "w-7", out=True))
    due = {"p-7": ("due", "", None), "p-8": ("due", "", None)}
    assert due == _became(books)
    assert dict.fromkeys(due, ("due", "late", None)) == _became(books, "&known_at=2026-12-07T00:00:00Z")
    books.desk.feed("accounts", *(till.filing(kind, **data) for kind, data in FILING.items()))
    assert due | {"p-7": ("accepted", "late", "31000000000002")} == _became(books)
    [row] = [row for row in rows_of(_report(books), "filed") if row["person"] == "p-7"]
    assert ("1", "title31.eve", "title31.sam", "title31.eve") == names(
        row, "filing", "prepared_by", "released_by", "filed_by"
    )
    cell = quote(f"filed/{row['id']}/status")
    shown = books.get(books.path("currency/entries", f"&cell={cell}"), person=CLERK).json()
    assert [6, 7, 8, 9] == [one["seq"] for one in shown["entries"]]


@pytest.mark.parametrize(
    ("days", "count", "said"), [(11, 0, ""), (12, 2, "not prepared"), (15, 2, "not prepared"), (16, 2, "late")]
)
def test_what_nobody_prepared_is_alarmed_before_its_last_day(books: Books, days: int, count: int, said: str) -> None:
    """Three days before it, each person and each sale to an unidentified one, unless a file was prepared."""
    till, ledger = Till(), TableDays()
    for wallet in ("7", "8"):
        books.desk.feed("accounts", till.registered(f"p-{wallet}", f"w-{wallet}"))
    books.desk.feed("accounts", till.paid(10_001, "w-7"), till.paid(10_001, "w-8"), till.paid(9_000, "w-9"))
    sold: dict[str, Any] = {"cents": 1_000_100, "instrument": "currency", "dealer": "dealer.1"}
    books.desk.feed("inventory", ledger.pit("chips.sold", "BJ-01", moved=-1_000_100, **sold))
    [report] = FILING["filing.prepared"]["reports"]
    prepared = FILING["filing.prepared"] | {"reports": [report | {"out_dollars": 0}]}
    books.desk.feed("accounts", till.filing("filing.prepared", **prepared))
    later = timedelta(days=days)
    context = replace(books.desk.context, clock=lambda: books.desk.context.clock() + later)
    books.desk.client.run(observe_unprepared(context))
    assert count == context.metrics.registry.get_sample_value("pitledger_currency_reports_unprepared")
    known_at = quote((NOON + later).isoformat())
    assert {"p-8": ("due", said, None)}.items() <= _became(books, f"&known_at={known_at}").items()


def _became(books: Books, more: str = "") -> dict[str, tuple[Any, ...]]:
    """Return status, lateness and identifier of each person's report."""
    rows = rows_of(_report(books, more), "filed")
    return {row["person"]: (row["status"], row["late"], row["bsa_id"]) for row in rows}


FILING: dict[str, dict[str, Any]] = {
    "filing.prepared": {
        "form": "ctr",
        "period": "2026-11-20",
        "file_by": "2026-12-05",
        "reports": [{"kind": "patron", "reference": "p-7", "report": 1, "in_dollars": 10_001, "out_dollars": 10_001}],
        "content_sha256": "5" * 64,
        "content_bytes": 7000,
    },
    "filing.released": {"by": "title31.sam", "prepared_by": "title31.eve", "content_sha256": "5" * 64},
    "filing.filed": {"filed_at": "2026-12-06T17:00:00Z", "tracking_id": "260000000001"},
    "filing.acknowledged": {"accepted": True, "reports": [{"report": 1, "accepted": True, "bsa_id": "31000000000002"}]},
}
"""A filing from its file to its identifiers."""
ON_TIME = FILING["filing.filed"] | {"filed_at": "2026-11-21T17:00:00Z"}
"""The filing was sent before its last day."""


def test_what_is_moved_for_others_counts_for_all_of_them(books: Books) -> None:
    """At an account, at the cage, on a counter check and at a table; what is void counts for nobody."""
    till, ledger = Till(), TableDays()
    bought: dict[str, Any] = {"cents": 300_000, "instrument": "currency", "dealer": "dealer.1", "patron": "p-7"}
    check = {"property": "riverside", "gaming_day": DAY, "shift": "day", "step": 1, "by": "cage.ann", "serial": "CC-1"}
    check |= {"at": NOON.isoformat(), "drawer": "p-7", "cents": 200_000, "left_cents": 0, "paid_in": "currency"}
    others: dict[str, Any] = {"on_behalf_of": ["p-8"]}
    by_agent = till.paid(4_000, "w-8")
    by_agent["data"] |= {"patron": "p-8", "conducted_by": "p-7", "on_behalf_of": ["p-9"]}
    books.desk.feed("accounts", till.registered("p-8", "w-8"), by_agent)
    books.desk.feed(
        "inventory",
        ledger.pit("chips.sold", "BJ-01", moved=-300_000, **bought, **others),
        ledger.entry("counter_check.redeemed", check | others),
        _moved(ledger, 1, "front_money_deposit", 2_001, on_behalf_of=["p-8", "p-6"]),
        _moved(ledger, 2, "front_money_deposit", 9_000, **others),
        _moved(ledger, 3, "front_money_deposit", 9_000, voids=2, **others),
        _moved(ledger, 4, "front_money_deposit", 3_000, medium="instrument", **others),
    )
    report = _report(books)
    assert [("p-7", "p-8", 4, 1_100_100), ("p-8", "", 4, 1_100_100)] == [
        names(row, "person", "reported_with", "movements", "cents") for row in rows_of(report, "reportable")
    ]
    by_conductor = [
        ("buy-in", "p-7", "p-8, p-9", 400_000),
        ("chips for currency", "p-7", "p-8", 300_000),
        ("counter check", "p-7", "p-8", 200_000),
        ("front money deposit", "p-7", "p-8, p-6", 200_100),
    ]
    lines = [
        (row["person"], names(row, "kind", "conducted_by", "on_behalf_of", "cents")) for row in rows_of(report, "lines")
    ]
    assert [(person, line) for person in ("p-7", "p-8") for line in by_conductor] == sorted(lines)
    assert {"p-7": "p-8", "p-8": ""} == {row["person"]: row["reported_with"] for row in rows_of(report, "filed")}
    logged = [names(row, "department", "in_cents", "logged_cents") for row in rows_of(report, "days")]
    assert [("account", 400_000, 400_000), ("cage", 400_100, 400_100), ("table", 300_000, 300_000)] == logged


def test_the_report_of_one_person_is_that_of_another(books: Books) -> None:
    """What somebody moves for another is filed once, in the report of the person for whom it was."""
    till = Till()
    by_agent = till.paid(10_001, "w-8")
    by_agent["data"] |= {"patron": "p-8", "conducted_by": "p-7"}
    books.desk.feed("accounts", till.registered("p-8", "w-8"), by_agent)
    assert {"p-7": ("due", "", None), "p-8": ("due", "", None)} == _became(books)
    steps = FILING | {"filing.prepared": FILING["filing.prepared"] | {"reports": [REPORT_OF_BOTH]}}
    books.desk.feed("accounts", *(till.filing(kind, **data) for kind, data in steps.items()))
    assert dict.fromkeys(("p-7", "p-8"), ("accepted", "late", "31000000000002")) == _became(books)


def test_a_report_that_was_sent_stays_that_of_its_person(books: Books) -> None:
    """Although somebody else has the same movements and none of their own; whom it does not name, it is to name."""
    till = Till()
    by_agent = till.paid(10_001, "w-8")
    by_agent["data"] |= {"patron": "p-8", "conducted_by": "p-7"}
    books.desk.feed("accounts", till.registered("p-8", "w-8"), by_agent)
    _feed_steps(books, till, *_steps(*_ACCEPTED, in_dollars=10_001))
    columns = ("person", "status", "reported_with", "why")

    def filed() -> list[tuple[Any, ...]]:
        return sorted(names(row, *columns) for row in rows_of(_report(books), "filed"))

    why = "it does not name p-8"
    assert [("p-7", "to_correct", "", why), ("p-8", "to_correct", "p-7", why)] == filed()
    named = {"in_dollars": 10_001, "amends": "31000000000002", "with_others": ["p-8"]}
    _feed_steps(books, till, *_steps(*_ACCEPTED, **named), filing=2)
    assert [("p-7", "accepted", "", ""), ("p-8", "accepted", "p-7", "")] == filed()


REPORT_OF_BOTH = {
    "kind": "patron",
    "reference": "p-8",
    "with_others": ["p-7"],
    "report": 1,
    "in_dollars": 10_001,
    "out_dollars": 0,
}
"""A report on a person that names another one."""


def test_what_is_reported_with_another_person_is_alarmed_once(books: Books) -> None:
    """The report that has all of it is to be prepared, and no other one."""
    till = Till()
    by_agent = till.paid(10_001, "w-8")
    by_agent["data"] |= {"patron": "p-8", "conducted_by": "p-7"}
    books.desk.feed("accounts", till.registered("p-8", "w-8"), by_agent)
    later = timedelta(days=12)
    context = replace(books.desk.context, clock=lambda: books.desk.context.clock() + later)
    books.desk.client.run(observe_unprepared(context))
    assert 1 == context.metrics.registry.get_sample_value("pitledger_currency_reports_unprepared")


def sold(ledger: TableDays, dollars: int, patron: str | None = "p-7") -> Any:
    """Chips were sold for currency at a table."""
    data: dict[str, Any] = {"cents": dollars * 100, "instrument": "currency", "dealer": "dealer.1", "patron": patron}
    return ledger.pit("chips.sold", "BJ-01", moved=-dollars * 100, **data)


def void(ledger: TableDays, sale: dict[str, Any]) -> Any:
    """A sale of chips was entered by mistake."""
    said = sale["data"]
    moved = said["moved"] | {"cents": -said["moved"]["cents"]}
    correction = {"reason": "entered twice", "entered_by": "floor.lee", "approved_by": "shift.sam"}
    return ledger.entry("pit.voided", said | {"moved": moved, "correction": correction})


def _steps(*kinds: str, **report: Any) -> list[tuple[str, dict[str, Any]]]:
    """The steps of a filing up to the last of these kinds, of a report that says this."""
    prepared = FILING["filing.prepared"]
    reports = [prepared["reports"][0] | {"in_dollars": 10_500, "out_dollars": 0} | report]
    steps = FILING | {"filing.prepared": prepared | {"reports": reports}}
    return [(kind, steps[kind]) for kind in kinds]


_ACCEPTED = ("filing.prepared", "filing.released", "filing.filed", "filing.acknowledged")
_AS_FILED = ("person", "status", "in_cents", "filed_in_cents", "filing")


def _feed_steps(books: Books, till: Till, *steps: tuple[str, dict[str, Any]], filing: int = 1) -> None:
    books.desk.feed("accounts", *(till.filing(kind, **(data | {"filing": filing})) for kind, data in steps))


def _unprepared(books: Books) -> float | None:
    context = books.desk.context
    books.desk.client.run(observe_unprepared(context))
    return context.metrics.registry.get_sample_value("pitledger_currency_reports_unprepared")


@pytest.mark.parametrize(
    ("steps", "status"),
    [(1, "to_withdraw"), (2, "to_withdraw"), (3, "to_correct"), (4, "to_correct")],
)
def test_a_report_that_no_longer_holds_says_so(books: Books, steps: int, status: str) -> None:
    """A late sale of the same gaming day: what was sent is corrected, what was not is withdrawn; both are alarmed."""
    till, ledger = Till(), TableDays()
    books.desk.feed("inventory", sold(ledger, 10_500))
    _feed_steps(books, till, *_steps(*_ACCEPTED[:steps]))
    [before] = rows_of(_report(books), "filed")
    assert ("p-7", 1_050_000, 1_050_000, "1") == names(before, "person", "in_cents", "filed_in_cents", "filing")
    assert (before["status"] not in ("to_correct", "to_withdraw"), 0) == (True, _unprepared(books))
    books.desk.feed("inventory", sold(ledger, 50_000))
    for more in ("", _MONTH):
        assert [("p-7", status, 6_050_000, 1_050_000, "1")] == [
            names(row, *_AS_FILED) for row in rows_of(_report(books, more), "filed")
        ]
    assert 1 == _unprepared(books)


_AMENDMENT = {"in_dollars": 60_500, "amends": "31000000000002"}
_AMENDED = (*_AS_FILED, "bsa_id", "amendment", "late")


def test_an_amendment_stands_beside_what_was_accepted_until_it_is_sent(books: Books) -> None:
    """The amounts and the identifier stay those that FinCEN has; nothing is alarmed while a right one is prepared."""
    till, ledger = Till(), TableDays()
    books.desk.feed("inventory", sold(ledger, 10_500), sold(ledger, 50_000))
    _feed_steps(books, till, *_steps(*_ACCEPTED[:2]), ("filing.filed", ON_TIME), _steps(*_ACCEPTED)[3])
    assert 1 == _unprepared(books)

    def filed(more: str = "") -> tuple[Any, ...]:
        [row] = rows_of(_report(books, more), "filed")
        return names(row, *_AMENDED)

    accepted: tuple[Any, ...] = ("p-7", "to_correct", 6_050_000, 1_050_000, "1", "31000000000002")
    assert (*accepted, None, "") == filed()
    for step in range(2):
        _feed_steps(books, till, _steps(*_ACCEPTED, **_AMENDMENT)[step], filing=2)
        assert (*accepted, "2", "") == filed() == filed(_MONTH)
        assert 0 == _unprepared(books)
    assert (*accepted, "2", "") == filed("&known_at=2026-12-07T00:00:00Z")
    late_sale = sold(ledger, 1_000)
    books.desk.feed("inventory", late_sale)
    assert ("p-7", "to_withdraw", 6_150_000, 1_050_000, "1", "31000000000002", "2", "") == filed()
    assert 1 == _unprepared(books)
    books.desk.feed("inventory", void(ledger, late_sale))
    _feed_steps(books, till, ("filing.filed", ON_TIME | {"tracking_id": "260000000002"}), filing=2)
    assert ("p-7", "filed", 6_050_000, 6_050_000, "2", None, None, "") == filed()
    answer = {"accepted": True, "reports": [{"report": 1, "accepted": False}]}
    _feed_steps(books, till, ("filing.acknowledged", answer), filing=2)
    assert (*accepted, None, "") == filed()
    assert 1 == _unprepared(books)


@pytest.mark.parametrize("amends", [None, "31000000000001"])
def test_what_was_prepared_beside_an_accepted_report_amends_that_one(books: Books, amends: str | None) -> None:
    """Otherwise the person's day would be reported twice, or what was replaced would be amended."""
    till, ledger = Till(), TableDays()
    books.desk.feed("inventory", sold(ledger, 10_500), sold(ledger, 50_000))
    _feed_steps(books, till, *_steps(*_ACCEPTED))
    _feed_steps(books, till, *_steps(_ACCEPTED[0], **_AMENDMENT | {"amends": amends}), filing=2)
    [row] = rows_of(_report(books), "filed")
    assert ("to_withdraw", "1", "2") == names(row, "status", "filing", "amendment")
    assert 1 == _unprepared(books)


@pytest.mark.parametrize(("left", "lines"), [(2_000, [("p-7", "chips for currency", 200_000)]), (0, [])])
def test_a_report_below_the_threshold_is_corrected(books: Books, left: int, lines: list[Any]) -> None:
    """By what is left of the gaming day, or by nothing; it stays among what was filed."""
    till, ledger = Till(), TableDays()
    sales = [sold(ledger, dollars) for dollars in (10_500, left) if dollars]
    books.desk.feed("inventory", *sales)
    _feed_steps(books, till, *_steps(*_ACCEPTED, in_dollars=10_500 + left))
    books.desk.feed("inventory", void(ledger, sales[0]))
    for more in ("", _MONTH):
        report = _report(books, more)
        assert [] == rows_of(report, "reportable")
        assert [("p-7", "to_correct", left * 100, (10_500 + left) * 100, "1")] == [
            names(row, *_AS_FILED) for row in rows_of(report, "filed")
        ]
        assert lines == [names(row, "person", "kind", "cents") for row in rows_of(report, "below")]
    assert 1 == _unprepared(books)
    _feed_steps(books, till, *_steps(*_ACCEPTED, in_dollars=left, amends="31000000000002"), filing=2)
    assert ["accepted"] == [row["status"] for row in rows_of(_report(books), "filed")]
    assert 0 == _unprepared(books)


def test_a_void_changes_the_totals_of_its_own_persons(books: Books) -> None:
    """As they were known before and after it, whatever came later."""
    ledger = TableDays()
    sales = [sold(ledger, 11_000, patron) for patron in ("p-1", "p-2", "p-2", None)]
    voids = [void(ledger, sales[number]) for number in (1, 0, 3)]
    books.desk.feed("inventory", *sales, *voids, sold(ledger, 30_000, "p-2"))
    assert [("p-1", 1_100_000, None), ("p-2", 2_200_000, 1_100_000), ("unknown", 1_100_000, None)] == sorted(
        names(row, "person", "was_cents", "cents") for row in rows_of(_report(books), "amended")
    )
