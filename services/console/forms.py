"""Convert a command form's typed fields into the service's JSON document, and map errors back to fields."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, get_args
from zoneinfo import ZoneInfo

from services.console.operations import Field, Operation
from services.console.words import say
from shared.cards import Card
from shared.contracts.json_text import MemberTwice, read_json

_WHOLE: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)", re.ASCII)
_AMOUNT: Final = re.compile(r"([-+]?)\$?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]{1,2}))?", re.ASCII)
_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[-+][0-9]{2}:[0-9]{2})?", re.ASCII
)
_ROW: Final = re.compile("[0-9]{1,5}")
_CARDS: Final[Mapping[str, str]] = {name.lower(): name for name in get_args(Card)}
_FLAGS: Final = {"yes": True, "no": False}
LEFT_OUT: Final = "_left_out"
"""The name, within a row of a list, of the checkbox that omits the row."""
_HUNDRED: Final = 100
_DIGITS_MAX: Final = 40
"""Maximum number of characters of a number: no field accepts more."""


class _Wrong(ValueError):
    """The typed text cannot be interpreted."""


@dataclass(slots=True)
class Filled:
    """A submitted form: path parameters, the request body, and the errors by field.

    `moved` maps rows of the document to rows of the form, because the document omits the form's empty rows.
    """

    path: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    mistakes: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)


def filled(operation: Operation, form: Mapping[str, str], zone: ZoneInfo) -> Filled:
    """Return the interpreted form. Times without a UTC offset are in `zone`."""
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
    """Return the value of a field; None if it was left empty."""
    if one.kind == "group":
        return _group(one, at, form, zone, found) if one.required or _is_touched(one, at, form) else None
    if one.kind == "list":
        return _list(one, at, form, zone, found)
    typed = form.get(at, "")
    if one.kind == "cards" and one.required and not typed.strip():
        return []
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
    places = [
        place
        for number in _rows(form, at)
        if _is_touched(item, place := f"{at}.{number}", form) and not form.get(f"{place}.{LEFT_OUT}")
    ]
    found.moved |= {f"{at}.{number}": place for number, place in enumerate(places)}
    rows = [_value(item, place, form, zone, found) for place in places]
    return rows if rows or (one.required and not one.items_min) else None


def _is_touched(one: Field, at: str, form: Mapping[str, str]) -> bool:
    """Return whether a person filled in the field; a preselected choice does not count."""
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
            if _WHOLE.fullmatch(text) is None or len(text) > _DIGITS_MAX:
                raise _Wrong("a whole number, such as 1250 or 1,250")
            return int(text.replace(",", ""))
        case "number_or_text":
            return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX else text
        case "moment":
            return _moment(text, zone)
        case "cards":
            return cards_of(text)
        case "document":
            try:
                document = read_json(typed)
                json.dumps(document, ensure_ascii=False, allow_nan=False).encode()  # raises for what cannot be sent
            except MemberTwice as error:
                raise _Wrong(str(error)) from None
            except (ValueError, RecursionError) as error:
                raise _Wrong(f"not JSON: {error}") from None
            return document
        case "secret":
            return typed
        case _:
            return text


def cents_of(text: str) -> int:
    """Return an amount typed in dollars as cents. Raises: _Wrong, with a message that states the valid form.

    Commas separate groups of three digits, and a point is followed by one or two digits. `1,50` is refused, because it
    could mean 1.50 or 150. A leading zero is refused, because a digit may be missing.

    >>> cents_of("1,250.5"), cents_of("$20"), cents_of("-0.05"), cents_of("−$3.00")
    (125050, 2000, -5, -300)
    """
    found = _AMOUNT.fullmatch(text.replace("−", "-"))  # pages write the minus sign
    if found is None or len(text) > _DIGITS_MAX:
        raise _Wrong("an amount in dollars, such as 1250, 1,250 or 1,250.00: cents stand after a point")
    sign, whole, cents = found.groups()
    amount = int(whole.replace(",", "")) * _HUNDRED + int((cents or "0").ljust(2, "0"))
    return -amount if sign == "-" else amount


def cards_of(text: str) -> list[Any]:
    """Return the cards in a text, in order; hands separated by slashes become separate lists.

    Raises: _Wrong, with a message that says what to type.

    >>> cards_of("As kd, 10c Jk"), cards_of("As Kd / 9h 9c")
    (['As', 'Kd', 'Tc', 'Jk'], [['As', 'Kd'], ['9h', '9c']])
    """
    hands = [list(map(_card, hand.replace(",", " ").split())) for hand in text.split("/")]
    return hands if len(hands) > 1 else hands[0]


def _card(typed: str) -> str:
    name = _CARDS.get(typed.lower().replace("10", "t"))
    if name is None:
        raise _Wrong(f"{typed!r} is no card: rank A K Q J T 9 to 2, then suit s h d c; Jk is the joker")
    return name


def cards_text(cards: Sequence[Any]) -> str:
    """Return cards, or hands of cards, in the text form that `cards_of` reads.

    >>> cards_text(["As", "Kd"]), cards_text([["As", "Kd"], ["9h", "9c"]])
    ('As Kd', 'As Kd / 9h 9c')
    """
    return " / ".join(map(" ".join, cards)) if cards and not isinstance(cards[0], str) else " ".join(cards)


def _moment(text: str, zone: ZoneInfo) -> str:
    """Return a typed time; without a UTC offset it is local time in `zone`, and must be unambiguous there."""
    try:
        if _MOMENT.fullmatch(text) is None:
            raise ValueError
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _Wrong("a date and a time, such as 2026-11-22T20:30, or with an offset: 2026-11-22T20:30-05:00") from None
    if moment.tzinfo is not None:
        return moment.isoformat()
    readings = [moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1)]
    offsets = {one.utcoffset() for one in readings}
    if len(offsets) == 1:
        return readings[0].isoformat()
    # When the clock goes back, an hour occurs with two offsets; when it goes forward, the typed time never occurs.
    is_shown = all(one.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == moment for one in readings)
    if not is_shown:
        raise _Wrong(f"the clock of {zone.key} goes forward and never shows {text}: type what it showed")
    choice = " or ".join(one.isoformat() for one in readings)
    raise _Wrong(f"the clock of {zone.key} goes back and shows {text} twice: type {choice}")


def _rows(form: Mapping[str, str], at: str) -> list[str]:
    """Return the row numbers of a list in a form, in order."""
    beginning = f"{at}."
    numbers = {name[len(beginning) :].partition(".")[0] for name in form if name.startswith(beginning)}
    return sorted((one for one in numbers if _ROW.fullmatch(one)), key=int)


_PATTERN: Final = "it must match the pattern"
"""The start of a service's error message for a text that does not match its pattern; forms show plain words instead."""


def places(problem: Mapping[str, Any], moved: Mapping[str, str]) -> dict[str, str]:
    """Return a service's validation errors by the name of the form field.

    `moved` maps rows of the document to rows of the form.
    """
    found: dict[str, str] = {}
    said = [(str(one["at"]).removeprefix("body."), str(one["what"])) for one in problem.get("errors") or ()]
    said += [(one["pointer"].removeprefix("/"), str(one["detail"])) for one in problem.get("problems") or ()]
    for where, what in said:
        first, *more = where.replace("/", ".").split(".")
        at = first
        for each in more:
            at = moved.get(f"{at}.{each}", f"{at}.{each}")
        found.setdefault(at, say("command.form") if what.startswith(_PATTERN) else what)
    return found
