"""`pitledger reconstruct`: show a round, from the cards on the felt to the hashes in the journal."""

from typing import Annotated

import typer

from services.cli.database import with_connection
from services.cli.exits import ExitCode, NotFound
from services.cli.lines import lines_table, record_lines
from services.cli.output import AsJson, heading, message, names, numbers, print_json, print_line, show, table, words
from services.cli.services import SETTLEMENT
from services.round_settlement.domain.history import EntryDocument, RoundDocument
from services.round_settlement.queries.rounds import rounds_with_history
from shared.contracts.money import dollars

_SETTLED_AGAIN = {
    True: "settled again under that submission: the same lines and meters",
    False: "settled again under that submission: NOT the lines or meters that were recorded",
    None: "",
}


def reconstruct(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="ID of the round.")],
    property_name: Annotated[str | None, typer.Option("--property", help="Only this property.")] = None,
    table_name: Annotated[str | None, typer.Option("--table", help="Only this table.")] = None,
    as_json: AsJson = False,
) -> int:
    """Show everything that the journal holds about a round, from the cards to the hashes.

    Every record, correction and reversal in the order of recording, with the rules submission, settlement lines,
    postings and hashes. Each record is settled again and each hash recomputed; exit code 1 if a result differs.

    Example: pitledger reconstruct R-1041 --table BJ-07
    """
    found = with_connection(
        SETTLEMENT,
        lambda connection: rounds_with_history(connection, round_id, property_name=property_name, table=table_name),
    )
    if not found:
        raise NotFound(f"round settlement knows no such round: {round_id!r}; is it in quarantine, or not yet settled?")
    for each in found:
        if as_json:
            print_json(each.model_dump(mode="json"))
        else:
            _show(each)
    wrong = [entry for each in found for entry in each.entries if not entry.is_as_recorded]
    if wrong:
        message(f"pitledger: {len(wrong)} of the entries are not as they were recorded; run: pitledger verify")
        return ExitCode.NOT_AS_IT_SHOULD_BE
    return ExitCode.FINE


def _show(found: RoundDocument) -> None:
    count = "1 entry" if len(found.entries) == 1 else f"{len(found.entries)} entries"
    money = "no money stands" if found.seq is None else f"the money of entry {found.seq} stands"
    show(heading(f"Round {found.round_id}, {found.property}, table {found.table}: {count}, {money}"))
    for entry in found.entries:
        _show_entry(entry, standing=(entry.shard, entry.seq) == (found.shard, found.seq))


def _show_entry(entry: EntryDocument, *, standing: bool) -> None:
    data = entry.data
    facts = [
        ["entry", f"{entry.seq} of {entry.shard_name}" + (", stands" if standing else "")],
        ["event", f"{entry.event_id}, sequence {entry.sequence} of {entry.source}, offset {entry.offset}"],
        ["gaming day", f"{entry.gaming_day}, occurred {entry.occurred_at.isoformat()}"],
        ["record hash", entry.record_hash or "none"],
        ["recorded", entry.recorded_at.isoformat()],
    ]
    if "correction" in data:
        why = data["correction"]
        facts.append(["because", f"{why['reason']} (entered by {why['entered_by']}, approved by {why['approved_by']})"])
    if entry.submission is not None:
        document = entry.submission
        facts.append(["submission", f"{document.game} version {document.version} under {document.regulation}"])
        facts.append(["", f"hash {document.hash}, approved by {document.approved_by}"])
        facts.append(["", _SETTLED_AGAIN[entry.settles_again]])
    facts.append(["previous hash", entry.previous])
    facts.append(["hash", entry.hash + ("" if entry.hash_verified else "  NOT the hash of this entry")])
    revision = f", revision {data['revision']}" if "revision" in data else ""
    show("", heading(f"{entry.kind}{revision}"), table(names("") + words(""), facts))
    if "record" in data:
        for line in record_lines(data["record"]):
            print_line(line)
    if data.get("lines"):
        show(lines_table(data["lines"]))
    for meter, after in data.get("meters", {}).items():
        print_line(f"meter {meter}: {dollars(after)}")
    if entry.postings:
        rows = [[posting.wager, posting.leg, dollars(posting.cents)] for posting in entry.postings]
        show(table(names("Posted to wager", "Leg") + numbers("Amount"), rows))
