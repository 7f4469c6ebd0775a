"""The history of a round: every entry with its author and reason, and a comparison of the posted revisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.console.felt.felts import Result
from services.console.felt.games import felt_of
from services.console.felt.lines import seat_of, wager_of
from services.console.felt.telling import lines_of
from services.console.money import dollars
from services.console.words import said, say

_KINDS: Final = {f"settlement.{kind}": words for kind, words in said("felt.revision.kind").items()}


@dataclass(frozen=True, slots=True)
class RevisionView:
    """An entry about a round: its effect and time; for a correction, also its author, approver and reason."""

    heading: str
    kind: str
    is_posted: bool
    standing: bool
    occurred_at: str
    recorded_at: str
    reason: str
    entered_by: str
    approved_by: str
    players_net: str


@dataclass(frozen=True, slots=True)
class Cell:
    """The value of one revision in a row of the comparison."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """A row of the comparison: its subject, and its value in each posted revision."""

    about: str
    cells: tuple[Cell, ...]

    @property
    def is_changed(self) -> bool:
        """Return whether any revision differs from the previous one in this row."""
        return any(cell.changed for cell in self.cells)


def revisions_of(document: Mapping[str, Any]) -> tuple[RevisionView, ...]:
    """Return every entry about a round, oldest first."""
    place = (document.get("shard"), document.get("seq"))
    return tuple(_revision(entry, standing=(entry["shard"], entry["seq"]) == place) for entry in document["entries"])


def _revision(entry: Mapping[str, Any], *, standing: bool) -> RevisionView:
    data, posted = entry["data"], entry["kind"] == "settlement.posted"
    correction = data.get("correction") or {}
    net = sum(
        line["payout"] + line["stake_returned"] - line["stake"] - line.get("vigorish", 0)
        for line in data.get("lines") or ()
        if line["wager"] != "bank" and line["seat"] != 0
    )
    return RevisionView(
        heading=_heading(data),
        kind=_KINDS.get(entry["kind"], entry["kind"]),
        is_posted=posted,
        standing=standing,
        occurred_at=entry["occurred_at"],
        recorded_at=entry["recorded_at"],
        reason=correction.get("reason", ""),
        entered_by=correction.get("entered_by", ""),
        approved_by=correction.get("approved_by", ""),
        players_net=dollars(net) if posted else "",
    )


def _heading(data: Mapping[str, Any]) -> str:
    if "revision" not in data:
        return say("felt.revision.entry")
    return say("felt.revision.numbered", number=data["revision"])


def compared(posted: Sequence[Mapping[str, Any]]) -> tuple[ComparedLine, ...]:
    """Return a comparison of posted revisions: settlement lines, then changed contents of the felt.

    Empty if there are fewer than two revisions.
    """
    if len(posted) < 2:
        return ()
    lines = _rows([_settled(data) for data in posted])
    felts = [row for row in _rows([_lay(data) for data in posted]) if row.is_changed]
    return (*lines, *felts)


def _rows(columns: Sequence[Mapping[str, str]]) -> list[ComparedLine]:
    rows = []
    for about in dict.fromkeys(key for column in columns for key in column):
        texts = [column.get(about, "") for column in columns]
        cells = [Cell(text, changed=at > 0 and text != texts[at - 1]) for at, text in enumerate(texts)]
        rows.append(ComparedLine(about, tuple(cells)))
    return rows


def _settled(data: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in data.get("lines") or ():
        result = Result(
            line["outcome"], line["payout"], line["stake_returned"], line.get("vigorish", 0), line.get("category")
        )
        name = "felt.revision.seat" if line["seat"] else "felt.revision.dealer"
        about = say(name, seat=seat_of(line), wager=wager_of(line))
        _add(found, about, say("felt.revision.settled", stake=dollars(line["stake"]), result=result.words))
    return found


def _lay(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the felt's text by seat, dealer or notes, without settlement lines, which have separate rows."""
    found: dict[str, str] = {}
    for line in lines_of(felt_of(data.get("record")))[1:]:
        about, _, text = line.partition(": ")
        _add(found, say("felt.revision.recorded", whose=about) if text else say("felt.revision.notes"), text or about)
    return found


def _add(found: dict[str, str], about: str, text: str) -> None:
    found[about] = f"{found[about]} {text}" if about in found else text
