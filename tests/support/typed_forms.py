"""What people type into the forms of commands, made up: what a browser sends of it, and what it means."""

import re
from collections.abc import Callable
from datetime import datetime, time
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from services.console.operations import Field, Operation

ZONE = ZoneInfo("America/New_York")
TEXTS = (
    "BJ-01",
    "blackjack",
    "floor.read",
    "1.25",
    "pa-633a",
    "US",
    "2026-11",
    "2026",
    "06:00",
    "30 to 1",
    "America/New_York",
    "O’Neil & Søn <b>",
    "231234567",
    "5705550100",
    "31",
    "31000000000001",
    "TBSATEST",
    "USD",
    "desk/3",
    "ann@example.org",
    "x" * 64,
    "5e" * 8,
    "5e" * 32,
)
"""Texts of which each pattern of the documents takes some."""


class Typed(NamedTuple):
    """What a browser sends of a field, and what it means; nothing is meant by what stood there already."""

    sent: dict[str, str]
    value: Any
    touched: bool


def leaf(draw: Callable[..., Any], one: Field) -> tuple[str, Any]:
    """Return a text for a field, and its value."""
    match one.kind:
        case "cents":
            cents = draw(st.integers(one.least or 0, one.most or 10**12))
            return f"{draw(st.sampled_from('-−')) * (cents < 0)}${abs(cents) // 100:,}.{abs(cents) % 100:02d}", cents
        case "whole":
            number = draw(st.integers(one.least or 0, one.most or 10**6))
            return f"{number:,}", number
        case "choice":
            choice = draw(st.sampled_from(one.choices))
            return choice, choice
        case "flag":
            flag = draw(st.booleans())
            return "yes" if flag else "no", flag
        case "day":
            day = draw(st.dates()).isoformat()
            return day, day
        case "moment":
            day = draw(st.dates())
            return f"{day}T20:30", datetime.combine(day, time(20, 30), ZONE).isoformat()
        case "document":
            return "{}", {}
        case "secret":
            return "kiwi 4711 ", "kiwi 4711 "
        case _:
            text = draw(st.sampled_from([text for text in TEXTS if re.search(one.pattern or "", text)]))
            return text, text


def untouched(one: Field, at: str) -> dict[str, str]:
    """Return what a browser sends of a field that nobody touched; lists have two empty rows."""
    if one.kind == "group":
        return {name: text for each in one.fields for name, text in untouched(each, f"{at}.{each.name}").items()}
    if one.kind == "list":
        assert one.item is not None
        return {name: text for row in "01" for name, text in untouched(one.item, f"{at}.{row}").items()}
    return {at: one.begins}


def is_pasted(one: Field) -> bool:
    """Whether a field must be given, and is a document that nobody types: its group is left alone here."""
    return one.required and one.kind == "document" and one.item is not None


def meant(one: Field, sent: str) -> Any:
    """Return what a field means in which something stands already."""
    return None if not sent else one.default if one.kind != "choice" else sent


@st.composite
def fields(draw: Callable[..., Any], one: Field, at: str) -> Typed:
    """A field that is filled in, or left as it was where it may be."""
    if one.kind == "group":
        if not one.required and (any(map(is_pasted, one.fields)) or draw(st.booleans())):
            return Typed(untouched(one, at), None, False)
        parts = {each.name: draw(fields(each, f"{at}.{each.name}")) for each in one.fields}
        touched = any(part.touched for part in parts.values())
        value = {name: part.value for name, part in parts.items() if part.value is not None}
        sent = {name: text for part in parts.values() for name, text in part.sent.items()}
        return Typed(sent, value if touched or one.required else None, touched)
    if one.kind == "list":
        assert one.item is not None
        filled_rows = draw(
            st.sets(st.integers(0, 5), min_size=1 if one.required else 0, max_size=min(2, one.items_max))
        )
        sent, values = {}, []
        for row in range(7):
            there = f"{at}.{row}"
            typed = (
                draw(fields(one.item, there)) if row in filled_rows else Typed(untouched(one.item, there), None, False)
            )
            sent |= typed.sent
            values += [typed.value] if typed.touched else []
        return Typed(sent, values or None, bool(values))
    if (not one.required and draw(st.booleans())) or (one.kind == "document" and one.item is not None):
        return Typed({at: one.begins}, meant(one, one.begins), False)
    text, value = leaf(draw, one)
    return Typed({at: text}, value, text != one.begins)


@st.composite
def typed_into(
    draw: Callable[..., Any], operation: Operation
) -> tuple[dict[str, str], dict[str, Typed], dict[str, str]]:
    """The path and the parts of the body of a command, and the form that a browser sends of both."""
    at_path = {one.name: leaf(draw, one)[0].replace(",", "") for one in operation.of_path}
    parts = {one.name: draw(fields(one, one.name)) for one in operation.of_body}
    return at_path, parts, at_path | {key: text for part in parts.values() for key, text in part.sent.items()}
