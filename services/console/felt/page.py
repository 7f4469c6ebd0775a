"""The page of a round as data, with complete texts, so that the templates contain no logic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.console.felt.drawing import drawn
from services.console.felt.evidence import EvidenceView, evidence_of
from services.console.felt.felts import Felt
from services.console.felt.games import felt_of
from services.console.felt.lines import Amounts, LineView, Outcomes, lines_of_entry, totals_of
from services.console.felt.postings import PostingView, postings_of
from services.console.felt.revisions import ComparedLine, RevisionView, compared, revisions_of
from services.console.felt.telling import lines_of
from services.console.felt.words import GAMES, money, title
from services.console.words import counted, say

_FEW: Final = 3
_SOME: Final = 5


@dataclass(frozen=True, slots=True)
class FeltView:
    """A felt as SVG for wide and for narrow windows, the same content as text lines, and the size of the wide SVG."""

    wide: str
    narrow: str
    lines: tuple[str, ...]
    room: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """All data of a round's page. `felt` is None if the round was voided before any record arrived."""

    title: str
    property: str
    table: str
    round_id: str
    game: str
    regulation: str
    gaming_day: str
    status: str
    standing: bool
    felt: FeltView | None
    outcomes: Outcomes
    lines: tuple[LineView, ...]
    totals: Amounts | None
    meters: tuple[tuple[str, str], ...]
    notices: tuple[str, ...]
    postings: tuple[PostingView, ...]
    postings_sum: str
    revisions: tuple[RevisionView, ...]
    compared: tuple[ComparedLine, ...]
    compared_revisions: tuple[RevisionView, ...]
    evidence: tuple[EvidenceView, ...]
    keys: str


def view_of(
    document: Mapping[str, Any],
    catalogue: Mapping[str, Any] | None = None,
    *,
    keys: Sequence[str] = (),
    proofs: str = "",
) -> RoundView:
    """Return the data of a round's page.

    `document` is the JSON of GET /rounds/{property}/{table}/{round_id}, `catalogue` that of GET /catalogue/{regulation}
    for the regulation returned by `regulation_of(document)`. `keys` are the console's verifier keys, one line each;
    `proofs` is the path prefix under which the console serves proofs.
    """
    entries: Sequence[Mapping[str, Any]] = document["entries"]
    shown = shown_entry(document)
    data: Mapping[str, Any] = {} if shown is None else shown["data"]
    standing = document.get("seq") is not None
    selected = _selected(shown)
    lines = lines_of_entry(data, catalogue, selected)
    postings, total = postings_of(document.get("postings") or [])
    revisions = revisions_of(document)
    posted = tuple(one for one in revisions if one.is_posted)
    game = GAMES.get(str((catalogue or {}).get("game")), title(document["game"]))
    return RoundView(
        title=say("felt.round", round=document["round_id"]),
        property=document["property"],
        table=document["table"],
        round_id=document["round_id"],
        game=game,
        regulation=data.get("regulation", ""),
        gaming_day=document["gaming_day"],
        status=_status(document),
        standing=standing,
        felt=_felt(data, catalogue),
        outcomes=Outcomes.of(lines),
        lines=lines,
        totals=totals_of(data.get("lines") or []),
        meters=tuple((title(name), money(after)) for name, after in (data.get("meters") or {}).items()),
        notices=tuple(
            say("felt.notice", detail=one["detail"], paragraph=one["paragraph"]) for one in data.get("notices") or ()
        ),
        postings=postings,
        postings_sum=total,
        revisions=revisions,
        compared=compared([entry["data"] for entry in entries if entry["kind"] == "settlement.posted"]),
        compared_revisions=posted if len(posted) > 1 else (),
        evidence=tuple(evidence_of(entry, proofs) for entry in entries),
        keys="\n".join(keys),
    )


def shown_entry(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the entry that the felt shows: the entry in force, or else the last entry with a record."""
    entries: Sequence[Mapping[str, Any]] = document["entries"]
    for entry in entries:
        if document.get("seq") is not None and (entry["shard"], entry["seq"]) == (document["shard"], document["seq"]):
            return entry
    return next((entry for entry in reversed(entries) if entry["data"].get("record")), None)


def regulation_of(document: Mapping[str, Any]) -> str | None:
    """Return the regulation whose catalogue the page needs; None if the round has no record."""
    entry = shown_entry(document)
    return None if entry is None else entry["data"].get("regulation")


def _selected(entry: Mapping[str, Any] | None) -> Mapping[str, Any]:
    document = (entry or {}).get("submission") or {}
    return document.get("submission") or {}


def _status(document: Mapping[str, Any]) -> str:
    if document["status"] == "void":
        return say("felt.void")
    revision = document["revision"]
    return say("felt.posted") if revision == 1 else counted("felt.corrected", revision - 1)


def _felt(data: Mapping[str, Any], catalogue: Mapping[str, Any] | None) -> FeltView | None:
    record = data.get("record")
    if not record:
        return None
    felt: Felt = felt_of(record, data, game=(catalogue or {}).get("game"))
    room = "few" if len(felt.seats) <= _FEW else "some" if len(felt.seats) <= _SOME else "many"
    return FeltView(
        wide=drawn(felt, name="wide", shape="wide"),
        narrow=drawn(felt, name="narrow", shape="narrow"),
        lines=tuple(lines_of(felt)),
        room=room,
    )
