"""Records of the demo's tables besides rounds: results of counted tables, rated play, time collections at poker."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from loadtest.floor.counted_tables import COUNTED
from loadtest.floor.devices import CARD_READER, Devices
from loadtest.floor.pit import PitBook, PitDay
from loadtest.floor.rated_play import RatedPlay, rated_plays, rating_records
from loadtest.floor.results import ResultsOfDay
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.reports import rows_of
from services.cli.demo.pit import INVENTORY, REPORTING, People
from services.cli.exits import NotFound
from services.cli.output import heading, names, numbers, table
from shared.contracts.money import dollars
from shared.contracts.properties import Device, PropertyDocument, PropertyTable
from shared.contracts.topics import RATING_EVENTS, TABLE_EVENTS
from shared.runtime.retrying import wait_while

if TYPE_CHECKING:
    from rich.console import RenderableType

Document = Mapping[str, Any]

_RATER: Final = "demo.pit_manager"
_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class BesideRounds:
    """The records of a gaming day besides rounds: results, rated plays, and the number of rating records."""

    results: tuple[ResultsOfDay, ...]
    plays: tuple[RatedPlay, ...]
    ratings: int

    @property
    def records(self) -> int:
        """Return the number of result records, which are table events."""
        return sum(len(one.records) for one in self.results)


def with_card_reader(document: PropertyDocument, name: str) -> tuple[PropertyTable, ...]:
    """Return a property's tables, with a player-card reader added at the table `name`."""
    reader = Device(kind=CARD_READER, asset_number=f"D-{name}-cards")
    return tuple(
        table.model_copy(update={"devices": (*table.devices, reader)}) if table.table == name else table
        for table in document.tables
    )


def report_beside_rounds(
    property_name: str, settled_table: str, gaming_day: date, bootstrap_servers: str, devices: Devices
) -> BesideRounds:
    """Send signed results of counted tables and signed ratings at three tables; return what was sent."""
    found = (ResultsOfDay.of(property_name, plan, gaming_day) for plan in COUNTED)
    results = tuple(one for one in found if one is not None)
    with Publisher(bootstrap_servers, TABLE_EVENTS.name, devices=devices) as publisher:
        for record in (record for one in results for record in one.records):
            publisher.send(record)
    plays = rated_plays(settled_table, COUNTED[0].name, COUNTED[1].name)
    ratings = list(rating_records(property_name, plays, gaming_day))
    with Publisher(bootstrap_servers, RATING_EVENTS.name, devices=devices) as publisher:
        for record in ratings:
            publisher.send(record)
    return BesideRounds(results, plays, len(ratings))


def wait_until_recorded(watch: Watch, beside: BesideRounds, rounds: int, *, seconds: float) -> None:
    """Wait until `rounds` round records and the records in `beside` are consumed. Raises: TooSlow."""
    watch.wait_for_topic("round_settlement", TABLE_EVENTS.name, rounds + beside.records, seconds=seconds)
    watch.wait_for_topic("table_inventory", RATING_EVENTS.name, beside.ratings, seconds=seconds)


def read_beside_rounds(
    people: People, property_name: str, gaming_day: date, beside: BesideRounds, *, seconds: float
) -> Document:
    """Return three reports of the gaming day: player ratings, ratings against rounds, and pace of play.

    Waits until reporting shows every player rating that `beside.plays` closed. Raises: NotFound if one is still missing
    after `seconds`.
    """
    day, closed = {"property": property_name, "gaming_day": gaming_day.isoformat()}, _closed(beside.plays)
    found: dict[str, Any] = {}

    def is_awaited() -> bool:
        found["against_rounds"] = people.at(REPORTING, _RATER).read("/reports/ratings-against-rounds", **day)
        return bool(closed - {row["rating"] for row in rows_of(found["against_rounds"], "sessions")})

    if wait_while(is_awaited, seconds_max=seconds, pause_seconds=_POLL_SECONDS):
        raise NotFound(f"ratings that were closed are not reported after {seconds:g} s; see the log of {INVENTORY}")
    found["ratings"] = people.at(INVENTORY, _RATER).pages("/ratings", **day)
    return found | {"pace": people.at(REPORTING).read("/reports/pace", **day)}


def _closed(plays: Sequence[RatedPlay]) -> Set[str]:
    return {play.rating for play in plays if play.steps[-1][1] == "closed"}


def beside_differences(found: Document, beside: BesideRounds, *, book: PitBook, pit: PitDay) -> Iterator[str]:
    """Yield each difference between the simulator's figures and the ratings and pace reports."""
    ratings = {one["rating"]: one for one in found["ratings"]}
    for play in beside.plays:
        yield from _rating_differences(ratings.get(play.rating, {}), play, book, pit.gaming_day)
    yield from _tied_differences(found["against_rounds"], beside.plays, book, pit.gaming_day)
    if left := sorted(ratings.keys() - {play.rating for play in beside.plays}):
        yield f"ratings: {', '.join(left)} are there, which nobody reported"
    results = {row["table"]: (row["results"], row["shoes"]) for row in rows_of(found["pace"], "results")}
    if results != (sent := {one.table: (len(one.records), one.shoes) for one in beside.results}):
        yield f"pace: results and shoes are {results} and must be {sent}"
    columns = ("rake_cents", "time_cents", "pots_cents")
    rake = {row["table"]: tuple(row[name] for name in columns) for row in rows_of(found["pace"], "rake")}
    if rake != (paid := {name: (cents, cents, 0) for name, cents in pit.poker.items()}):
        yield f"pace: rake, time and what is left for pots are {rake} and must be {paid}"


def _rating_differences(rating: Document, play: RatedPlay, book: PitBook, gaming_day: date) -> Iterator[str]:
    spans = play.spans(gaming_day)
    if rating.get("status") != (status := "closed" if spans else "open"):
        yield f"rating {play.rating} is {rating.get('status')} and must be {status}"
        return
    if not spans:
        return
    stated, closed_at = rating["stated"], book.closed_at(play.table)
    win = play.stated_win(gaming_day)
    if closed_at:  # a table with settled rounds: its rounds are counted, its house edge is the submission's
        rounds = [sum(begins < at <= ends for at in closed_at) for begins, ends, _ in spans]
        if rounds != (counted := [_rounds_of(one) for one in stated["spans"]]):
            yield f"rating {play.rating}: {counted} rounds were played in its spans and there must be {rounds}"
        edges = [Fraction(one["edge"]["house_edge"]) for one in stated["spans"]]
        parts = zip(rounds, spans, edges, strict=True)
        win = sum((number * bet * edge for number, (_, _, bet), edge in parts), start=Fraction(0))
    if stated["theoretical_win_cents"] != round(win):
        yield f"rating {play.rating}: its theoretical win is {stated['theoretical_win_cents']} and must be {round(win)}"


def _tied_differences(report: Document, plays: Sequence[RatedPlay], book: PitBook, gaming_day: date) -> Iterator[str]:
    """Yield a message for each rating whose reported handle differs from the wagers in its tied seat.

    At a counted table, no handle must be reported.
    """
    handles = {row["rating"]: row["handle_cents"] for row in rows_of(report, "sessions")}
    for play in plays:
        spans = [(begins, ends) for begins, ends, _ in play.spans(gaming_day)]
        must = book.handle_cents(play.table, play.seat, spans) if book.closed_at(play.table) else None
        if spans and handles.get(play.rating) != must:
            yield f"rating {play.rating}: {handles.get(play.rating)} was wagered in its seat and must be {must}"


def _rounds_of(span: Document) -> int | None:
    rounds: int | None = span["decisions"].get("rounds")
    return rounds


def beside_tables(found: Document) -> Iterator["RenderableType"]:
    """Yield a table of the ratings, and lines with the results and the time collections."""
    handles = {row["rating"]: row["handle_cents"] for row in rows_of(found["against_rounds"], "sessions")}
    yield heading("Rated patrons, by reference")
    yield table(
        names("Rating", "Patron", "Table", "Status")
        + numbers("Average bet", "Buy-in", "Theoretical win", "Handle of the seat"),
        [
            [
                *(one[name] for name in ("rating", "patron", "table", "status")),
                *(
                    "" if cents is None else dollars(cents)
                    for cents in (
                        one.get("average_bet_cents"),
                        one["buy_in_cents"],
                        one.get("stated", {}).get("theoretical_win_cents"),
                        handles.get(one["rating"]),
                    )
                ),
            ]
            for one in found["ratings"]
        ],
    )
    for row in rows_of(found["pace"], "results"):
        yield f"{row['table']} recorded {row['results']} results, and {row['shoes']} shoes ended."
    for row in rows_of(found["pace"], "rake"):
        time, rake = dollars(row["time_cents"]), dollars(row["rake_cents"])
        yield f"{row['table']} collected {time} of time; its boxes held {rake}."
    yield ""
