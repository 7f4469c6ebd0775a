"""What a service learns from its own topics of how far its journal was, on a real broker."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.topics import VIGORISH
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.signed_batch import BatchVerifier, signer_name
from shared.journal.signed_note import Signer
from shared.runtime.audit.outside_evidence import OutsideEvidence, write_floors
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from shared.runtime.settings import Settings
from tests.support import AnyBroker
from tests.support.published import published
from tests.support.services import create_topics, produce
from tests.support.worker import MOMENT

SERVICE = "vigorish"
PARTITIONS = 2


@pytest.fixture
def outside(fresh_broker: AnyBroker) -> OutsideEvidence:
    """A service with a topic, which it does not sign."""
    create_topics(fresh_broker.bootstrap_servers, {VIGORISH.name: PARTITIONS})
    return OutsideEvidence(Settings(kafka_bootstrap_servers=fresh_broker.bootstrap_servers), SERVICE, [VIGORISH.name])


def entry(shard: int, seq: int) -> dict[str, Any]:
    """An entry as it is published."""
    return published("vigorish.waived", {}, service=SERVICE, sequence=seq, at=MOMENT, shard=shard)


def publish(outside: OutsideEvidence, entries: Sequence[Mapping[str, Any]], *, signer: Signer | None = None) -> None:
    """Publish entries, each shard on the partition of its key."""
    produce(outside.settings.kafka_bootstrap_servers, VIGORISH.name, entries, signer=signer)


def last(outside: OutsideEvidence, sent: Mapping[int, int]) -> dict[int, tuple[int, str]]:
    """The last entries that it learns of, by shard."""
    return {shard: (mark.seq, mark.hash.hex()) for shard, mark in outside.published(sent).items()}


def place(seq: int) -> tuple[int, str]:
    """An entry as it is learned of."""
    return seq, entry(1, seq)["entryhash"]


def test_an_empty_topic_and_one_that_is_not_there_say_nothing(outside: OutsideEvidence) -> None:
    """Whoever has never published starts."""
    assert {} == last(outside, {})
    assert {} == last(replace(outside, topics=["nowhere"]), {1: 5})


@pytest.mark.parametrize("sent", [900, 450, 0], ids=["all known", "half of it new", "all new"])
def test_as_much_is_read_as_may_be_new(outside: OutsideEvidence, sent: int) -> None:
    """The last entry of a shard is found, however many of other shards have come after it."""
    publish(outside, [entry(1, seq) for seq in range(1, 6)])
    publish(outside, [entry(shard, seq) for seq in range(1, 901) for shard in (2, 3, 4, 5)])
    found = last(outside, dict.fromkeys((2, 3, 4, 5), sent) | {1: 5 if sent else 0})
    assert dict.fromkeys((2, 3, 4, 5), place(900)) == {shard: mark for shard, mark in found.items() if shard > 1}
    if not sent:
        assert place(5) == found[1]


def test_what_was_named_as_lost_is_not_looked_at(outside: OutsideEvidence, tmp_path: Path) -> None:
    """What follows it is."""
    store = DirectoryStore(tmp_path)
    told = replace(outside, notary=CheckpointSigner(SERVICE, Signer.generate(signer_name(SERVICE)), store))
    publish(outside, [entry(1, seq) for seq in range(1, 11)])
    assert {1: place(10)} == last(told, {1: 4})
    write_floors(tmp_path, SERVICE, {(VIGORISH.name, number): 10 for number in range(PARTITIONS)})
    assert {} == last(told, {1: 4})
    publish(outside, [entry(1, seq) for seq in range(5, 8)])
    assert {1: place(7)} == last(told, {1: 4})


def test_what_the_service_did_not_sign_says_nothing(outside: OutsideEvidence) -> None:
    """Neither that there was more, nor that all of it is known."""
    signer = Signer.generate(signer_name(SERVICE))
    verifying = replace(outside, verifier=BatchVerifier([signer.verifier]))
    publish(outside, [entry(1, seq) for seq in range(1, 201)], signer=signer)
    publish(outside, [entry(1, 1)] * 150)
    publish(outside, [entry(1, 10**6)], signer=Signer.generate(signer_name(SERVICE)))
    assert {1: place(200)} == last(verifying, {1: 40})
    assert {1: (10**6, entry(1, 10**6)["entryhash"])} == last(outside, {1: 40})
