"""Print the paybacks of a submission version, for `pitledger submissions`."""

from collections.abc import Mapping
from typing import Any, Final

from services.cli.output import heading, message, names, numbers, show, table, words

_PROBLEMS: Final = {"differs": "not as stated", "above_all": "above 100%", "below_floor": "below the floor"}
_COUNTED: Final = {"exactly": "exact", "by_model": "by model", "sampled": "sampled"}


def show_paybacks(found: Mapping[str, Any]) -> None:
    """Print the registry's `Paybacks`: computed and stated, by wager."""
    columns = [
        *names("wager", "paytable"),
        *numbers("counted", "error", "long run", "stated", "floor"),
        *words("needs an override"),
    ]
    title = f"What version {found['version']} of {found['game']} at {found['property']} pays back"
    show(heading(title), table(columns, [_line(one) for one in found["wagers"]]))
    for one in found["wagers"]:
        if "payback" not in one:
            message(f"{one['wager']}: {one['reason']}")
        if (own := one.get("stated_house_edge")) is not None:
            message(f"{one['wager']}: the licensee's own house edge is {own['house_edge_percent']}% ({own['source']})")


def _line(one: Mapping[str, Any]) -> list[str]:
    error = _percent(one, "error") or _COUNTED.get(one.get("counted", ""), "")
    others = (_percent(one, name) for name in ("long_run", "stated", "floor"))
    problems = ", ".join(_PROBLEMS[finding["problem"]] for finding in one["findings"])
    return [one["wager"], one.get("paytable", ""), _percent(one, "payback"), error, *others, problems]


def _percent(one: Mapping[str, Any], name: str) -> str:
    return f"{one[name]}%" if name in one else ""
