"""Format amounts in charts: dollars and counts in captions, alternative texts and on axes."""

from typing import Any, Final

_CENTS: Final = 100

# No text of a document is put into an expression: these are the same for every chart.
_SIGN: Final = "(datum.value < 0 ? '−' : '')"
DOLLARS: Final = (
    f"{_SIGN} + '$' + format(abs(datum.value), datum.value != 0 && abs(datum.value) < 10 ? ',.2f' : ',.0f')"
)
"""The Vega expression that labels an axis in dollars; amounts below ten dollars show cents."""
DOLLARS_ABOVE: Final = (
    "(datum.value < 0 ? '−' : datum.value > 0 ? '+' : '') + '$'"
    " + format(abs(datum.value), datum.value != 0 && abs(datum.value) < 10 ? ',.2f' : ',.0f')"
)
"""The Vega expression that labels an axis of dollar differences; amounts above zero have a plus sign."""


def in_dollars(cents: int) -> float:
    """Return cents as floating-point dollars, precise enough for drawing."""
    return cents / _CENTS


def words(name: str) -> str:
    """Return the name of a wager, game or paytable row with spaces instead of underscores.

    >>> words("royal_match_21")
    'royal match 21'
    """
    return name.replace("_", " ")


def dollar_axis(title: str, *, signed: bool = False) -> dict[str, Any]:
    """Return the Vega-Lite definition of an axis of dollars."""
    return {"title": title, "labelExpr": DOLLARS_ABOVE if signed else DOLLARS, "labelFlush": False}
