"""Pages of patron ratings: open ratings by pit with their next steps, and a rating with its spans and steps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page
from services.console.listing import Act, Listed, Record, cols, listed
from services.console.pages.days import running_day, zone_of
from services.console.services import INVENTORY, path
from services.console.views import dollars
from services.console.words import say
from shared.contracts.people import same_person
from shared.contracts.reports import percent_of

_RUNNING: Final = ("open", "paused")
_OPEN: Final = ("rating", "patron", "table", "seat", "status", "opened_at", "average_bet_cents", "buy_in_cents")
_MONEY: Final = ("buy_in_cents", "chips_in_cents", "chips_out_cents", "average_bet_cents", "theoretical_win_cents")
_NOTES: Final = ("rated_too", "problems")
_PARTS: Final = (
    "table",
    "game",
    "seat",
    "tied_by",
    "began_at",
    "ended_at",
    "average_bet_cents",
    "decisions",
    "house_edge",
    "won",
)
_STEPS: Final = ("step", "event", "at", "table", "said", "by", "amends", "reason")


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/ratings")

    @router.get("")
    async def ratings(request: Request, person: Asked, property: str, day: str = "") -> Response:
        shown = day or (await running_day(person, property))["gaming_day"]
        found = await _of_day(person, property, shown)
        if not day:  # ratings of the previous day that are still open
            names = {one["rating"] for one in found}
            before = await _of_day(person, property, (date.fromisoformat(shown) - timedelta(days=1)).isoformat())
            found += [one for one in before if one["status"] in _RUNNING and one["rating"] not in names]
        running = [one for one in found if one["status"] in _RUNNING]
        over = [one for one in found if one["status"] not in _RUNNING]
        return page(
            request,
            "ratings.html",
            person,
            title=say("ratings.title"),
            lead=say("ratings.lead", day=shown),
            day=shown,
            more=[Act(INVENTORY, "open-rating", {"property": property}, say("ratings.do.open"))],
            lists=[
                *_by_pit(property, running),
                _listed("ratings.closed", property, over, "rating", "patron", "table", "closed_at", *_MONEY, *_NOTES),
            ],
            zone=await zone_of(person, property),
        )

    @router.get("/{rating}")
    async def rating(request: Request, person: Asked, property: str, rating: str) -> Response:
        found = await person.calls.get(INVENTORY, path("ratings", property, rating))
        parts = (found.get("stated") or found)["spans"]
        whole = ("rating", "patron", "table", "seat", "status", "opened_at", "closed_at", *_MONEY, "problems")
        return page(
            request,
            "lists.html",
            person,
            title=say("ratings.one", rating=rating),
            lead=say("ratings.formula"),
            more=list(_steps(property, found)),
            lists=[
                _listed("ratings.rating", property, [found], *whole),
                listed("ratings.parts", parts, cols(*_PARTS), seen=_part),
                listed(
                    "ratings.steps",
                    found["steps"],
                    cols(*_STEPS),
                    seen=lambda one: {**one, "said": _said(one.get("values") or {})},
                    acts=lambda one: _amending(person, found["steps"], one),
                ),
            ],
            zone=await zone_of(person, property),
        )

    return router


async def _of_day(person: Person, property_name: str, day: str) -> list[Any]:
    return await person.calls.get_all(INVENTORY, "/ratings", property=property_name, gaming_day=day)


def _by_pit(property_name: str, running: Sequence[Record]) -> Iterator[Listed]:
    """Yield the open ratings, a table for each pit."""
    for pit in sorted({one.get("pit", "") for one in running}) or [""]:
        there = [one for one in running if one.get("pit", "") == pit]
        made = _listed("ratings.open", property_name, there, *_OPEN, *_NOTES)
        title = say("ratings.open_in", pit=pit) if pit else made.title
        yield replace(made, title=title, acts=lambda one: _steps(property_name, one))


def _listed(name: str, property_name: str, found: Sequence[Record], *columns: str) -> Listed:
    def seen(one: Record) -> Record:
        stated = one.get("stated") or {}
        joined = {note: ", ".join(one.get(note, ())) for note in _NOTES}
        return {**one, **joined, "theoretical_win_cents": stated.get("theoretical_win_cents")}

    return listed(
        name, found, cols(*columns), seen=seen, link=lambda one: path("p", property_name, "ratings", one["rating"])
    )


def _steps(property_name: str, one: Record) -> Iterator[Act]:
    """Yield the commands for the possible next steps of a rating."""
    here = {"property": property_name, "rating": one["rating"]}
    if one["status"] in _RUNNING:
        again = "resume-rating" if one["status"] == "paused" else "pause-rating"
        for name in ("state-average-bet", "rate-buy-in", "move-rating", again, "close-rating"):
            yield Act(INVENTORY, name, here, say(f"ratings.do.{name}"))


def _amending(person: Person, steps: Sequence[Record], step: Record) -> Iterator[Act]:
    """Yield the command to amend a rating step, for the step's author or a supervisor; none for an overruled author."""
    if step.get("amends") is not None:
        return
    spoke = [step["by"], *(one["by"] for one in steps if one.get("amends") == step["step"])]
    mine = [same_person(by, person.session.person) for by in spoke]
    if mine[-1] or not any(mine):
        here = {"property": step["property"], "rating": step["rating"], "step": step["step"]}
        name = "amend-rating" if all(mine) else "overrule-rating"
        yield Act(INVENTORY, name, here, say("ratings.do.amend"))


def _part(span: Record) -> Record:
    """Return a rated span with its decisions, house edge and theoretical win as texts."""
    return {
        **span,
        "tied_by": (span.get("tie") or {}).get("device_key"),
        "began_at": span["begins"],
        "ended_at": span["ends"],
        "decisions": _decisions(span.get("decisions")),
        "house_edge": _edge(span.get("edge")),
        "won": dollars(span.get("theoretical_win_cents")),
    }


def _decisions(said: Mapping[str, Any] | None) -> str:
    if said is None:
        return ""
    if said["basis"] == "rounds":
        return say("ratings.rounds", n=said["rounds"])
    return say("ratings.stated_decisions", n=_decimal(said["number"]), an_hour=said["an_hour"], source=said["source"])


def _edge(said: Mapping[str, Any] | None) -> str:
    if said is None:
        return ""
    percent = percent_of(Fraction(said["house_edge"]), 1)
    if said["basis"] == "stated":
        return say("ratings.stated_edge", percent=percent, source=said["source"])
    how = say(f"ratings.counted.{said['counted']}")
    return say("ratings.exact_edge", percent=percent, wager=said["wager"], version=said["version"], how=how)


def _decimal(number: str) -> str:
    return f"{float(Fraction(number)):,.2f}".rstrip("0").rstrip(".")


def _said(values: Mapping[str, Any]) -> str:
    """Return the values of a rating step as text."""
    return ", ".join(
        f"{name.removesuffix('_cents').replace('_', ' ')} {dollars(value) if name.endswith('_cents') else value}"
        for name, value in values.items()
    )
