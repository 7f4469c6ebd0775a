"""The money of the demo's pit as tables for people: win as counted, variances, hits, and the identities."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from services.cli.demo_identities import Identity, PitReports
from services.cli.output import dollars, heading, table

if TYPE_CHECKING:
    from rich.console import RenderableType


def show_pit(reports: PitReports) -> Iterator["RenderableType"]:
    """The win as counted at the tables, what was counted otherwise than expected, and who hit a progressive."""
    total = reports.win["total"]
    yield heading(f"Win as counted, § 601a.9: closer + credits + drop - opener - fills ({reports.win['status']})")
    yield table(
        [
            ("Table", "name"),
            *((name, "number") for name in ("Opener", "Fills", "Credits", "Drop", "Closer", "Win", "Variance")),
        ],
        [*([row["table"], *_win(row)] for row in reports.win["tables"]), ["all", *_win(total)]],
        footer=True,
    )
    for one in reports.variances:
        yield (
            f"Variance at {one['table']}: {dollars(one['counted_cents'])} counted, {dollars(one['expected_cents'])} "
            f"expected; {one['state']} by {one['owner']}: {one['conclusion']}"
        )
    if reports.win.get("hash"):
        yield f"The gaming day is sealed: {reports.win['hash']}"
    yield ""
    if reports.hits:
        yield heading("Progressives that were hit")
        columns = [("Pool", "name"), ("Table", "name"), ("Round", "name"), ("Hand", "words"), ("Award", "number")]
        yield table(columns, [_hit(hit) for hit in reports.hits])  # type: ignore[arg-type]


def show_identities(identities: Sequence[Identity]) -> Iterator["RenderableType"]:
    """Each identity with both sides, and whether it holds."""
    yield heading("The identities")
    yield table(
        [("", "name"), ("This", "words"), ("is", "number"), ("and this", "words"), ("is", "number"), ("Holds", "name")],
        [
            [one.name, one.left, dollars(one.left_cents), one.right, dollars(one.right_cents), _holds(one)]
            for one in identities
        ],
    )


def _holds(identity: Identity) -> str:
    return "yes" if identity.holds else "NO"


def _win(row: Mapping[str, Any]) -> list[str]:
    columns = ("opener", "fills", "credits", "drop", "closer", "win", "inventory_variance")
    return ["" if (cents := row[f"{name}_cents"]) is None else dollars(cents) for name in columns]


def _hit(hit: Mapping[str, Any]) -> list[str]:
    category = (hit.get("category") or hit["wager"]).replace("_", " ")
    return [hit["pool"], hit["table"], hit["round_id"], category, dollars(hit["cents"])]
