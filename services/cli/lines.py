"""The table of a settlement's lines, in the field names of the round record."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from services.cli.output import Column, dollars, table

if TYPE_CHECKING:
    from rich.table import Table

_AMOUNTS = {
    "stake": "Stake",
    "payout": "Payout",
    "stake_returned": "Returned",
    "vigorish": "Vigorish",
    "from_meter": "Off meter",
}
_SHOWN_WHEN_USED = ("vigorish", "from_meter")


def lines_table(lines: Sequence[Mapping[str, Any]]) -> "Table":
    """A row per line, and what the players staked and received altogether."""
    players = [line for line in lines if line["wager"] != "bank" and line["seat"] != 0]
    amounts = [
        field for field in _AMOUNTS if field not in _SHOWN_WHEN_USED or any(line.get(field, 0) for line in lines)
    ]
    has_hands = any("hand" in line for line in lines)
    columns: list[Column] = [("Seat", "number"), ("Wager", "words")]
    if has_hands:
        columns.append(("Hand", "number"))
    columns += [("Outcome", "words"), ("Category", "words")]
    columns += [(_AMOUNTS[field], "number") for field in amounts]
    columns += [("Net", "number"), ("Paragraph", "name")]

    def row(names: Sequence[str], counted: Sequence[Mapping[str, Any]], paragraph: str) -> list[str]:
        sums = [dollars(sum(line.get(field, 0) for line in counted)) for field in amounts]
        return [*names, *sums, dollars(sum(map(_net, counted))), paragraph]

    rows = [
        row(
            [
                str(line["seat"]),
                _words(line["wager"]),
                *([str(line.get("hand", ""))] if has_hands else []),
                line["outcome"],
                _words(line.get("category", "")),
            ],
            [line],
            line["paragraph"],
        )
        for line in lines
    ]
    rows.append(row(["", "players", *([""] if has_hands else []), "", ""], players, ""))
    return table(columns, rows, footer=True)


def _net(line: Mapping[str, Any]) -> int:
    """What a line changes for the player, cents."""
    return int(line["payout"] + line["stake_returned"] - line["stake"] - line.get("vigorish", 0))


def _words(name: str) -> str:
    """A name of the records as words, which a table can break."""
    return name.replace("_", " ")
