"""Round settlement on a real database: the rounds of a day, a round with its history, and proofs of its entries."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import create_engine

from services.round_settlement.manifest import MANIFEST
from services.round_settlement.tables import rounds
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.proof import verify_document
from shared.journal.signed_note import Signer
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.reference_search import references_like
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.properties import property_event
from tests.support.rebuilding import execute
from tests.support.rounds import (
    BLACKJACK,
    DAY,
    LOSING,
    NEXT_DAY,
    TABLES,
    completed,
    corrected,
    record,
    source,
    submission,
    two_people,
    voided,
    withdrawn,
)
from tests.support.services import query, settled_database

T1, T2 = TABLES[:2]
SIGNER = Signer.generate("pitledger/round-settlement")
NAME = "table.events/0@test"


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture
def desk(url: str) -> Iterator[Desk]:
    """The service, after two rounds at one table, corrected and voided, and one at another."""
    people = {"ann": ["rounds.read"], "carl": ["reports.read"]}
    with desk_of(MANIFEST, url, people=people, clock=lambda: DAY + timedelta(days=1)) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", submission())
        desk.feed(
            "table.events",
            completed(T1, 1, "a", record(LOSING)),
            completed(T1, 2, "b", record(BLACKJACK)),
            corrected(T1, 3, "a", record(BLACKJACK)),
            voided(T1, 4, "b"),
            completed(T2, 1, "c", record(LOSING, cents=500), **NEXT_DAY),
        )
        yield desk


def _get(desk: Desk, path: str) -> Any:
    response = desk.get(f"/rounds{path}", person="ann")
    assert 200 == response.status_code, response.text
    return response.json()


def _sign(desk: Desk, directory: Path) -> None:
    """Sign checkpoints of all that there is, and keep them in a directory."""
    notary = CheckpointSigner("round-settlement", SIGNER, DirectoryStore(directory))
    desk.client.run(JournalVerifier(desk.context, notary).watch())


def test_a_round_is_shown_with_its_whole_history(desk: Desk) -> None:
    """What stands on top; every entry below, oldest first, with correction, money, hash, and that it settles again."""
    found = _get(desk, f"/riverside/{T1}/a")
    assert ("posted", 2, "2026-11-20") == (found["status"], found["revision"], found["gaming_day"])
    [total] = found["totals"]
    assert (10000, 25000) == (total["handle_cents"], total["payout_cents"])
    assert [("blackjack", 10000, 15000)] == [(line["wager"], line["stake"], line["payout"]) for line in found["lines"]]
    assert {("blackjack", "handle"): -10000, ("blackjack", "payout"): 25000, ("", "chips"): -15000} == {
        (posting["wager"], posting["leg"]): posting["cents"] for posting in found["postings"]
    }
    first, reversed_, second = found["entries"]
    assert ["settlement.posted", "settlement.reversed", "settlement.posted"] == [e["kind"] for e in found["entries"]]
    assert (second["shard"], second["seq"]) == (found["shard"], found["seq"])
    assert two_people() == reversed_["data"]["correction"]
    assert first["sequence"] == reversed_["data"]["reverses"]
    assert [True, None, True] == [entry.get("settles_again") for entry in found["entries"]]
    assert (NAME, source(T1), f"{T1}-1") == (first["shard_name"], first["source"], first["event_id"])
    assert all(entry["hash_verified"] for entry in found["entries"])
    assert second["previous"] == reversed_["hash"]
    assert {posting["leg"]: -posting["cents"] for posting in first["postings"]} == {
        posting["leg"]: posting["cents"] for posting in reversed_["postings"]
    }


def _version_of(desk: Desk, table: str, name: str) -> int:
    """The version of the submission under which a round settled first."""
    version: int = _get(desk, f"/riverside/{table}/{name}")["entries"][0]["data"]["submission"]["version"]
    return version


def test_a_submission_that_was_withdrawn_takes_no_effect(desk: Desk) -> None:
    """Until it is withdrawn it settles; then what it was to supersede settles on."""
    later = submission(2, version=2, submission={"decks": 8}, effective_from=(DAY - timedelta(hours=1)).isoformat())
    desk.feed("submissions", later)
    desk.feed("table.events", completed(T2, 2, "d", record(LOSING)))
    desk.feed("submissions", withdrawn(3, later))
    desk.feed("table.events", completed(T2, 3, "e", record(LOSING)))
    assert [2, 1] == [_version_of(desk, T2, name) for name in "de"]


def test_a_version_that_was_withdrawn_before_it_was_known_takes_no_effect(desk: Desk) -> None:
    """Its approval was refused, and comes again when its withdrawal has passed by."""
    later = submission(3, version=2, submission={"decks": 8}, effective_from=(DAY - timedelta(hours=1)).isoformat())
    desk.feed("submissions", withdrawn(2, later), later)
    desk.feed("table.events", completed(T2, 2, "d", record(LOSING)))
    assert (1, []) == (_version_of(desk, T2, "d"), desk.quarantined())


def test_a_table_settles_under_the_latest_submission_that_lists_it(desk: Desk) -> None:
    """A later version for other tables changes nothing at this one."""
    beginning = (DAY - timedelta(hours=1)).isoformat()
    desk.feed("submissions", submission(2, version=2, tables=[T2], submission={"decks": 8}, effective_from=beginning))
    desk.feed("table.events", completed(T2, 2, "d", record(LOSING)), completed(T1, 5, "e", record(LOSING)))
    assert [2, 1] == [_version_of(desk, T2, "d"), _version_of(desk, T1, "e")]


def test_a_void_round_has_no_money(desk: Desk) -> None:
    """Its first record and what took it back are still shown."""
    found = _get(desk, f"/riverside/{T1}/b")
    assert ("void", [], [], []) == tuple(found[name] for name in ("status", "totals", "lines", "postings"))
    assert ["settlement.posted", "settlement.reversed"] == [entry["kind"] for entry in found["entries"]]
    assert "seq" not in found


def test_what_was_altered_in_the_database_is_said(desk: Desk, url: str) -> None:
    """Other lines than the record settles to, and a hash that is not that of the entry."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("ALTER TABLE round_settlement.entries DISABLE TRIGGER USER")
        connection.execute(
            """UPDATE round_settlement.entries SET data = replace(data::text, '"payout":15000', '"payout":16000')::json
               WHERE sequence = 3"""
        )
    *_, altered = _get(desk, f"/riverside/{T1}/a")["entries"]
    assert (False, False) == (altered["hash_verified"], altered["settles_again"])


def test_an_entry_is_proven_to_an_outsider(desk: Desk, tmp_path: Path) -> None:
    """Once a checkpoint covers it; with the public key of the service alone."""
    [entry] = _get(desk, f"/riverside/{T2}/c")["entries"]
    path = f"/rounds/riverside/{T2}/c/proofs/{entry['shard']}/{entry['seq']}"
    assert_problem(desk.get(path, person="ann"), 409, "no checkpoint covers entry")
    _sign(desk, tmp_path)
    [entry] = _get(desk, f"/riverside/{T2}/c")["entries"]
    assert path == entry["checkpoint"]["proof"]
    answered = desk.get(path, person="ann")
    proven = verify_document(answered.text, [SIGNER.verifier])
    assert (entry["seq"] - 1, entry["checkpoint"]["size"]) == (proven.index, proven.checkpoint.size)
    assert f"{T2}-1".encode() in proven.fields
    assert 304 == desk.get(path, person="ann", **{"If-None-Match": answered.headers["etag"]}).status_code
    other = f"/rounds/riverside/{T1}/a/proofs/{entry['shard']}/{entry['seq']}"
    assert_problem(desk.get(other, person="ann"), 404, "is not about round a")


def test_a_shard_that_was_altered_after_signing_proves_nothing(desk: Desk, url: str, tmp_path: Path) -> None:
    """The proof is refused, and says what to run."""
    _sign(desk, tmp_path)
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("ALTER TABLE round_settlement.entries DISABLE TRIGGER USER")
        connection.execute("UPDATE round_settlement.entries SET event_id = 'other' WHERE sequence = 3")
    *_, entry = _get(desk, f"/riverside/{T1}/a")["entries"]
    assert_problem(desk.get(entry["checkpoint"]["proof"], person="ann"), 409, "run: pitledger verify")


def test_the_rounds_of_a_day_are_listed_page_by_page(desk: Desk) -> None:
    """By table and round from either end, of one day, of one table; where each stands."""
    of_day = "?property=riverside&gaming_day=2026-11-20"
    first = _get(desk, f"{of_day}&limit=1")
    second = _get(desk, f"{of_day}&limit=1&cursor={first['next']}")
    assert [("a", "posted", 2), ("b", "void", 1)] == [
        (item["round_id"], item["status"], item["revision"]) for page in (first, second) for item in page["items"]
    ]
    assert "next" not in second
    last = _get(desk, f"{of_day}&limit=1&from_end=true")
    before = _get(desk, f"{of_day}&limit=1&from_end=true&cursor={last['next']}")
    assert ["b", "a"] == [item["round_id"] for page in (last, before) for item in page["items"]]
    assert "next" not in before
    assert_problem(desk.get(f"/rounds{of_day}&cursor={last['next']}", person="ann"), 400, "not one of this")
    assert ["c"] == [item["round_id"] for item in _get(desk, "?property=riverside&gaming_day=2026-11-21")["items"]]
    assert [] == _get(desk, f"{of_day}&table={T2}")["items"]


def test_rounds_are_shown_to_those_who_may(desk: Desk) -> None:
    """They show people and money."""
    for path in (f"/riverside/{T1}/a", "?property=riverside&gaming_day=2026-11-20", f"/riverside/{T1}/a/proofs/1/1"):
        assert_problem(desk.get(f"/rounds{path}", person="carl"), 403, "carl does not have the role 'rounds.read'")
    assert_problem(desk.get(f"/rounds/riverside/{T1}/z", person="ann"), 404, "no round z of table BJ-01")


def _asked(desk: Desk, submitted: dict[str, Any], more: str = "", person: str = "ann") -> httpx.Response:
    return desk.post(f"/what-if?first=2026-11-20&last=2026-11-21{more}", submitted, person=person)


def _submitted(**selected: Any) -> dict[str, Any]:
    document = {"property": "riverside", "game": "blackjack", "regulation": "pa-633a-2024", "tables": [T1, T2]}
    effective = {"effective_from": "2026-12-01T06:00:00-05:00"}
    return document | effective | {"submission": {"decks": 6} | selected}


def test_rounds_are_found_by_id_and_by_hash(desk: Desk) -> None:
    """At whichever table; by the first digits of the hash of what stands, on its gaming day."""
    shown = _get(desk, f"/riverside/{T1}/a")
    [standing] = [one["hash"] for one in shown["entries"] if one["seq"] == shown["seq"]]
    for question in ("round_id=a", f"hash={standing[:12]}&gaming_day=2026-11-20"):
        [found] = _get(desk, f"/find?property=riverside&{question}")["items"]
        assert (T1, "a", 2) == (found["table"], found["round_id"], found["revision"])
    [voided] = _get(desk, "/find?property=riverside&round_id=b")["items"]
    assert "void" == voided["status"]
    for nothing in ("round_id=z", f"hash={standing[:12]}&gaming_day=2026-11-21", f"hash={standing[:12]}"):
        assert [] == _get(desk, f"/find?property=riverside&{nothing}")["items"]


def test_rounds_are_found_as_people_type_their_ids(desk: Desk) -> None:
    """In any case, whole or by four last characters or more, the whole id first; no character is a placeholder."""
    for sequence, round_id in enumerate(("N1-0042", "N2-0042", "n9-x0042Ab", "0042"), start=5):
        desk.feed("table.events", completed(T1, sequence, round_id, record(LOSING)))
    for typed, expected in (
        ("n1-0042", ["N1-0042"]),
        ("42AB", ["n9-x0042Ab"]),
        ("0042", ["0042", "N1-0042", "N2-0042"]),
        ("042", []),
        ("%25042", []),
        ("A", ["a"]),
    ):
        found = _get(desk, f"/find?property=riverside&typed={typed}")["items"]
        assert expected == [one["round_id"] for one in found], typed
    assert [] == _get(desk, "/find?property=lakeside&typed=0042")["items"]
    assert 422 == desk.get("/rounds/find?property=riverside&typed=%C3%A4%C3%A4%C3%A4%C3%A4", person="ann").status_code


@pytest.mark.parametrize("typed", ["a", "0042"])
def test_a_search_for_a_round_reads_an_index(url: str, typed: str) -> None:
    """That of ids from their end: a search among hundreds of thousands of rounds reads those that it finds."""
    found = references_like(rounds, "round_id", "riverside", typed)
    statement = str(found.compile(create_engine(url), compile_kwargs={"literal_binds": True}))
    filled = """INSERT INTO round_settlement.rounds
        SELECT 'r-' || n, 'riverside', 'BJ-01', n, n, 1, 1, '2026-11-20', 'blackjack', '{}'
        FROM generate_series(1, 20000) n"""
    execute(url, filled)
    execute(url, "ANALYZE round_settlement.rounds")
    plan = "\n".join(line for (line,) in query(url, f"EXPLAIN {statement}"))
    assert "Index Scan using rounds_by_end" in plan, plan
    assert "Sort" not in plan


def test_what_if_settles_standing_rounds_by_other_rules(desk: Desk) -> None:
    """The corrected blackjack and a loss come to the same, what cannot be is counted; the voided round is left out."""
    entries = len(desk.facts())
    found = _asked(desk, _submitted()).json()
    assert (2, {}) == (found["rounds"], found["refused"])
    assert [10_500, 25_000, -14_500] == list(found["total"]["recorded"].values())
    assert {T1: -15_000, T2: 500} == {one["table"]: one["other"]["win_cents"] for one in found["by_table"]}
    other = _asked(desk, _submitted(options={"switch": True}), f"&table={T2}").json()
    assert (1, 1, 0) == (other["rounds"], sum(other["refused"].values()), other["total"]["recorded"]["handle_cents"])
    assert entries == len(desk.facts())


def test_what_if_takes_the_role_and_a_submission_that_can_be(desk: Desk) -> None:
    """For the property of the submission; of days that were played, and by rules that the regulation has."""
    assert_problem(_asked(desk, _submitted(), person="carl"), 403, "rounds.read")
    assert_problem(_asked(desk, _submitted() | {"property": "elsewhere"}), 404, "there is no property 'elsewhere'")
    assert_problem(desk.post("/what-if?first=2026-01-01&last=2026-01-02", _submitted(), person="ann"), 404, "no round")
    assert_problem(_asked(desk, _submitted(wagers={"nonsense": {}})), 422, "nonsense")


def _minimums(desk: Desk, more: str = "&minimum_cents=10100", person: str = "ann") -> httpx.Response:
    days = "first=2026-11-20&last=2026-11-21"
    return desk.get(f"/minimums?property=riverside&game=blackjack&{days}{more}", person=person)


def test_other_minimums_raise_or_lose_who_wagered_less(desk: Desk) -> None:
    """Of wagers of $100 and $5, both are below $101; below $50 the smaller alone is; nothing is recorded."""
    entries = len(desk.facts())
    found = _minimums(desk, "&minimum_cents=10100&minimum_cents=5000").json()
    assert (2, ["blackjack"], [None]) == (
        found["rounds"],
        [one["wager"] for one in found["edges"]],
        [one["source"] for one in found["edges"]],
    )
    assert [{"main_cents": 500, "seats": 1}, {"main_cents": 10_000, "seats": 1}] == found["stakes"]
    fifty, more = found["minimums"]
    assert (5_000, 10_100) == (fifty["minimum_cents"], more["minimum_cents"])
    for one, below, raised, left in ((fifty, 1, 15_000, 10_000), (more, 2, 20_200, 0)):
        total = one["total"]
        assert (below, 10_500, raised, left) == (
            total["seats_below"],
            *(total[side]["handle_cents"] for side in ("recorded", "raised", "left")),
        )
        assert total["seats_below"] == sum(hour["seats_below"] for hour in one["hours"])
        assert {None} == {hour["sign_cents"] for hour in one["hours"]}
    assert 1 == _minimums(desk, f"&minimum_cents=10100&table={T2}").json()["rounds"]
    assert entries == len(desk.facts())


def test_other_minimums_take_the_role_and_days_that_were_played(desk: Desk) -> None:
    """At least one minimum, and a few of them at most."""
    assert_problem(_minimums(desk, person="carl"), 403, "rounds.read")
    assert_problem(_minimums(desk, "&minimum_cents=5000&table=BJ-09"), 404, "no round of blackjack")
    assert_problem(_minimums(desk, ""), 422, "minimum_cents")
    assert_problem(_minimums(desk, "&minimum_cents=5000" * 9), 422, "minimum_cents")


@pytest.mark.parametrize("name", ["a", "b"])
def test_round_numbers_that_begin_again_each_day(desk: Desk, name: str) -> None:
    """The second round of a number is refused, also where the first is void. Its reason leads to both rounds."""
    before = _get(desk, f"/riverside/{T1}/{name}")
    desk.feed("table.events", completed(T1, 5, name, record(BLACKJACK), **NEXT_DAY))
    [reason] = desk.quarantined()
    assert "a round number is used once at a table" in reason
    assert f"put the gaming day before the number (2026-11-21-{name}), and send this round" in reason
    desk.feed("table.events", completed(T1, 5, f"2026-11-21-{name}", record(BLACKJACK), **NEXT_DAY))
    after = _get(desk, f"/riverside/{T1}/2026-11-21-{name}")
    assert ("posted", "2026-11-21", 1) == (after["status"], after["gaming_day"], after["revision"])
    assert before == _get(desk, f"/riverside/{T1}/{name}")
