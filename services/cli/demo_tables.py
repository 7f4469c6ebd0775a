"""The day that `pitledger demo` has played, as JSON and as tables for people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from loadtest.electronic import Money
from loadtest.pit import PitDay
from loadtest.playing import Played
from loadtest.reports import Reports
from services.cli.demo_identities import Identity, PitReports
from services.cli.demo_pit_tables import show_identities, show_liability, show_pit
from services.cli.demo_round import show_round
from services.cli.output import Column, dollars, heading, show, table

_FIGURES: Final[tuple[Column, ...]] = (
    ("Rounds", "number"),
    ("Handle", "number"),
    ("Payouts", "number"),
    ("Vigorish", "number"),
    ("Win", "number"),
    ("Win by handle", "number"),
)


@dataclass(frozen=True, slots=True)
class Day:
    """A gaming day that was played, settled, reported and verified. `titles` are those of the games by their names."""

    gaming_day: date
    seed: int
    tables: int
    rounds: int
    titles: Mapping[str, str]
    played: Played
    reports: Reports
    pit: PitDay
    pit_reports: PitReports
    electronic: Money
    identities: tuple[Identity, ...]
    journals: tuple[Mapping[str, Any], ...]
    trial_balances: Mapping[str, int]
    """The sum of all postings of each journal, by its schema, cents."""
    example: Mapping[str, Any]
    differences: tuple[str, ...]

    def as_document(self) -> dict[str, Any]:
        """All of it as one JSON document; amounts are cents."""
        played = self.played
        return {
            "property": self.reports.daily_win["property"],
            "gaming_day": self.gaming_day.isoformat(),
            "seed": self.seed,
            "tables": self.tables,
            "rounds": self.rounds,
            "records": played.records,
            "sent": dict(played.books.messages),
            "seconds": {
                "produced": played.produced_seconds,
                "settled": played.settled_seconds,
                "reported": played.reported_seconds,
            },
            "daily_win": self.reports.daily_win,
            "exceptions": list(self.reports.exceptions),
            "win": self.pit_reports.win,
            "variances": list(self.pit_reports.variances),
            "inventory_exceptions": list(self.pit_reports.exceptions),
            "vigorish": self.pit_reports.vigorish,
            "accounts": asdict(self.electronic) | {"liability": self.pit_reports.liability},
            "meters": self.pit_reports.meters,
            "hits": list(self.pit_reports.hits),
            "identities": [identity.as_document() for identity in self.identities],
            "journals": list(self.journals),
            "trial_balances_cents": dict(self.trial_balances),
            "expected": asdict(played.books.total()),
            "differences": list(self.differences),
            "round": self.example,
        }


def show_day(day: Day) -> None:
    """Prints the day."""
    report = day.reports.daily_win
    total = report["total"]
    show(
        heading(f"Daily win of {report['property']}, {report['gaming_day']}, by table"),
        table(
            [("Table", "name"), ("Game", "name"), *_FIGURES],
            [*_by_table(report), ["all", "", *_figures(total, total["rounds"]["counted"])]],
            footer=True,
        ),
        "Win is handle less payouts, with vigorish and what the house won in banks of players; meters are apart.",
        "",
        heading("By game and wager"),
        table([("Wager", "name"), *_FIGURES], list(_by_wager(day))),
        heading("Rounds that players banked"),
        table(
            [
                ("Table", "name"),
                ("Rounds", "number"),
                ("Wagered against banks", "number"),
                ("Paid back", "number"),
                ("House in bank", "number"),
                ("Vigorish of banks", "number"),
            ],
            list(_banks(report["rows"])),
        ),
        heading("Progressive meters"),
        table(
            [("Table", "name"), ("Wager", "name"), ("Contributed", "number"), ("Reset", "number"), ("Won", "number")],
            list(_meters(report["rows"])),
        ),
        *show_pit(day.pit_reports),
        *show_liability(day.pit_reports.liability, day.gaming_day),
        heading("Exceptions, made on purpose"),
        table(
            [("What", "name"), ("State", "name"), ("Table", "name"), ("Why", "words"), ("Who", "words")],
            [*_exceptions(day.reports.exceptions), *_exceptions(day.pit_reports.exceptions)],
        ),
        f"Sent twice and dropped: {day.played.books.messages['duplicate']}",
        "",
        *show_round(day.example),
        heading("Journals, verified entry by entry and against their signed checkpoints"),
        table(
            [
                ("Service", "name"),
                ("Shards", "number"),
                ("Entries", "number"),
                ("Postings", "number"),
                ("Checkpoints", "number"),
                ("Trial balance", "number"),
                ("Verified", "name"),
            ],
            list(_journals(day)),
        ),
        *show_identities(day.identities),
        heading("In short"),
        *_summary(day),
    )


def _figures(row: Mapping[str, Any], rounds: int) -> list[str]:
    win_percent = row["win_percent"]
    return [
        f"{rounds:,}",
        dollars(row["handle_cents"]),
        dollars(row["payout_cents"]),
        dollars(row["vigorish_cents"]),
        dollars(row["win_cents"]),
        "" if win_percent is None else f"{float(win_percent):.2f}%",
    ]


def _by_table(report: Mapping[str, Any]) -> Iterator[list[str]]:
    games = {row["table"]: row["game"] for row in report["rows"]}
    for row in report["tables"]:
        yield [row["table"], games[row["table"]], *_figures(row, row["rounds"]["counted"])]


def _wager_sums(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """The rows of all tables added up by wager."""
    sums: dict[str, dict[str, int]] = {}
    for row in rows:
        wager = sums.setdefault(row["wager"], {})
        for name, value in row.items():
            if isinstance(value, int):
                wager[name] = wager.get(name, 0) + value
    return sums


def _by_wager(day: Day) -> Iterator[list[str]]:
    """The wagers of each game, the tables where it was played together."""
    rows = day.reports.daily_win["rows"]
    for title in dict.fromkeys(day.titles.values()):
        sums = _wager_sums([row for row in rows if day.titles[row["game"]] == title])
        if sums:
            yield [title, *[""] * len(_FIGURES)]
            yield from ([f"  {wager}", *figures] for wager, *figures in _wagers(sums))


def _wagers(sums: Mapping[str, dict[str, int]]) -> Iterator[list[str]]:
    for name, wager in sorted(sums.items(), key=lambda item: -item[1]["handle_cents"]):
        handle, win = wager["handle_cents"], wager["win_cents"]
        win_percent = f"{100 * win / handle:.2f}" if handle else None
        yield [name, *_figures({**wager, "win_percent": win_percent}, wager["count"])]


def _banks(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """The tables where players banked; a round with a bank has one line of the bank."""
    for name in dict.fromkeys(row["table"] for row in rows if row["wager"] == "bank"):
        sums = _wager_sums([row for row in rows if row["table"] == name])
        columns = ("banked_handle", "banked_payout", "house_in_bank")
        moved = [sum(wager[f"{column}_cents"] for wager in sums.values()) for column in columns]
        bank = sums["bank"]
        yield [name, f"{bank['count']:,}", *map(dollars, moved), dollars(bank["vigorish_cents"])]


def _meters(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for row in rows:
        moved = [row[f"meter_{what}_cents"] for what in ("contribution", "reset", "payout")]
        if any(moved):
            yield [row["table"], row["wager"], *map(dollars, moved)]


def _exceptions(exceptions: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for each in exceptions:
        who = [each[name] for name in ("entered_by", "approved_by", "by", "owner") if each.get(name)]
        why = each.get("reason") or f"{each['code']}: {each['detail']} ({each['paragraph']})"
        amount = f"{dollars(each['cents'])}: " if each.get("cents") else ""
        yield [each["kind"].replace("_", " "), each["status"], each.get("table") or "?", amount + why, ", ".join(who)]


def _journals(day: Day) -> Iterator[list[str]]:
    for service in dict.fromkeys(each["service"] for each in day.journals):
        shards = [each for each in day.journals if each["service"] == service]
        wrong = sum(len(each["problems"]) for each in shards)
        sums = [sum(each[name] for each in shards) for name in ("entries", "postings", "checkpoints")]
        yield [
            service,
            f"{len(shards)}",
            *(f"{each:,}" for each in sums),
            dollars(day.trial_balances[service.replace("-", "_")]),
            f"{wrong} wrong" if wrong else "good",
        ]


def _summary(day: Day) -> Iterator[str]:
    played = day.played
    yield (
        f"{day.rounds:,} rounds at {day.tables} tables, seed {day.seed}: produced in {played.produced_seconds:.1f} s, "
        f"settled after {played.settled_seconds:.1f} s ({played.records / played.settled_seconds:,.0f}/s), "
        f"reported after {played.reported_seconds:.1f} s"
    )
    if day.differences:
        yield f"{len(day.differences)} figures are not what the simulator has computed by itself:"
        yield from (f"  {each}" for each in day.differences)
    else:
        yield "Every figure of the reports is what the simulator has computed by itself."
