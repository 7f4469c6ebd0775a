"""The verdict: what follows from a corpus is what the service's own decisions make of it, and nothing else passes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from loadtest.bench.expected_journal import Expected, postings
from loadtest.bench.verdict import Verdict, judge_shard
from loadtest.traffic.corpus import Head, Record, Site, played
from loadtest.traffic.topic import Stored
from services.round_settlement.domain.money import postings_of, totals_of
from services.round_settlement.domain.settling import EffectiveSubmission, RoundHistory, settle_event
from shared.contracts.properties import PropertyApproved, property_hash
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlements import SubmissionRef
from shared.contracts.submissions import SubmissionApproved, submission_hash
from shared.contracts.tables import READER
from shared.journal.entry import Entry, EntryDraft, Posting, genesis, seal
from shared.rules import compile_rules

HEAD = Head(rounds=240, tables=12)
SHARD = "table.events/3@log"
AT = datetime(2026, 5, 10, tzinfo=UTC)
PEOPLE: Any = {"filed_by": "a", "filed_at": AT, "approved_by": "b", "approved_at": AT}


@dataclass(slots=True)
class Journal:
    """A shard in which a corpus stands as it must, and what a verdict compares it with."""

    entries: list[Entry]
    sent: dict[tuple[str, int], Record]
    at: dict[tuple[int, int], Stored]
    published: dict[tuple[int, int], str]

    def verdict(self) -> Verdict:
        """Judge it."""
        verdict = Verdict()
        judge_shard(verdict, SHARD, self.entries, self.sent, self.at, Expected(HEAD.sites), self.published)
        return verdict


def journal(drafts: Sequence[EntryDraft], records: Sequence[Record], stored: Sequence[Stored]) -> Journal:
    """Return the journal of these drafts."""
    entries = seal(drafts, shard=7, shard_name=SHARD, next_seq=1, head=genesis(SHARD), recorded_at=AT)
    return Journal(
        entries,
        {(record.key, record.sequence): record for record in records},
        {(one.partition, one.offset): one for one in stored},
        {(entry.shard, entry.seq): entry.hash.hex() for entry in entries},
    )


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """A corpus of every game of the pit."""
    return list(played(HEAD))


@pytest.fixture
def right(records: list[Record]) -> Journal:
    """The journal that follows from the corpus."""
    expected, some = Expected(HEAD.sites), records[:40]
    stored = [Stored(3, offset, record.key.encode(), record.value, ()) for offset, record in enumerate(some)]
    drafts = [expected.draft(one.value, key=one.key, offset=one.offset, headers=()) for one in stored]
    return journal(drafts, some, stored)


def test_the_drafts_are_what_the_service_decides(records: list[Record]) -> None:
    """Every round of every game: the same bytes, the same postings, and the sums of all of them."""
    [site] = HEAD.sites
    place, approved, expected = _place(site), _approved(site), Expected([site])
    figures = 0
    for offset, record in enumerate(records):
        event: Any = READER.decode(record.value)
        outcome = settle_event(event, RoundHistory(), lambda *_: place, lambda _, game, *__: approved[game])
        [recording] = outcome.recordings
        draft = expected.draft(record.value, key=record.key.encode(), offset=offset, headers=())
        assert recording.fact.encode() == draft.data
        assert recording.postings == draft.postings
        figures += sum(total.handle_cents for total in recording.fact.totals)  # type: ignore[attr-defined]
    assert figures == expected.figures["handle_cents"] > 0
    assert len(records) == expected.rounds


def test_the_postings_are_those_of_the_service_whatever_the_round(records: list[Record]) -> None:
    """The legs are derived twice, and in the same order."""
    [site] = HEAD.sites
    for record in records:
        event: Any = READER.decode(record.value)
        wanted = next(one for one in site.submissions if event.data.table in one.tables)
        settlement = compile_rules(wanted.regulation, wanted.submission).settle(event.data.round)
        totals = totals_of(settlement, {})
        assert postings_of("bayside", "BJ01", totals) == tuple(postings("bayside", "BJ01", totals))


def test_a_journal_that_follows_is_right(right: Journal) -> None:
    """Every entry and posting was compared, and nothing is left over."""
    verdict = right.verdict()
    assert [] == verdict.differences
    assert {"rounds": 40, "entries": 40, "postings": sum(len(each.draft.postings) for each in right.entries)} == (
        verdict.compared
    )
    assert not right.sent
    assert not right.published


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"data": b"{}"}, "data does not follow"),
        ({"postings": ()}, "postings does not follow"),
        ({"event_id": "other"}, "event_id does not follow"),
        ({"record_hash": bytes(32)}, "record_hash does not follow"),
    ],
)
def test_an_entry_that_was_altered_and_chained_anew_is_wrong(right: Journal, change: Any, said: str) -> None:
    """Hashes that fit the entry do not help: they do not fit the round that was sent."""
    drafts = [each.draft for each in right.entries]
    drafts[5] = replace(drafts[5], **change)
    altered = journal(drafts, list(right.sent.values()), list(right.at.values()))
    differences = altered.verdict().differences
    assert f"entry 6 of shard {SHARD}: {said}" in differences
    assert f"entry 6 of shard {SHARD}: the hash does not follow from what was sent" in differences


def test_a_cent_that_moved_from_one_posting_to_another_is_wrong(right: Journal) -> None:
    """The sum is zero as before."""
    first, second, *rest = right.entries[0].draft.postings
    moved = (Posting(first.account, first.cents + 1), Posting(second.account, second.cents - 1), *rest)
    drafts = [replace(right.entries[0].draft, postings=moved), *(each.draft for each in right.entries[1:])]
    altered = journal(drafts, list(right.sent.values()), list(right.at.values()))
    assert f"entry 1 of shard {SHARD}: postings does not follow" in altered.verdict().differences


def test_what_is_not_published_with_its_hash_is_named(right: Journal) -> None:
    """One message is missing, one has another hash."""
    del right.published[7, 3]
    right.published[7, 4] = "00"
    named = [f"entry {seq} of shard {SHARD} is not on the topic with its hash" for seq in (3, 4)]
    assert named == right.verdict().differences


def test_an_entry_that_is_gone_breaks_the_chain(right: Journal) -> None:
    """The next stands where it should not, and its round was sent and is not there."""
    gone = right.entries.pop(10)
    differences = right.verdict().differences
    assert f"entry 12 of shard {SHARD} stands where 11 should" in differences
    assert f"entry 12 of shard {SHARD} is not chained to the one before it" in differences
    assert [(gone.draft.source, gone.draft.sequence)] == list(right.sent)


def test_a_round_that_nobody_sent_is_named(right: Journal) -> None:
    """It may be chained and hashed as well as it likes."""
    del right.sent[right.entries[2].draft.source, right.entries[2].draft.sequence]
    assert [f"entry 3 of shard {SHARD} is of a round that was not sent"] == right.verdict().differences


def test_many_differences_are_counted() -> None:
    """A document names some of them, and says how many more there are."""
    verdict = Verdict(differences=[str(number) for number in range(50)])
    assert "and 30 more" == verdict.as_document()["differences"][-1]
    assert not verdict.as_document()["holds"]


def _place(site: Site) -> PropertySnapshot:
    document = site.document
    return PropertySnapshot.of(PropertyApproved(**dict(document), version=1, hash=property_hash(document, 1), **PEOPLE))


def _approved(site: Site) -> dict[str, EffectiveSubmission]:
    found = {}
    for wanted in site.submissions:
        digest = submission_hash(wanted, 1)
        approved = SubmissionApproved(**dict(wanted), version=1, hash=digest, **PEOPLE)
        rules = compile_rules(wanted.regulation, wanted.submission)
        found[wanted.game] = EffectiveSubmission(approved, SubmissionRef(version=1, hash=digest), rules)
    return found
