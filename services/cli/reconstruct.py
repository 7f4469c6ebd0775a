"""`pitledger reconstruct`: a round, from the cards on the felt to the hashes in the journal."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
import yaml
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.database import journal_of, with_connection
from services.cli.exits import ExitCode, NotThere
from services.cli.lines import lines_table
from services.cli.output import AsJson, dollars, heading, message, print_json, print_line, show, table
from services.cli.services import SETTLEMENT
from services.round_settlement.reading import History, history, submission
from shared.contracts.submissions import SubmissionApproved
from shared.journal.entry import Entry, entry_hash
from shared.journal.verification import read_shards
from shared.rules import Refused, parse_round, settle

_SETTLED_AGAIN = {
    True: "settled again under that submission: the same lines and meters",
    False: "settled again under that submission: NOT the lines or meters that were recorded",
    None: "",
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One entry about the round, with what can be checked of it.

    `settles_again` says whether its record still settles to its lines and meters; None where it has no lines.
    """

    shard: str
    entry: Entry
    data: dict[str, Any]
    hash_verified: bool
    submission: SubmissionApproved | None
    settles_again: bool | None

    @property
    def as_it_should_be(self) -> bool:
        """Nothing that can be checked of the entry contradicts it."""
        return self.hash_verified and self.settles_again is not False

    def as_document(self) -> dict[str, Any]:
        """The entry as JSON."""
        entry, draft = self.entry, self.entry.draft
        return {
            "shard": self.shard,
            "seq": entry.seq,
            "kind": draft.kind,
            "source": draft.source,
            "sequence": draft.sequence,
            "event_id": draft.event_id,
            "offset": draft.offset,
            "gaming_day": draft.gaming_day and draft.gaming_day.isoformat(),
            "occurred_at": draft.occurred_at.isoformat(),
            "recorded_at": entry.recorded_at.isoformat(),
            "previous": entry.previous.hex(),
            "hash": entry.hash.hex(),
            "hash_verified": self.hash_verified,
            "settles_again": self.settles_again,
            "submission": self.submission and self.submission.model_dump(mode="json", exclude_none=True),
            "postings": [{**posting.account._asdict(), "cents": posting.cents} for posting in draft.postings],
            "data": self.data,
        }


def reconstruct(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="The round's id.")],
    property_name: Annotated[str | None, typer.Option("--property", help="Only at this property.")] = None,
    table_name: Annotated[str | None, typer.Option("--table", help="Only at this table.")] = None,
    as_json: AsJson = False,
) -> int:
    """Show all that the journal knows of a round, from the cards to the hashes.

    Every record, correction and reversal in the order of recording, with the rules submission, the lines, the postings
    and the hashes. Each record is settled again and each hash computed again; exit code 1 when one is not the same.

    Example: pitledger reconstruct R-1041 --table BJ-07
    """

    async def work(connection: AsyncConnection) -> list[tuple[History, list[Recorded]]]:
        found = await history(connection, round_id, property_name=property_name, table=table_name)
        shards = await read_shards(connection, journal_of(SETTLEMENT))
        names = {shard.shard: shard.name for shard in shards}
        return [(each, [await _recorded(connection, entry, names) for entry in each.entries]) for each in found]

    found = with_connection(SETTLEMENT, work)
    if not found:
        raise NotThere(f"round settlement knows no such round: {round_id!r}; is it in quarantine, or not yet settled?")
    for each, entries in found:
        if as_json:
            print_json(_document(each, entries))
        else:
            _show(each, entries)
    wrong = [recorded for _, entries in found for recorded in entries if not recorded.as_it_should_be]
    if wrong:
        message(f"pitledger: {len(wrong)} of the entries are not as they were recorded; run: pitledger verify")
        return ExitCode.NOT_AS_IT_SHOULD_BE
    return ExitCode.FINE


async def _recorded(connection: AsyncConnection, entry: Entry, shards: Mapping[int, str]) -> Recorded:
    name = shards[entry.shard]
    digest = entry_hash(
        entry.draft, shard_name=name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    data: dict[str, Any] = json.loads(entry.draft.data)
    document, again = None, None
    if "lines" in data:
        document = await submission(connection, data["property"], data["game"], data["submission"]["version"])
        again = document.hash == data["submission"]["hash"] and _settles_again(data, document)
    return Recorded(name, entry, data, digest == entry.hash, document, again)


def _settles_again(data: Mapping[str, Any], document: SubmissionApproved) -> bool:
    try:
        played = parse_round(document.regulation, data["record"])
        settlement = settle(document.regulation, played, document.submission)
    except Refused:
        return False
    lines = [line.as_document() for line in settlement.lines]
    return bool(lines == data["lines"] and dict(settlement.meters) == data["meters"])


def _document(found: History, entries: Sequence[Recorded]) -> dict[str, Any]:
    standing = next((each for each in entries if (each.entry.shard, each.entry.seq) == found.standing), None)
    return {
        "property": found.property,
        "table": found.table,
        "round_id": found.round_id,
        "standing": standing and {"shard": standing.shard, "seq": standing.entry.seq},
        "entries": [recorded.as_document() for recorded in entries],
    }


def _show(found: History, entries: Sequence[Recorded]) -> None:
    count = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
    money = "no money stands" if found.standing is None else f"the money of entry {found.standing[1]} stands"
    show(heading(f"Round {found.round_id}, {found.property}, table {found.table}: {count}, {money}"))
    for recorded in entries:
        _show_entry(recorded, standing=(recorded.entry.shard, recorded.entry.seq) == found.standing)


def _show_entry(recorded: Recorded, *, standing: bool) -> None:
    entry, draft, data = recorded.entry, recorded.entry.draft, recorded.data
    facts = [
        ["entry", f"{entry.seq} of {recorded.shard}" + (", stands" if standing else "")],
        ["event", f"{draft.event_id}, sequence {draft.sequence} of {draft.source}, offset {draft.offset}"],
        ["gaming day", f"{draft.gaming_day}, occurred {draft.occurred_at.isoformat()}"],
        ["recorded", entry.recorded_at.isoformat()],
    ]
    if "correction" in data:
        why = data["correction"]
        facts.append(["because", f"{why['reason']} (entered by {why['entered_by']}, approved by {why['approved_by']})"])
    if recorded.submission is not None:
        document = recorded.submission
        facts.append(["submission", f"{document.game} version {document.version} under {document.regulation}"])
        facts.append(["", f"hash {document.hash}, approved by {document.approved_by}"])
        facts.append(["", _SETTLED_AGAIN[recorded.settles_again]])
    facts.append(["previous hash", entry.previous.hex()])
    verdict = "" if recorded.hash_verified else "  NOT the hash of this entry"
    facts.append(["hash", entry.hash.hex() + verdict])
    revision = f", revision {data['revision']}" if "revision" in data else ""
    show("", heading(f"{draft.kind}{revision}"), table([("", "name"), ("", "words")], facts))
    if "record" in data:
        for line in yaml.safe_dump(data["record"], sort_keys=False, default_flow_style=None, width=96).splitlines():
            print_line(line)
    if data.get("lines"):
        show(lines_table(data["lines"]))
    for meter, after in data.get("meters", {}).items():
        print_line(f"meter {meter}: {dollars(after)}")
    if draft.postings:
        rows = [[*posting.account[2:], dollars(posting.cents)] for posting in draft.postings]
        show(table([("Posted to wager", "name"), ("Leg", "name"), ("Amount", "number")], rows))
