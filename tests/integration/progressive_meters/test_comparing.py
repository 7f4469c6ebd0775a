"""What the database adds up to compare readings, beside a walk over every movement; and what of it is kept."""

import random
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from services.progressive_meters.domain.comparison import Reading, Step, differences
from services.progressive_meters.domain.reconciling import reading_exception
from services.progressive_meters.watch import compare
from shared.contracts.exact import nanocents, shown
from tests.support.asgi import assert_problem
from tests.support.nightly import sampled
from tests.unit.progressive_meters.office import Office, feed
from tests.unit.progressive_meters.settlements import DAY, PROPERTY, Event, Shard, moment, rules

RULES = rules()
SHARDS = (Shard(RULES), Shard(RULES, 2))
RATE = 205_000_000  # nanocents of a cent
THE_DAY = f"/reconciliations/{PROPERTY}/{DAY}"
MINUTES = 300.0


def keep(office: Office) -> int:
    """What the service does by itself every so often."""
    moved: int = office.desk.client.run(compare(office.desk.context))
    return moved


def walked(url: str) -> list[dict[str, Any]]:
    """The readings of the day that differ, by a walk over every movement that there is."""
    gain = "contribution + reset + seed + transfer + released - award_cents * 1000000000"
    said = "standing AND before_cents IS NOT NULL AND gaming_day = %s"
    with psycopg.connect(url.replace("+psycopg", ""), row_factory=dict_row) as connection:
        read = connection.execute(f"SELECT * FROM progressive_meters.readings WHERE {said} ORDER BY number", (DAY,))
        readings = [Reading(**{name: row[name] for name in Reading.__slots__}) for row in read]
        moved = connection.execute(f"SELECT *, {gain} AS gain FROM progressive_meters.movements").fetchall()
    found = []
    for pool in sorted({one.pool for one in readings}):
        steps = [
            Step(row["at"], row["number"], row["table"], row["round_id"], int(row["gain"]))
            for row in moved
            if row["pool"] == pool
        ]
        found += [reading_exception(one) for one in differences([r for r in readings if r.pool == pool], 0, steps)]
    listed = sorted(found, key=lambda item: item.key)
    return [item.model_dump(mode="json", exclude_none=True) for item in listed]


class Day:
    """A day of rounds at four tables of two pools: most say what the ledger shows, and some are taken back."""

    def __init__(self, rng: random.Random, rounds: int) -> None:
        self.rng = rng
        self._sequences = [0, 0]
        self.sent: list[tuple[int, Event]] = []
        tables = [f"BJ-0{number}" for number in range(1, 5)]
        closed = sorted((rng.uniform(1, MINUTES), rng.choice(tables)) for _ in range(rounds))
        held = {"major": nanocents(500000), "minor": nanocents(500000)}
        self.waiting: list[dict[str, Any]] = []
        for number, (minute, table) in enumerate(closed):
            pool = pool_of(table)
            stakes, award = (rng.randrange(100, 900),), 0
            before = shown(held[pool]) + rng.choice([0] * 6 + [1, -1])
            if rng.random() < 0.05:
                award = before
            held[pool] += stakes[0] * RATE + nanocents(500000 - award if award else 0)
            self.waiting.append(
                {
                    "before": before,
                    "stakes": stakes,
                    "award": award,
                    "reset": 500000 if award else 0,
                    "table": table,
                    "round_id": f"r-{number}",
                    "closed": minute,
                    "opened": minute - rng.choice([0.3, 3.0]),
                }
            )

    def late(self) -> None:
        """Some rounds arrive much later than others, and all a little out of order."""
        self.waiting.sort(key=lambda one: one["closed"] + self.rng.choice([0, 0, 2, 0.6 * MINUTES]))

    def post(self, revision: int = 1, **round_: Any) -> tuple[int, Event]:
        """A round as the shard of its table says it."""
        shard = 0 if round_["table"] < "BJ-03" else 1
        return shard, self._in_the_end(SHARDS[shard].posted(self._next(shard), revision=revision, **round_))

    def take_back(self, shard: int, posted: Event) -> Event:
        """A round is taken back."""
        return self._in_the_end(SHARDS[shard].reversed(self._next(shard), posted))

    def _in_the_end(self, event: Event) -> Event:
        """Corrections are made when the rounds have been played, one after the other."""
        return event | {"time": moment(MINUTES + 80 + sum(self._sequences)).isoformat()}

    def _next(self, shard: int) -> int:
        self._sequences[shard] += 1
        return self._sequences[shard]


def pool_of(table: str) -> str:
    """The pool that a table feeds: the two shards share one of them."""
    return "minor" if table == "BJ-04" else "major"


def open_pools(office: Office) -> None:
    """Two pools, one of which tables of both shards feed."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"), feed("BJ-03"))
    office.open_pool("minor", feed("BJ-04"))


def require_same(office: Office, url: str) -> None:
    """Whatever is asked, the answer is that of the walk."""
    every = walked(url)
    assert every == [item for item in office.exceptions() if item["kind"] == "reading"]
    assert office.exceptions() == office.exceptions("&again=false")
    gone_through, kept = office.get(THE_DAY), office.get(f"{THE_DAY}?again=false")
    assert gone_through.content == kept.content
    assert ([], not office.exceptions("&kind=award")) == (kept.json()["wrong"], kept.json()["balanced"])
    for row in kept.json()["pools"]:
        listed = office.read(f"{THE_DAY}/pools/{row['pool']}/readings?limit=500")["items"]
        different = [item["round_id"] for item in listed if item["different"]]
        assert (row["readings"], row["readings_different"]) == (len(listed), len(different))
        assert sorted(item["round_id"] for item in every if item["pool"] == row["pool"]) == sorted(different)


@sampled(1)
@pytest.mark.parametrize("example", range(3))
def test_what_the_database_adds_up_is_what_a_walk_finds(
    office: Office, url: str, rng: random.Random, example: int
) -> None:
    """Rounds that are late, taken back and corrected, once and twice; compared at any moment, kept or all again."""
    open_pools(office)
    day = Day(rng, 60 + 20 * example)
    day.late()
    stands: list[tuple[int, int, Event, dict[str, Any]]] = []
    while day.waiting:
        batch: tuple[list[Event], list[Event]] = ([], [])
        for _ in range(min(rng.randrange(1, 9), len(day.waiting))):
            round_ = day.waiting.pop(0)
            shard, event = day.post(**round_)
            batch[shard].append(event)
            stands.append((1, shard, event, round_))
        for _ in range(min(rng.choice([0, 0, 1, 2]), len(stands))):
            which = rng.choice([-1, rng.randrange(len(stands))])  # often the round that was corrected last
            revision, shard, event, round_ = stands.pop(which)
            batch[shard].append(day.take_back(shard, event))
            if rng.random() < 0.7:
                again = round_ | {"stakes": (rng.randrange(100, 900),)}
                again["closed"] = again["opened"] + rng.choice([1, 1, 70])  # in another hour than it was said to be
                _, corrected = day.post(revision + 1, **again)
                batch[shard].append(corrected)
                stands.append((revision + 1, shard, corrected, again))
        for shard, events in enumerate(batch):
            if events:
                office.settle(*events, partition=shard)
        if rng.random() < 0.3:
            keep(office)
        if rng.random() < 0.3:
            require_same(office, url)
    assert [] == office.quarantined()
    require_same(office, url)
    assert walked(url)
    keep(office)
    assert 0 == keep(office)
    require_same(office, url)


def test_a_round_is_counted_once_in_whichever_hour_corrections_put_it(office: Office) -> None:
    """Kept before each of two corrections, of which each says that the round was played in another hour."""
    open_pools(office)
    sequence, posted = 1, SHARDS[0].posted(1, before=500000, round_id="r-1", opened=1, closed=2)
    office.settle(posted, SHARDS[0].posted(2, before=500020, opened=3, closed=4))
    for revision, hour in ((2, 1), (3, 2)):
        keep(office)
        of_round: dict[str, Any] = {"round_id": "r-1", "before": 500000, "opened": 60 * hour, "closed": 60 * hour + 1}
        sequence += 2
        events = SHARDS[0].reversed(sequence, posted), SHARDS[0].posted(sequence + 1, revision=revision, **of_round)
        posted = events[1]
        office.settle(*(event | {"time": moment(300 + sequence).isoformat()} for event in events))
        assert 2 == office.read(f"{THE_DAY}?again=false")["pools"][0]["readings"]
        assert office.get(THE_DAY).content == office.get(f"{THE_DAY}?again=false").content


def test_only_what_has_moved_is_compared_again(office: Office, url: str) -> None:
    """What is kept counts as it was found; asked to, the service goes through everything again."""
    open_pools(office)
    office.settle(*(SHARDS[0].posted(n, before=before) for n, before in enumerate((500000, 500020, 500041), 1)))
    assert 2 == keep(office)
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE progressive_meters.readings SET before_cents = 7 WHERE round_id = 'r-1-1'")
    assert [] == office.exceptions("&again=false")
    assert ["r-1-1"] == [item["round_id"] for item in office.exceptions()]
    office.settle(SHARDS[0].posted(4, before=500061))
    assert 4 == office.read(f"{THE_DAY}?again=false")["pools"][0]["readings"]
    assert ["r-1-1"] == [item["round_id"] for item in office.exceptions("&again=false")]  # in the hour that has moved
    assert 1 == keep(office)


def test_what_was_compared_of_other_rows_does_not_count(office: Office, url: str) -> None:
    """After a rebuild everything is compared again, for the rows may not have been as they had to be."""
    open_pools(office)
    office.settle(SHARDS[0].posted(1, before=500000))
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE progressive_meters.readings SET before_cents = 7")
    keep(office)
    assert 1 == len(office.exceptions("&again=false"))
    office.desk.project_again(url, office.entries())
    assert [] == office.exceptions("&again=false")
    assert 2 == keep(office)
    assert [] == office.exceptions("&again=false")


def test_all_readings_of_a_meter_are_listed_from_their_end(office: Office) -> None:
    """Page by page, each beside the ledger; those of rounds that were taken back are gone."""
    open_pools(office)
    said = (500000, 500019, 500041, 500061)
    posted = [SHARDS[0].posted(n, before=before) for n, before in enumerate(said, 1)]
    office.settle(*posted, SHARDS[0].reversed(5, posted[3]))
    path = f"{THE_DAY}/pools/major/readings?from_end=true&limit=2"
    first = office.read(path)
    second = office.read(f"{path}&cursor={first['next']}")
    assert [("r-1-3", False), ("r-1-2", True), ("r-1-1", False)] == [
        (item["round_id"], item["different"]) for item in first["items"] + second["items"]
    ]
    assert "next" not in second
    different = first["items"][1]
    assert (500019, 500020, 500039, 500040) == tuple(
        different[f"{who}_{when}_cents"] for when in ("before", "after") for who in ("reported", "ledger")
    )
    assert [] == office.read(f"/reconciliations/{PROPERTY}/2026-11-19/pools/major/readings")["items"]
    assert_problem(office.get(f"{THE_DAY}/pools/major/readings", person="carl"), 403, "does not have the role")
