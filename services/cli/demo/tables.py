"""The demo's JSON document as tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from loadtest.traffic.reports import rows_of, total_of
from services.cli.demo.beside_rounds import beside_tables
from services.cli.demo.cage import cage_tables
from services.cli.demo.ledger import ledger_tables
from services.cli.demo.reports import tax_tables
from services.cli.lines import lines_table, record_lines
from services.cli.output import heading, names, numbers, printable, show, table, words
from shared.contracts.money import dollars

if TYPE_CHECKING:
    from rich.console import RenderableType

Document = Mapping[str, Any]

_FIGURES: Final = numbers("Rounds", "Handle", "Payouts", "Vigorish", "Win", "Win by handle")


def show_day(day: Document, titles: Mapping[str, str]) -> None:
    """Print the day's JSON document as tables; `titles` are the games' titles by name."""
    report = day["win_as_settled"]
    wagers = rows_of(report, "wagers")
    show(
        heading(f"Win of {report['property']} as settled, {report['first_day']}, by table"),
        table(names("Table", "Game") + _FIGURES, list(_by_table(report)), footer=True),
        "Win is handle less payouts, with vigorish and what the house won in banks of players; meters are apart.",
        "",
        heading("By game and wager"),
        table(names("Wager") + _FIGURES, list(_by_wager(wagers, titles))),
        heading("Rounds that players banked"),
        table(
            names("Table")
            + numbers("Rounds", "Wagered against banks", "Paid back", "House share in banks", "Vigorish from banks"),
            list(_banks(wagers)),
        ),
        heading("Progressive meters"),
        table(names("Table", "Wager") + numbers("Contributed", "Reset", "Won"), list(_meters(wagers))),
        *_win_as_counted(day["win"]),
        *_hits(rows_of(day["progressives"], "hits")),
        *_liability(rows_of(day["accounts"]["liability"], "days"), day["gaming_day"]),
        *cage_tables(day["cage"], day["accounts"]["liability"]),
        *beside_tables(day["beside_rounds"]),
        *tax_tables(day["tax"]),
        *ledger_tables(day["general_ledger"]),
        heading("Exceptions, made on purpose"),
        table(
            names("What", "State", "Table") + words("Why", "Who"),
            [_exception(each) for each in (*day["exceptions"], *day["desk_exceptions"])],
        ),
        f"Sent twice and dropped: {day['sent'].get('duplicate', 0)}",
        "",
        *_round(day["round"]),
        heading("Properties of this installation, each under its own law and clock"),
        table(
            names("Property", "Law") + words("Gaming day") + numbers("Tables", "Rounds", "Handle", "Vigorish", "Win"),
            [_property(each) for each in day["properties"]],
        ),
        heading("Journals, verified entry by entry and against their signed checkpoints"),
        table(
            names("Service")
            + numbers("Shards", "Entries", "Postings", "Checkpoints", "Trial balance")
            + names("Verified"),
            list(_journals(day)),
        ),
        *show_identities(day["identities"]),
        heading("In short"),
        *_summary(day),
    )


def show_identities(identities: Sequence[Document]) -> Iterator["RenderableType"]:
    """Yield a table of the accounting identities, each with its amount, or with both amounts if they differ."""
    yield heading("What must be equal, and is" if all(one["holds"] for one in identities) else "What must be equal")
    rows = [
        [
            one["identity"],
            one["left"],
            one["right"],
            dollars(one["left_cents"]),
            "yes" if one["holds"] else f"NO: {dollars(one['right_cents'])}",
        ]
        for one in identities
    ]
    yield table(names("", "This", "and this") + numbers("Amount") + names("Holds"), rows)


def _amounts(row: Document, *columns: str) -> list[str]:
    """Return the row's amounts in these columns as dollars, empty if unknown."""
    return ["" if (cents := row[f"{column}_cents"]) is None else dollars(cents) for column in columns]


# --- the win as settled ---


def _figures(row: Document, rounds: int) -> list[str]:
    percent = row["win_percent"]
    amounts = _amounts(row, "handle", "payout", "vigorish", "win")
    return [f"{rounds:,}", *amounts, "" if percent is None else f"{float(percent):.2f}%"]


def _by_table(report: Document) -> Iterator[list[str]]:
    games = {row["table"]: row["game"] for row in rows_of(report, "wagers")}
    for row in rows_of(report, "tables"):
        yield [row["table"], games[row["table"]], *_figures(row, row["rounds_counted"])]
    total = total_of(report, "tables")
    yield ["all", "", *_figures(total, total["rounds_counted"])]


def _wager_sums(rows: Iterable[Document]) -> dict[str, Counter[str]]:
    """Return the sums over all tables, by wager."""
    sums: dict[str, Counter[str]] = {}
    for row in rows:
        figures = {name: value for name, value in row.items() if isinstance(value, int)}
        sums.setdefault(row["wager"], Counter()).update(figures)
    return sums


def _by_wager(rows: Sequence[Document], titles: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the wagers of each game, summed over tables."""
    for title in dict.fromkeys(titles.values()):
        sums = _wager_sums(row for row in rows if titles[row["game"]] == title)
        if sums:
            yield [title, *[""] * len(_FIGURES)]
        for name, wager in sorted(sums.items(), key=lambda item: -item[1]["handle_cents"]):
            handle = wager["handle_cents"]
            percent = f"{100 * wager['win_cents'] / handle:.2f}" if handle else None
            yield [f"  {name}", *_figures({**wager, "win_percent": percent}, wager["count"])]


def _banks(rows: Sequence[Document]) -> Iterator[list[str]]:
    """Yield a row for each table with banking players: banked rounds, handle, payouts, the house's part, vigorish."""
    for name in dict.fromkeys(row["table"] for row in rows if row["wager"] == "bank"):
        sums = _wager_sums(row for row in rows if row["table"] == name)
        moved: Counter[str] = Counter()
        for wager in sums.values():
            moved.update(wager)
        banked = _amounts(moved, "banked_handle", "banked_payout", "house_in_bank")
        yield [name, f"{sums['bank']['count']:,}", *banked, *_amounts(sums["bank"], "vigorish")]


def _meters(rows: Sequence[Document]) -> Iterator[list[str]]:
    columns = ("meter_contribution", "meter_reset", "meter_payout")
    for row in rows:
        if any(row[f"{column}_cents"] for column in columns):
            yield [row["table"], row["wager"], *_amounts(row, *columns)]


# --- the pit ---


def _win_as_counted(win: Document) -> Iterator["RenderableType"]:
    columns = ("opener", "fills", "credits", "drop", "closer", "win", "counted_win", "inventory_variance")
    total = win["total"]
    yield heading(f"Win as counted, § 601a.9: closer + credits + drop - opener - fills ({win['status']})")
    yield table(
        names("Table") + numbers("Opener", "Fills", "Credits", "Drop", "Closer", "Win", "By count", "Variance"),
        [[row["table"], *_amounts(row, *columns)] for row in win["tables"]] + [["all", *_amounts(total, *columns)]],
        footer=True,
    )
    yield (
        f"The drop has {dollars(total['counter_checks_cents'])} in counter checks. "
        f"Coupons of {dollars(total['coupons_cents'])} were counted apart: they are never drop."
    )
    if win.get("hash"):
        yield f"The gaming day is sealed: {win['hash']}"
    yield ""


def _hits(hits: Sequence[Document]) -> Iterator["RenderableType"]:
    if hits:
        yield heading("Progressives that were hit")
        rows = [[hit["pool"], hit["table"], hit["round_id"], _hand(hit), dollars(hit["award_cents"])] for hit in hits]
        yield table(names("Pool", "Table", "Round") + words("Hand") + numbers("Award"), rows)


def _hand(hit: Document) -> str:
    return str(hit["category"] or hit["wager"]).replace("_", " ")


def _liability(days: Sequence[Document], played_on: str) -> Iterator["RenderableType"]:
    """Yield the liability to account holders by gaming day; cashiers' transactions may fall on a later day."""
    if not days:
        return
    columns = ("opening", "deposits", "wagers", "wins", "withdrawals", "granted", "closing")
    yield heading("Owed to players with electronic accounts, by gaming day")
    yield table(
        names("Gaming day")
        + numbers("Owed before", "Bought in", "Wagered", "Won back", "Paid out", "Granted", "Owed after"),
        [[day["gaming_day"], *_amounts(day, *columns)] for day in days],
    )
    if len(days) > 1:
        yield "A result belongs to the day on which its round was played, cash to the day on which it is paid."
        yield f"The demo plays the rounds of {played_on}, and pays in and out now: so the first day ends below zero."
    yield ""


def _exception(each: Document) -> list[str]:
    who = [each[name] for name in ("by", "owner") if each[name]]
    amount = f"{dollars(each['cents'])}: " if each["cents"] else ""
    why = f"{amount}{each['reason']}"
    return [each["kind"].replace("_", " "), each["status"], each["table"] or "?", why, ", ".join(who)]


# --- one round, the journals, and all in short ---


def _round(example: Document) -> Iterator["RenderableType"]:
    """Yield a short form of `pitledger reconstruct`: a table of all entries, and the details of the entry in force."""
    yield heading(f"One round, from the cards to the books: pitledger reconstruct {example['round_id']}")
    yield table(
        numbers("Entry") + names("What") + numbers("Chips") + words("Why") + names("Hash"),
        [_entry(entry) for entry in example["entries"]],
    )
    stands = next(
        entry for entry in example["entries"] if (entry["shard"], entry["seq"]) == (example["shard"], example["seq"])
    )
    submission = stands["submission"]
    yield "\n".join(map(printable, record_lines(stands["data"]["record"])))
    yield lines_table(stands["data"]["lines"])
    verdict = "the same lines and meters" if stands["settles_again"] else "NOT the lines or meters that were recorded"
    yield (
        f"Settled again under {submission['regulation']}, version {submission['version']} of "
        f"{submission['game']}, approved by {submission['approved_by']}: {verdict}"
    )
    yield ""


def _entry(entry: Document) -> list[str]:
    chips = sum(posting["cents"] for posting in entry["postings"] if posting["leg"] == "chips")
    why = entry["data"].get("correction", {}).get("reason", "")
    verified = "verified" if entry["hash_verified"] else "WRONG"
    return [f"{entry['seq']}", entry["kind"], dollars(chips), why, f"{entry['hash'][:12]}… {verified}"]


def _journals(day: Document) -> Iterator[list[str]]:
    for service in dict.fromkeys(each["service"] for each in day["journals"]):
        shards = [each for each in day["journals"] if each["service"] == service]
        wrong = sum(len(each["problems"]) for each in shards)
        sums = [sum(each[name] for each in shards) for name in ("entries", "postings", "checkpoints")]
        schema = service.replace("-", "_")
        balance = dollars(sum(of_property[schema] for of_property in day["trial_balances_cents"].values()))
        counts = [f"{count:,}" for count in (len(shards), *sums)]
        yield [service, *counts, balance, f"{wrong} wrong" if wrong else "good"]


def _property(row: Document) -> list[str]:
    return [
        row["property"],
        row["law"],
        f"{row['gaming_day']}, from {row['gaming_day_begins']}, {row['time_zone']}",
        str(row["tables"]),
        f"{row['rounds']:,}",
        *_amounts(row, "handle", "vigorish", "win"),
    ]


def _summary(day: Document) -> Iterator[str]:
    seconds = day["seconds"]
    yield (
        f"{day['rounds']:,} rounds at {day['tables']} tables, seed {day['seed']}: "
        f"produced in {seconds['produced']:.1f} s, "
        f"settled after {seconds['settled']:.1f} s ({day['records'] / seconds['settled']:,.0f}/s), "
        f"reported after {seconds['reported']:.1f} s"
    )
    if day["differences"]:
        yield f"{len(day['differences'])} figures are not what the simulator has computed by itself:"
        yield from (f"  {each}" for each in day["differences"])
    else:
        yield "Every figure of the reports is what the simulator has computed by itself."
    yield f"The day's reports, {day['reports']['files']} files with a signed manifest: {day['reports']['folder']}"
