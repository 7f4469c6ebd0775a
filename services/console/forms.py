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

BLANK_ROWS: Final = 2
"""Rows that stand ready in a list besides those that are filled."""
_AMOUNT: Final = re.compile(r"[-+]?\$?[0-9][0-9,]*(\.[0-9]{1,2})?|[-+]?\$?\.[0-9]{1,2}")
_HUNDRED: Final = 100


class _Wrong(Exception):
    """Something that was typed cannot be read."""


@dataclass(slots=True)
class Filled:
    """A form as it was filled in: the document, and what could not be read of it, by field."""

    path: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    mistakes: dict[str, str] = field(default_factory=dict)


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
        value = _value(one, one.name, form, zone, found.mistakes)
        if value is not None:
            found.body[one.name] = value
        elif one.required and one.name not in found.mistakes:
            found.mistakes[one.name] = "needed"
    return found


def _value(one: Field, at: str, form: Mapping[str, str], zone: ZoneInfo, mistakes: dict[str, str]) -> Any:
    """Return the value of a field; None where nothing was typed."""
    if one.kind == "group":
        parts = {each.name: _value(each, f"{at}.{each.name}", form, zone, mistakes) for each in one.fields}
        kept = {name: value for name, value in parts.items() if value is not None}
        if kept:
            for each in one.fields:
                if each.required and each.name not in kept:
                    mistakes.setdefault(f"{at}.{each.name}", "needed")
        return kept or None
    if one.kind == "list":
        assert one.item is not None
        rows = [_value(one.item, f"{at}.{number}", form, zone, mistakes) for number in range(rows_of(form, at))]
        kept_rows = [row for row in rows if row is not None and not _is_untouched(row, one.item)]
        return kept_rows or None
    typed = form.get(at, "")
    if one.kind == "flag":
        return typed == "yes" if at in form else None
    if not typed.strip():
        return None
    try:
        return _read(one, typed, zone)
    except _Wrong as wrong:
        mistakes[at] = str(wrong)
        return None


def _is_untouched(row: Any, item: Field) -> bool:
    """Return whether a row has nothing but choices that stand there already."""
    if item.kind != "group" or not isinstance(row, dict):
        return False
    return all(one.kind == "choice" for one in item.fields if one.name in row)


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
                return json.loads(typed)
            except ValueError as error:
                raise _Wrong(f"not JSON: {error}") from None
        case "secret":
            return typed
        case _:
            return text


def cents_of(text: str) -> int:
    """Return an amount in cents that was typed in dollars. Raises: an error that says what to type.

    >>> cents_of("1,250.5"), cents_of("$20"), cents_of("-0.05")
    (125050, 2000, -5)
    """
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


def rows_of(form: Mapping[str, str], at: str) -> int:
    """Return how many rows a form has of a list."""
    beginning = f"{at}."
    numbers = [name[len(beginning) :].partition(".")[0] for name in form if name.startswith(beginning)]
    return max((int(number) + 1 for number in numbers if number.isascii() and number.isdigit()), default=0)


def typed(one: Field, value: Any) -> str:
    """Return a value as it stands in its field."""
    if value is None:
        return ""
    if one.kind == "cents" and isinstance(value, int):
        return f"{value / _HUNDRED:.2f}" if abs(value) < 10**15 else f"{value // _HUNDRED}.{value % _HUNDRED:02d}"
    if one.kind == "document":
        return json.dumps(value, indent=2, ensure_ascii=False)
    return str(value)


def places(problem: Mapping[str, Any]) -> dict[str, str]:
    """Return what a service finds wrong with single fields: what stands where, by the name of the field."""
    found: dict[str, str] = {}
    for mistake in problem.get("errors") or ():
        found.setdefault(str(mistake["at"]).removeprefix("body.").replace("/", "."), str(mistake["what"]))
    return found
