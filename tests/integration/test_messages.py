"""What is on the topic of a service is taken only where that service signed it, and once with one content."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from services.vigorish.manifest import MANIFEST
from shared.journal.signed_batch import BatchVerifier, signer_name
from shared.journal.signed_note import Signer
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.properties import property_event
from tests.support.services import query, settled_database
from tests.unit.vigorish.rounds import NOON, collected, line, posted, rules

RULES = rules()
SETTLEMENT = Signer.generate(signer_name("round-settlement"))
REGISTRY = Signer.generate(signer_name("paytable-registry"))
PEOPLE = {"ann": ["quarantine.mend"], "bob": ["quarantine.approve"]}


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of the vigorish ledger."""
    url = settled_database(databases, "vigorish")
    yield url
    databases.drop(url)


@pytest.fixture
def desk(url: str) -> Iterator[Desk]:
    """The ledger, which knows the keys of the registry and of round settlement, and has property and rules."""
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: NOON) as desk:
        desk.context = replace(desk.context, verifier=BatchVerifier([SETTLEMENT.verifier, REGISTRY.verifier]))
        desk.feed("properties", property_event(), signer=REGISTRY)
        desk.feed("submissions", RULES, signer=REGISTRY)
        yield desk


def settled(seq: int, won: int = 1000) -> dict[str, Any]:
    """A round that was posted, and its hash, which is that of no other."""
    event = posted(seq, RULES, [line(1, won, won // 20)])
    return event | {"entryhash": f"{seq:032x}{won:032x}"}


def metric(desk: Desk, name: str, topic: str = "settlements") -> float:
    """The value of a counter or gauge of a topic."""
    return float(getattr(desk.context.metrics, name).labels(topic)._value.get())


def assessed(desk: Desk) -> list[tuple[str, int]]:
    """The kinds of the entries of settlements, with their sequences."""
    return [(one.draft.kind, one.draft.sequence) for one in desk.entries() if one.draft.kind.startswith("vigorish.")]


def forged(true: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """The attack: a copy of a record with the next sequence, another round, and the hash that it had."""
    copy: dict[str, Any] = json.loads(json.dumps(true))
    copy["sequence"] += 1
    copy["data"]["round_id"] = "r-forged"
    return copy | changes


def test_a_copied_record_is_not_counted_and_the_true_one_is(desk: Desk) -> None:
    """A record that claims the next place is not believed; the entry that is really there comes and is taken."""
    true, following = settled(1), settled(2)
    desk.feed("settlements", true, signer=SETTLEMENT)
    desk.feed("settlements", forged(true))
    desk.feed("settlements", following, signer=SETTLEMENT)

    assert [("vigorish.assessed", 1), ("vigorish.assessed", 2)] == assessed(desk)
    [reason] = desk.quarantined()  # and it stays there: the true record does not mend a forged one
    assert "not authentic: round-settlement did not sign it: it has no signature" in reason
    assert 1 == metric(desk, "not_authentic")
    assert not desk.consumer("settlements").stopped.reasons


def test_another_service_signs_for_nobody_else(desk: Desk) -> None:
    """The key of the registry does not make settlements; nor does the signature of another record."""
    desk.feed("settlements", settled(1), signer=REGISTRY)
    assert [] == assessed(desk)
    [reason] = desk.quarantined()
    assert "which is none of 'pitledger/round-settlement'" in reason


def test_the_same_entry_again_is_a_duplicate(desk: Desk, url: str) -> None:
    """A relay that crashed publishes it again, perhaps as another release writes it."""
    true = settled(1)
    desk.feed("settlements", true, true, signer=SETTLEMENT)
    desk.feed("settlements", true | {"traceparent": "00-1"}, signer=SETTLEMENT)
    assert 2 == metric(desk, "duplicates")
    assert [] == desk.quarantined()
    assert [(1, 1, 32)] == query(
        url, "SELECT first, last, octet_length(digests) FROM vigorish.taken WHERE source LIKE '/round%'"
    )


@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "one after the other"])
def test_two_entries_at_one_place_stop_the_partition_until_two_people_decide(desk: Desk, together: bool) -> None:
    """A journal that was rolled back, or a stolen key: what follows waits, through restarts, and nothing is lost."""
    batches = [[settled(1), settled(2)], [settled(2, won=9000), settled(3)]]
    for batch in [[*batches[0], *batches[1]]] if together else batches:
        desk.feed("settlements", *batch, signer=SETTLEMENT)

    assert [("vigorish.assessed", 1), ("vigorish.assessed", 2)] == assessed(desk)
    [reason] = desk.quarantined()
    assert "conflict: sequence 2 of /round-settlement/shards/1 was taken by other content" in reason
    assert (1, 1) == (metric(desk, "conflicts"), metric(desk, "partitions_stopped"))
    assert (
        "dismiss record 1 in quarantine, and start the service again" in desk.consumer("settlements").stopped.reasons[0]
    )
    position = desk.consumer("settlements").positions[0]
    desk.restart()
    desk.feed("settlements", settled(3), signer=SETTLEMENT)
    assert {0} == desk.consumer("settlements").stopped.reasons.keys(), "as long as nobody has decided"
    assert 2 == len(assessed(desk))

    asked = desk.post("/quarantine/1/dismissal", {"reason": "the journal was restored"}, person="ann")
    assert 200 <= asked.status_code < 300, asked.text
    assert desk.post("/quarantine/1/requests/1/approve", person="bob").is_success
    desk.restart()
    desk.feed("settlements", settled(3), signer=SETTLEMENT)
    assert not desk.consumer("settlements").stopped.reasons
    assert position <= desk.consumer("settlements").positions[0]
    assert ("vigorish.assessed", 3) in assessed(desk)


def test_other_content_at_the_door_is_on_record(desk: Desk) -> None:
    """An event with the id and the sequence of another is no duplicate; the table goes on."""
    desk.feed("settlements", settled(1), signer=SETTLEMENT)
    first, second = collected(1, 1, 1, 50), collected(2, 1, 1, 50)
    desk.feed("pit.events", first, first, first | {"data": first["data"] | {"cents": 25}}, second)

    [reason] = desk.quarantined()
    assert reason.startswith(
        "conflict: sequence 1 of /properties/riverside/tables/PG-01/pit was taken by other content"
    )
    assert (1, 1) == (metric(desk, "conflicts", "pit.events"), metric(desk, "duplicates", "pit.events"))
    assert [1, 2] == [one.draft.sequence for one in desk.entries() if one.draft.kind == "vigorish.collection"]
    assert not desk.consumer("pit.events").stopped.reasons


def test_nobody_mends_what_a_service_published(desk: Desk) -> None:
    """What it says is corrected where it was recorded; a replay of it goes out as it is, with its signature."""
    unknown = settled(1)
    unknown["data"]["submission"]["hash"] = "0" * 64
    desk.feed("settlements", unknown, signer=SETTLEMENT)
    asked = desk.post("/quarantine/1/replay", {"reason": "x", "mended": settled(1)}, person="ann")
    assert (422, True) == (asked.status_code, "is corrected there, by a new entry" in asked.text)
