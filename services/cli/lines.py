"""Print a round: its record, and the table of its settlement lines."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import yaml

from services.cli.output import names, numbers, table, words
from shared.contracts.money import dollars

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


def record_lines(record: Mapping[str, Any]) -> list[str]:
    """Return the record of a round as lines of YAML."""
    return yaml.safe_dump(record, sort_keys=False, default_flow_style=None, width=96).splitlines()


def lines_table(lines: Sequence[Mapping[str, Any]]) -> "Table":
    """Return a table with a row for each settlement line, and the players' totals as its footer."""
    players = [line for line in lines if line["wager"] != "bank" and line["seat"] != 0]
    amounts = [
        field for field in _AMOUNTS if field not in _SHOWN_WHEN_USED or any(line.get(field, 0) for line in lines)
    ]
    hand = ["Hand"] if any("hand" in line for line in lines) else []
    columns = [
        *numbers("Seat"),
        *words("Wager"),
        *numbers(*hand),
        *words("Outcome", "Category"),
        *numbers(*(_AMOUNTS[field] for field in amounts), "Net"),
        *names("Paragraph"),
    ]

    def sums(counted: Sequence[Mapping[str, Any]]) -> list[str]:
        by_field = [sum(line.get(field, 0) for line in counted) for field in amounts]
        return [dollars(cents) for cents in (*by_field, sum(map(_net, counted)))]

    rows = []
    for line in lines:
        hands = [str(line.get("hand", "")) for _ in hand]
        wager, category = (line.get(field, "").replace("_", " ") for field in ("wager", "category"))  # to wrap
        rows.append([str(line["seat"]), wager, *hands, line["outcome"], category, *sums([line]), line["paragraph"]])
    rows.append(["", "players", *("" for _ in hand), "", "", *sums(players), ""])
    return table(columns, rows, footer=True)


def _net(line: Mapping[str, Any]) -> int:
    """Return a line's net result for the player, in cents."""
    return int(line["payout"] + line["stake_returned"] - line["stake"] - line.get("vigorish", 0))
