"""Account liability, electronic win and what is unclaimed on a real database: the accounts' journal against rounds."""

from datetime import timedelta

from tests.support.account_journal import AccountJournal, in_round, moved_of
from tests.support.asgi import assert_problem
from tests.support.properties import property_event
from tests.support.reporting import Books, identities_of, names, rows_of
from tests.unit.reporting.entries import DAY, NOON, total

EARLIER = "2026-11-10"
LATER = "2026-11-21"


def _earlier(books: Books) -> AccountJournal:
    """Two wallets of ten days ago."""
    ledger = AccountJournal(NOON - timedelta(days=10))
    wallets = {"W-1": 50_000, "W-2": 700}
    for wallet, cents in wallets.items():
        books.desk.feed("accounts", ledger.registered(wallet), ledger.bought_in(wallet, cents))
    return ledger


def _day(books: Books) -> None:
    """The wallets; a session that wins a round, loses one and leaves two open, and takes vouchers, one of them back."""
    _session(books, _earlier(books).seq)


def _session(books: Books, seq: int) -> None:
    ledger = AccountJournal()
    ledger.seq = seq
    books.desk.feed(
        "accounts",
        ledger.opened("GA-1", "BJ-01"),
        ledger.bought_in("GA-1", 20_000, "wallet", wallet="W-1"),
        ledger.bought_in("GA-1", 5_000),
        ledger.held("GA-1", "r-1", 1_000),
        ledger.captured("GA-1", "r-1", 1_000),
        ledger.settled("GA-1", "r-1", 1_000, 2_500, released=1_000),
        ledger.settled("GA-1", "r-2", 2_000, 0),
        ledger.settled("GA-1", "r-1", -1_000, -2_500, shortage=400),
        ledger.held("GA-1", "r-3", 300),
        ledger.held("GA-1", "r-4", 500),
        ledger.captured("GA-1", "r-4", 500),
        ledger.cashed_out("GA-1", 3_000, "voucher", reference="V-0002"),
        ledger.cashed_out("GA-1", 1_000, "voucher", reference="V-0001"),
        ledger.bought_in("GA-1", 3_000, "voucher", reference="V-0002"),
        ledger.adjustment("entered", "GA-1", 1, -50),
        ledger.adjustment("approved", "GA-1", 1, -50),
        ledger.adjustment("entered", "GA-1", 2, -70),
    )
    first = [total(account_staked=1_000, account_credited=2_500)]
    books.desk.feed(
        "settlements",
        books.posted(1, "BJ-01", first, round_id="r-1"),
        books.posted(2, "BJ-01", [total(account_staked=2_000)], round_id="r-2"),
        books.reversed(3, "BJ-01", first, round_id="r-1"),
    )


def test_the_liability_is_the_sum_of_all_balances(books: Books) -> None:
    """Opening, deposits, wagers, wins, withdrawals, adjustments and closing; transfers from wallets change nothing."""
    _day(books)
    report = books.report("account-liability")
    columns = ("opening", "deposits", "wagers", "wins", "withdrawals", "adjustments", "shortages", "closing")
    expected = (50_700, 8_000, 2_000, 0, 4_000, -50, 400, 53_050)
    [day] = rows_of(report, "days")
    assert expected == names(day, *(f"{name}_cents" for name in columns))
    assert [("cash", 5_000, 0), ("voucher", 3_000, 4_000), ("wallet", 20_000, 0)] == [
        names(row, "instrument", "deposits_cents", "withdrawals_cents") for row in rows_of(report, "instruments")
    ]
    assert [("wallet", 30_700, 0, 0, 30_700), ("game account", 22_350, 300, 500, 21_550)] == [
        names(row, "kind", "balance_cents", "held_cents", "in_play_cents", "available_cents")
        for row in rows_of(report, "balances")
    ]
    assert {
        "liability and balances": (53_050, 53_050),
        "promotional money and balances": (0, 0),
        "staked": (2_000, 2_000),
        "credited": (0, 0),
    } == identities_of(report)
    month = rows_of(books.report("account-liability", "&period=month"), "days")
    assert [(EARLIER, 0, 50_700), (DAY, 50_700, 53_050)] == [
        names(row, "gaming_day", "opening_cents", "closing_cents") for row in month
    ]
    explained = books.explain("account-liability", f"days/{DAY}/opening_cents")
    assert (50_700, [50_000, 700]) == (explained["value"], [one["value"] for one in explained["entries"]])
    explained = books.explain("account-liability", "balances/wallet/balance_cents")
    assert (30_700, [50_000, 700, -20_000]) == (explained["value"], [one["value"] for one in explained["entries"]])


def test_promotional_money_is_apart_in_the_liability(books: Books) -> None:
    """Granted, spent, written off; opening and closing by day; and what of the balances it is."""
    ledger = AccountJournal()
    result = {"account": "GA-1", "staked_cents": 700, "credited_cents": 300, "released_cents": 0}
    result |= {"promotional_staked_cents": 500, "promotional_credited_cents": 100}
    settled = {"property": "riverside", "game": "blackjack", "gaming_day": DAY, "revision": 1, "round_version": 1}
    settled |= {"accounts": [result], "movements": [moved_of("GA-1", available_cents=0, promotional_cents=-400)]}
    books.desk.feed(
        "accounts",
        ledger.registered("W-1"),
        ledger.promotion("granted", "W-1", 1_000),
        ledger.opened("GA-1", "BJ-01"),
        ledger.bought_in("GA-1", 2_000),
        ledger.promotion("moved", "GA-1", 600),
        ledger.entry("wagers.settled", settled | in_round("r-1")),
        ledger.promotion("written_off", "W-1", 150),
        ledger.promotion("expired", "W-1", 50),
    )
    books.desk.feed(
        "settlements",
        books.posted(1, "BJ-01", [total(account_staked=700, account_credited=300)], round_id="r-1"),
    )
    report = books.report("account-liability")
    [day] = rows_of(report, "promotional")
    figures = ("opening_cents", "granted_cents", "spent_cents", "shortages_cents", "written_off_cents")
    assert (0, 1_000, 400, 0, 150, 50, 400) == names(day, *figures, "expired_cents", "closing_cents")
    [day] = rows_of(report, "days")
    assert (1_000, 150, 50, 2_400) == names(
        day, *("granted_cents", "written_off_cents", "expired_cents", "closing_cents")
    )
    assert [("wallet", 200, 200), ("game account", 2_200, 200)] == [
        names(row, "kind", "balance_cents", "promotional_cents") for row in rows_of(report, "balances")
    ]
    identities = identities_of(report)
    assert (2_400, 2_400) == identities["liability and balances"]
    assert (400, 400) == identities["promotional money and balances"]
    explained = books.explain("account-liability", f"promotional/{DAY}/closing_cents")
    assert (400, {1_000, 500, 100, 150, 50}) == (explained["value"], {one["value"] for one in explained["entries"]})
    electronic = books.report("electronic-win")
    [session] = rows_of(electronic, "sessions")
    assert (600, -400, 2_200) == names(session, "promotional_cents", "wagered_cents", "closing_cents")
    assert (-400, -400) == identities_of(electronic)["balances and results"]


def test_the_liability_is_what_was_known_at_a_moment(books: Books) -> None:
    """As of a moment at which there were but wallets, it has the same bytes whatever came later."""
    known_at = f"&period=month&known_at={NOON.isoformat().replace('+', '%2B')}"
    seq = _earlier(books).seq
    before = books.get(books.path("account-liability", known_at)).content
    _session(books, seq)
    assert before == books.get(books.path("account-liability", known_at)).content
    report = books.report("account-liability", known_at)
    assert (50_700, 50_700) == identities_of(report)["liability and balances"]


def test_accounts_are_of_a_property(books: Books) -> None:
    """Of a table alone there is no liability."""
    _day(books)
    assert_problem(books.get(books.path("account-liability", "&table=BJ-01")), 404, "riverside")


def test_vouchers_are_out_until_they_come_back(books: Books) -> None:
    """By issue day and reference; one that was redeemed is not out."""
    _day(books)
    assert [(DAY, "V-0001", 1_000)] == [
        names(row, "issued_on", "reference", "outstanding_cents")
        for row in rows_of(books.report("account-liability"), "vouchers")
    ]


def test_the_property_says_when_an_account_is_dormant(books: Books) -> None:
    """Without a number of days none is listed, and the page says so; with one, accounts that nothing moved."""
    _day(books)
    report = books.report("account-liability")
    assert [] == rows_of(report, "dormant")
    assert ["dormant accounts"] == [mark["what"] for mark in report["content"]["marks"]]
    books.desk.feed("properties", property_event(sequence=3, version=2, account_dormant_days=10))
    report = books.report("account-liability")
    assert [("W-2", "wallet", 700, EARLIER, 10)] == [
        names(row, "account", "kind", "balance_cents", "last_moved", "idle_days") for row in rows_of(report, "dormant")
    ]
    assert [] == report["content"]["marks"]


def test_electronic_win_compares_rounds_with_accounts(books: Books) -> None:
    """By table, what rounds and what accounts say was withdrawn and deposited; what is missing is a variance."""
    _day(books)
    report = books.report("electronic-win")
    columns = ("staked_cents", "account_staked_cents", "staked_variance_cents", "credited_variance_cents", "win_cents")
    [meter] = rows_of(report, "meters")
    assert ("BJ-01", "blackjack", 2_000, 2_000, 0, 0, 2_000) == names(meter, "table", "game", *columns)
    [session] = rows_of(report, "sessions")
    assert (0, 28_000, 4_000, -50, -1_600, 22_350) == names(
        session,
        *("opening_cents", "bought_in_cents", "cashed_out_cents", "adjusted_cents", "wagered_cents", "closing_cents"),
    )
    assert {"staked": (2_000, 2_000), "credited": (0, 0), "balances and results": (-1_600, -1_600)} == (
        identities_of(report)
    )
    books.desk.feed("settlements", books.posted(4, "BJ-01", [total(account_staked=900, account_credited=100)]))
    report = books.report("electronic-win", "&table=BJ-01")
    [meter] = rows_of(report, "meters")
    assert (2_900, 2_000, -900, -100, 2_800) == names(meter, *columns)
    assert (2_900, 2_000) == identities_of(report)["staked"]
    assert 22_350 == rows_of(report, "sessions")[0]["closing_cents"]


def test_rounds_that_took_more_than_was_on_hold_are_listed(books: Books) -> None:
    """By table, round and account, leading to the result; a hold that was larger than its stake is none."""
    _day(books)
    [row] = rows_of(books.report("electronic-win"), "uncovered")
    assert ("BJ-01", "r-2", "GA-1", 2_000) == names(row, "table", "round_id", "account", "uncovered_cents")
    explained = books.explain("electronic-win", "uncovered/BJ-01|r-2|GA-1/uncovered_cents")
    assert (2_000, [2_000]) == (explained["value"], [entry["value"] for entry in explained["entries"]])


def test_what_is_unresolved_is_listed_with_its_age(books: Books) -> None:
    """Rounds without a result, refused records, shortages, vouchers and what waits for a second person."""
    _day(books)
    books.desk.feed("settlements", books.quarantined(4, "BJ-01", 7, "no such card"))
    report = books.report("unclaimed", "&known_at=2026-11-20T15:30:00Z")
    assert [("r-3", 300, 0, 3), ("r-4", 0, 500, 3)] == [
        names(row, "round_id", "held_cents", "in_play_cents", "age_hours") for row in rows_of(report, "rounds")
    ]
    assert [("BJ-01", "no such card", "round-settlement/1/4", 3)] == [
        names(row, "table", "reason", "entry", "age_hours") for row in rows_of(report, "refused")
    ]
    assert [("adjustment of an account", "GA-1", -70)] == [
        names(row, "kind", "about", "cents") for row in rows_of(report, "decisions")
    ]
    assert [("BJ-01", "r-1", "GA-1", 400)] == [
        names(row, "table", "round_id", "account", "account_shortage_cents") for row in rows_of(report, "shortages")
    ]
    assert ["V-0001"] == [row["reference"] for row in rows_of(report, "vouchers")]
    assert {"rounds and holds": (800, 800)} == identities_of(report)


def test_a_round_that_has_its_result_is_not_open_whatever_days_its_entries_name(books: Books) -> None:
    """Wagered just after the gaming day that its round began on; of that day nothing is open, of the next what is."""
    ledger = AccountJournal(NOON + timedelta(days=1))
    books.desk.feed(
        "accounts",
        ledger.opened("GA-1", "BJ-01"),
        ledger.bought_in("GA-1", 5_000),
        ledger.held("GA-1", "r-1", 1_000),
        ledger.captured("GA-1", "r-1", 1_000),
        ledger.settled("GA-1", "r-1", 1_000, 0, released=1_000),
        ledger.held("GA-1", "r-2", 300),
    )
    for gaming_day, still_open in ((DAY, []), (LATER, [("r-2", 300, 0)])):
        report = books.report("unclaimed", f"&gaming_day={gaming_day}&known_at=2026-11-21T23:00:00Z")
        found = [names(row, "round_id", "held_cents", "in_play_cents") for row in rows_of(report, "rounds")]
        assert still_open == found
        assert {"rounds and holds": (300, 300)} == identities_of(report)


def test_adjustments_of_accounts_are_listed_with_before_and_after(books: Books) -> None:
    """Of the day on which they were decided, or while they wait of the one on which they were entered."""
    ledger = _earlier(books)
    books.desk.feed("accounts", ledger.adjustment("entered", "W-2", 1, 300_000))
    today = AccountJournal()
    today.seq = ledger.seq
    books.desk.feed(
        "accounts",
        today.opened("GA-1", "BJ-01"),
        today.adjustment("approved", "W-2", 1, 300_000),
        today.adjustment("entered", "GA-1", 2, -500),
        today.adjustment("entered", "W-1", 3, 700),
        today.adjustment("rejected", "W-1", 3, 700),
    )
    figures = ("of", "about", "number", "figure", "table", "before_cents", "cents", "after_cents")
    people = ("over_threshold", "status", "entered_by", "decided_by", "reason", "rejection_reason")
    report = books.report("adjustments")
    assert [
        ("account", "GA-1", "2", "available", "BJ-01", "0", "-500", "-500"),
        ("account", "W-1", "3", "available", None, "0", "700", "700"),
        ("account", "W-2", "1", "available", None, "0", "300000", "300000"),
    ] == [names(row, *figures) for row in rows_of(report, "adjustments")]
    assert [
        ("no", "entered", "cage.ann", None, "credited twice", None),
        ("no", "rejected", "cage.ann", "control.eve", "credited twice", "credited twice"),
        ("yes", "approved", "cage.ann", "control.eve", "credited twice", None),
    ] == [names(row, *people) for row in rows_of(report, "adjustments")]
    assert (300_000, 300_000) == identities_of(report)["approved, account"]
    explained = books.explain("adjustments", f"adjustments/account|W-2|{DAY}|1/cents")
    assert ["wagering-accounts"] * 2 == [entry["service"] for entry in explained["entries"]]
    listed = [names(row, "status", "subject", "cents") for row in books.exceptions() if row["kind"] == "adjustment"]
    assert {("open", "account GA-1/2, available", -500), ("approved", "account W-2/1, available", 300_000)} == {*listed}
    earlier = books.path("adjustments").replace(DAY, EARLIER)
    assert [] == rows_of(books.get(earlier).json(), "adjustments")
    waiting = books.get(f"{earlier}&known_at=2026-11-19T12:00:00Z").json()
    assert [("W-2", "entered")] == [names(row, "about", "status") for row in rows_of(waiting, "adjustments")]
    assert ["GA-1"] == [row["about"] for row in rows_of(books.report("adjustments", "&table=BJ-01"), "adjustments")]
