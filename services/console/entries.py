"""The journal entries behind a report's figure, each with its contribution and with links to its records."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from services.console.services import path
from services.console.words import say

_WHOLE: Final = frozenset({"cents", "count"})


@dataclass(frozen=True, slots=True)
class Lead:
    """A record that an entry refers to: its text, and the URL of its page, or ""."""

    text: str
    address: str


def shown_entries(property_name: str, found: Mapping[str, Any], *, may_read_rounds: bool) -> list[dict[str, Any]]:
    """Return the entries in reporting's answer, each with links (`leads`), exact `factor` and contribution (`adds`)."""
    return [
        {
            **dict.fromkeys(("recorded_at", "kind", "table", "measure", "value", "factor")),
            **one,
            "unit": _unit(one, found["unit"]),
            "factor": _sign(one.get("factor")),
            "adds": amount(one.get("adds"), found["unit"]),
            "leads": list(_leads(property_name, one, may_read_rounds=may_read_rounds)),
        }
        for one in found.get("entries", ())
    ]


def shown_sums(found: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return pairs of label key and amount: the entries' sum and, if rounded, rounding and value; empty if no sum."""
    if found.get("adds_up_to") is None:
        return []
    sums = [("reports.sum", amount(found["adds_up_to"], found["unit"]))]
    if found["rounding"] != "0":
        sums += [("reports.rounding", amount(found["rounding"], found["unit"])), ("reports.value", found["value"])]
    return sums


def amount(exact: str | None, unit: str) -> int | str | None:
    """Return an exact amount in the form that a cell of this unit needs: an int for a whole number, else a string.

    >>> amount("1200", "cents"), amount("23/311", "cents"), amount("-5/2", "count"), amount(None, "cents")
    (1200, '23/311', '-5/2', None)
    """
    if exact is None or unit not in _WHOLE:
        return exact
    return int(exact) if Fraction(exact).denominator == 1 else exact


def _sign(factor: str | None) -> str:
    """Return a factor formatted to precede a value: only `+` or `−` for a factor of 1 or -1.

    >>> [_sign(one) for one in ("1", "-1", "23/311", "-1/2", None)]
    ['+', '−', '× 23/311', '× −1/2', '']
    """
    if factor is None:
        return ""
    return {"1": "+", "-1": "−"}.get(factor) or f"× {factor.replace('-', '−')}"


def _unit(one: Mapping[str, Any], unit: str) -> str:
    """Return the unit of an entry's value: the unit of its measure, else the unit of the cell."""
    measure = str(one.get("measure") or "")
    return unit if not measure or unit == "exact_cents" else "cents" if measure.endswith("_cents") else "count"


def _leads(property_name: str, one: Mapping[str, Any], *, may_read_rounds: bool) -> Iterator[Lead]:
    if one.get("round_id"):
        there = path("p", property_name, "rounds", one["table"], one["round_id"]) if may_read_rounds else ""
        yield Lead(one["round_id"], there)
    for lead in one.get("leads", ()):
        yield _lead(property_name, lead)


def _lead(property_name: str, lead: Mapping[str, Any]) -> Lead:
    what, name, table = lead["what"], lead["name"], lead["table"]
    if what == "drop_count":
        return Lead(say("reports.leads.drop_count", name=name), path("p", property_name, "desk", "counts", name))
    if what != "slip":
        return Lead(say(f"reports.leads.{what}", name=name), path("p", property_name, "pit-events", table, name))
    slip, _, number = name.partition("/")
    series, _, number = number.rpartition("/")
    there = path("p", property_name, "floor", table) + f"?day={lead['gaming_day']}" if table else ""
    return Lead(say(f"reports.leads.{slip}{f'_{series}' if series else ''}", name=number), there)
