"""What was typed into the form of a command, as the JSON document that the service takes; and back, to be mended."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from zoneinfo import ZoneInfo

from services.console.operations import Field, Operation

_AMOUNT: Final = re.compile(r"[-+]?\$?[0-9][0-9,]*(\.[0-9]{1,2})?|[-+]?\$?\.[0-9]{1,2}")
_ROW: Final = re.compile("[0-9]{1,5}")
_FLAGS: Final = {"yes": True, "no": False}
_HUNDRED: Final = 100


class _Wrong(Exception):
    """Something that was typed cannot be read."""


@dataclass(slots=True)
class Filled:
    """A form as it was filled in: the document, and what could not be read of it, by field.

    `moved` is where rows of the document stand in the form, where empty ones before them were left out.
    """

    path: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    mistakes: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)


def filled(operation: Operation, form: Mapping[str, str], zone: ZoneInfo) -> Filled:
    """Return what was typed. Moments are on the clock of the zone where they name none."""
    found = Filled()
    for one in operation.of_path:
        value = form.get(one.name, "").strip()
        if value:
            found.path[one.name] = value
        else:
            found.mistakes[one.name] = "needed"
    for one in operation.of_body:
        value = _value(one, one.name, form, zone, found)
        if value is not None:
            found.body[one.name] = value
        elif one.required and one.name not in found.mistakes:
            found.mistakes[one.name] = "needed"
    return found


def _value(one: Field, at: str, form: Mapping[str, str], zone: ZoneInfo, found: Filled) -> Any:
    """Return the value of a field; None where nothing was typed."""
    if one.kind == "group":
        return _group(one, at, form, zone, found) if one.required or _is_touched(one, at, form) else None
    if one.kind == "list":
        return _list(one, at, form, zone, found)
    typed = form.get(at, "")
    if one.kind == "flag":
        return _FLAGS.get(typed)
    if not typed.strip():
        return None
    try:
        return _read(one, typed, zone)
    except _Wrong as wrong:
        found.mistakes[at] = str(wrong)
        return None


def _group(one: Field, at: str, form: Mapping[str, str], zone: ZoneInfo, found: Filled) -> dict[str, Any]:
    parts = {each.name: _value(each, f"{at}.{each.name}", form, zone, found) for each in one.fields}
    for each in one.fields:
        if each.required and parts[each.name] is None:
            found.mistakes.setdefault(f"{at}.{each.name}", "needed")
    return {name: value for name, value in parts.items() if value is not None}


def _list(one: Field, at: str, form: Mapping[str, str], zone: ZoneInfo, found: Filled) -> list[Any] | None:
    assert one.item is not None
    item = one.item
    places = [place for number in _rows(form, at) if _is_touched(item, place := f"{at}.{number}", form)]
    found.moved |= {f"{at}.{number}": place for number, place in enumerate(places)}
    rows = [_value(item, place, form, zone, found) for place in places]
    return rows if rows or (one.required and not one.items_min) else None


def _is_touched(one: Field, at: str, form: Mapping[str, str]) -> bool:
    """Return whether somebody filled in a field: a choice that stands there already says nothing."""
    if one.kind == "group":
        return any(_is_touched(each, f"{at}.{each.name}", form) for each in one.fields)
    if one.kind == "list":
        assert one.item is not None
        return any(_is_touched(one.item, f"{at}.{number}", form) for number in _rows(form, at))
    return form.get(at, "").strip() not in ("", one.begins)


def _read(one: Field, typed: str, zone: ZoneInfo) -> Any:
    text = typed.strip()
    match one.kind:
        case "cents":
            return cents_of(text)
        case "whole":
            try:
                return int(text.replace(",", ""))
            except ValueError:
                raise _Wrong("a whole number") from None
        case "moment":
            return _moment(text, zone)
        case "document":
            try:
                document = json.loads(typed)
                json.dumps(document, ensure_ascii=False, allow_nan=False).encode()  # what can be sent on
            except (ValueError, RecursionError) as error:
                raise _Wrong(f"not JSON: {error}") from None
            return document
        case "secret":
            return typed
        case _:
            return text


def cents_of(text: str) -> int:
    """Return an amount in cents that was typed in dollars. Raises: an error that says what to type.

    >>> cents_of("1,250.5"), cents_of("$20"), cents_of("-0.05"), cents_of("−$3.00")
    (125050, 2000, -5, -300)
    """
    text = text.replace("−", "-")  # as pages write it
    if _AMOUNT.fullmatch(text) is None:
        raise _Wrong("an amount in dollars, such as 1,250.00")
    try:
        return int(Decimal(text.replace(",", "").replace("$", "")) * _HUNDRED)
    except InvalidOperation:
        raise _Wrong("an amount in dollars, such as 1,250.00") from None


def _moment(text: str, zone: ZoneInfo) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _Wrong("a date and a time, such as 2026-11-22T20:30") from None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)).isoformat()


def _rows(form: Mapping[str, str], at: str) -> list[str]:
    """Return the numbers of the rows that a form has of a list, in their order."""
    beginning = f"{at}."
    numbers = {name[len(beginning) :].partition(".")[0] for name in form if name.startswith(beginning)}
    return sorted((one for one in numbers if _ROW.fullmatch(one)), key=int)


def places(problem: Mapping[str, Any], moved: Mapping[str, str]) -> dict[str, str]:
    """Return what a service finds wrong with single fields: what stands where, by the name of the field.

    `moved` is where the rows of the document stand in the form.
    """
    found: dict[str, str] = {}
    for mistake in problem.get("errors") or ():
        first, *more = str(mistake["at"]).removeprefix("body.").replace("/", ".").split(".")
        at = first
        for each in more:
            at = moved.get(f"{at}.{each}", f"{at}.{each}")
        found.setdefault(at, str(mistake["what"]))
    return found
