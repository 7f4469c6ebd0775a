"""The money of the demo's pit as tables for people: win as counted, hits, accounts, and the identities."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from services.cli.demo_identities import Identity, PitReports
from services.cli.output import dollars, heading, table

if TYPE_CHECKING:
    from rich.console import RenderableType


def show_pit(reports: PitReports) -> Iterator["RenderableType"]:
    """The win as counted at the tables, and who hit a progressive."""
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
    yield (
        f"The drop has {dollars(total['counter_checks_cents'])} in counter checks. "
        f"Coupons of {dollars(total['coupons_cents'])} were counted beside it: they are never drop."
    )
    if reports.win.get("hash"):
        yield f"The gaming day is sealed: {reports.win['hash']}"
    yield ""
    if reports.hits:
        yield heading("Progressives that were hit")
        columns = [("Pool", "name"), ("Table", "name"), ("Round", "name"), ("Hand", "words"), ("Award", "number")]
        yield table(columns, [_hit(hit) for hit in reports.hits])  # type: ignore[arg-type]


def show_liability(liability: Mapping[str, Any], played_on: date) -> Iterator["RenderableType"]:
    """What is owed to players with accounts, by gaming day: rounds were played yesterday, the cashier works today."""
    days = liability["days"]
    if not days:
        return
    names = ("Owed before", "Bought in", "Wagered", "Won back", "Paid out", "Owed after")
    columns = ("opening", "bought_in", "staked", "credited", "cashed_out", "closing")
    yield heading("Owed to players with electronic accounts, by gaming day")
    yield table(
        [("Gaming day", "name"), *((name, "number") for name in names)],
        [[day["gaming_day"], *(dollars(day[f"{column}_cents"]) for column in columns)] for day in days],
    )
    if len(days) > 1:
        yield "A result belongs to the day on which its round was played, cash to the day on which it is paid."
        yield f"The demo plays the rounds of {played_on}, and pays in and out now: so the first day ends below zero."
    yield ""


def show_identities(identities: Sequence[Identity]) -> Iterator["RenderableType"]:
    """What must be equal, and the amount; both amounts where it is not."""
    yield heading("What must be equal, and is" if all(one.holds for one in identities) else "What must be equal")
    yield table(
        [("", "name"), ("This", "name"), ("and this", "name"), ("Amount", "number"), ("Holds", "name")],
        [[one.name, one.left, one.right, dollars(one.left_cents), _holds(one)] for one in identities],
    )


def _holds(identity: Identity) -> str:
    return "yes" if identity.holds else f"NO: {dollars(identity.right_cents)}"


def _win(row: Mapping[str, Any]) -> list[str]:
    columns = ("opener", "fills", "credits", "drop", "closer", "win", "inventory_variance")
    return ["" if (cents := row[f"{name}_cents"]) is None else dollars(cents) for name in columns]


def _hit(hit: Mapping[str, Any]) -> list[str]:
    category = (hit.get("category") or hit["wager"]).replace("_", " ")
    return [hit["pool"], hit["table"], hit["round_id"], category, dollars(hit["cents"])]
