"""The templates, and the formatting of amounts, times and codes on pages."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from jinja2 import ChainableUndefined, Environment, PackageLoader, Undefined
from markupsafe import Markup, escape

from services.console import money
from services.console.services import part
from services.console.static import address
from services.console.words import counted, said, say

_AMOUNTS: Final = frozenset({"cents", "exact_cents"})
_EXPLAINED: Final = _AMOUNTS | {"count"}
"""Units of figures that are sums over entries."""
_FIGURES: Final = _EXPLAINED | {"decimal", "percent", "number"}
_SHORT: Final = 40
"""Maximum number of characters of a text in a cell without the class `long`."""
_FEW: Final = 16
"""Maximum number of characters of a text of several words in a cell without the class `folds`."""
_NUMBER: Final = re.compile(r"-?\d+([./]\d+)?", re.ASCII)
_HASH: Final = re.compile("[0-9a-f]{64}")
_SHOWN: Final = 12
"""Number of hash digits shown; the full hash is in the title attribute."""
_MOMENT: Final = "%Y-%m-%d %H:%M:%S"
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")
_CODE: Final = re.compile(r"(?<![\w/.@'-])[a-z][a-z0-9]*(_[a-z0-9]+)+(?![\w/@])")
"""A code in a service's text, such as `counter_check`, which is not quoted and not part of another name."""
_NAMES: Final = frozenset(
    {"person", "who", "by", "owner", "dealer", "drawer", "patron", "account", "serial", "table", "pool", "id"}
)
"""Columns of names that people gave, in addition to the columns that end in `_by`."""
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that are invisible or change the direction of text, without those that join letters or select glyphs."""


def legible(value: object) -> object:
    r"""Return a value for a page, with invisible and direction-changing characters of a text made visible.

    Otherwise a person could enter a reason that looks empty, or that its approver sees in another order. Every output
    of a template goes through this function, except `{{ value|e }}` in forms, which are sent back as typed.

    >>> legible("a\u200bb"), legible("\u202e05$ yap"), legible("Zoë, 7\u200d8"), legible(5)
    ('a[U+200B]b', '[U+202E]05$ yap', 'Zoë, 7\u200d8', 5)
    """
    if not isinstance(value, str) or value.isascii() or isinstance(value, Markup):
        return value
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", value)


def dollars(cents: int | str | Undefined | None) -> str:
    """Return cents as dollars; an empty text for a missing amount.

    >>> dollars(123450), dollars(-5), dollars(None), dollars("12.5")
    ('$1,234.50', '−$0.05', '', '$0.125')
    >>> dollars("2968/3"), dollars("-1/2")
    ('≈ $9.89', '≈ $0.00')
    """
    if cents is None or cents == "" or isinstance(cents, Undefined):
        return ""
    if isinstance(cents, str):
        return _exact(cents)
    return money.dollars(cents)


def _exact(cents: str) -> str:
    """Return an amount with fractions of a cent: the decimal point moved two places to the left.

    A ratio is rounded to the cent (half a cent to the even cent), and marked.
    """
    if "/" in cents:
        return f"≈ {money.dollars(round(Fraction(cents)))}"
    sign = "−" if cents.startswith("-") else ""
    whole, _, share = cents.lstrip("-").partition(".")
    digits = whole.zfill(3)
    return f"{sign}${int(digits[:-2]):,}.{digits[-2:]}{share}"


def count(number: int | Undefined | None) -> str:
    """Return a number with thousands separators; an empty text for a missing number."""
    return "" if number is None or isinstance(number, Undefined) else f"{number:,}"


def moment(text: str | datetime | None, zone: str | None = None, form: str = _MOMENT) -> Markup:
    """Return a time as HTML with its exact value, shown in a time zone or, without one, as UTC and marked so."""
    if not text:
        return Markup("")
    at = text if isinstance(text, datetime) else datetime.fromisoformat(text)
    shown = at.astimezone(ZoneInfo(zone)).strftime(form) if zone else f"{at.astimezone(UTC).strftime(form)} UTC"
    return Markup(f'<time datetime="{at.isoformat()}">{shown}</time>')  # noqa: S704 - only digits and fixed words


def ago(text: str | None, now: datetime | None = None) -> str:
    """Return a text with the approximate time since a moment."""
    if not text:
        return ""
    seconds = int(((now or datetime.now(UTC)) - datetime.fromisoformat(text)).total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if abs(seconds) >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def told(text: object, zone: str | None = None) -> object:
    """Return a service's text with codes replaced by words, and times converted to the property's time zone.

    >>> told("meter bad_beat of `TH-01` at 2026-11-20T12:44:00+00:00, by count_room", "America/New_York")
    'meter bad beat of TH-01 at 2026-11-20 07:44:00, by count room'
    >>> told("as of 2026-11-21T06:00:00Z"), told("by demo.count_room"), told(None)
    ('as of 2026-11-21 06:00:00 UTC', 'by demo.count_room', None)
    """
    if not isinstance(text, str) or isinstance(text, Markup):
        return text
    text = _INSTANT.sub(lambda found: _clock(found[0], zone), text.replace("`", ""))
    return _CODE.sub(lambda found: found[0].replace("_", " "), text)


def _clock(text: str, zone: str | None) -> str:
    """Return a time as text in the property's time zone or, without a zone, in UTC and marked so."""
    at = datetime.fromisoformat(text)
    return f"{at.astimezone(ZoneInfo(zone)):{_MOMENT}}" if zone else f"{at.astimezone(UTC):{_MOMENT}} UTC"


def cell(value: Any, unit: str, zone: str | None = None, name: str = "") -> Any:
    """Return a value for a page, formatted by its column's unit.

    In texts, codes (`taken_back`) become words, and moments are in the property's time zone. Columns of names are shown
    unchanged.

    >>> [str(cell(one, "text")) for one in (True, ["a.kim", "b.lee"], [])]
    ['Yes', 'a.kim, b.lee', '']
    >>> str(cell("taken_back", "text")), str(cell("count_room", "text", None, "decided_by"))
    ('Taken back', 'count_room')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return say("command.yes" if value else "command.no").capitalize()
    if isinstance(value, list | tuple):
        return Markup(", ").join(cell(one, unit, zone, name) for one in value)
    if unit in _AMOUNTS and isinstance(value, int | str):
        return dollars(value)
    if unit == "count" and isinstance(value, int):
        return count(value)
    if unit == "percent":
        return f"{value} %".replace("-", "−")
    if not isinstance(value, str):
        return escape(str(value))
    if unit == "moment":
        return moment(value, zone)
    if _HASH.fullmatch(value):
        return Markup('<code title="{}">{}…</code>').format(value, value[:_SHOWN])
    if name in _NAMES or name.endswith("_by"):
        return escape(legible(value))
    return escape(legible(words_of(value) if _CODE.fullmatch(value) else told(value, zone)))


def figures(
    row: Mapping[str, Any], columns: Sequence[Mapping[str, str]], entries: str | None = None, zone: str | None = None
) -> Markup:
    """Return a row's cells as HTML; if `entries` is given, amounts link to that URL followed by the column's name.

    No template is used, because a report can have thirty thousand cells, for which a template takes half a second.
    """
    leads = None if entries is None else escape(entries)
    cells = []
    for column in columns:
        name, unit = column["name"], column["unit"]
        value = row.get(name)
        shown = cell(value, unit, zone, name)
        if not (isinstance(value, int) and unit in _EXPLAINED):  # the digits of an amount need no escape
            shown = escape(shown)
        if leads is not None and value and unit in _EXPLAINED:
            shown = f'<a class="figure" href="{leads}{_escaped(name)}">{shown}</a>'
        cells.append(f'<td class="{kind(value, unit)}"{sort_key(value, unit)}>{shown}</td>')
    return Markup("".join(cells))  # noqa: S704 - all that was given is escaped above


@lru_cache(maxsize=1024)
def _escaped(name: str) -> str:
    return str(escape(name))


def kind(value: Any, unit: str = "text") -> str:
    """Return the CSS class of a cell: `n` for figures, `long` for sentences, `folds` for several words.

    >>> kind(5, "cents"), kind("riverside"), kind("The box was opened by two, and counted again by a third.")
    ('n', '', 'long')
    >>> kind("Currency and chips counted"), kind("2026-11-20T12:44:00+00:00", "moment")
    ('folds', '')
    """
    if unit in _FIGURES:
        return "n"
    if not isinstance(value, str) or unit == "moment" or _HASH.fullmatch(value):
        return ""
    if len(value) > _SHORT:
        return "long"
    return "folds" if len(value) > _FEW and " " in value else ""


def sort_key(value: Any, unit: str = "text") -> Markup:
    """Return the attribute by which a browser sorts a cell whose text is not its order: a figure or a moment.

    >>> sort_key(-250, "cents"), sort_key("riverside"), sort_key("1/3", "decimal")
    (Markup(' data-sort="-250"'), Markup(''), Markup(' data-sort="0.3333333333333333"'))
    """
    if unit == "moment" or (unit in _FIGURES and isinstance(value, int)):
        key = value
    elif unit in _FIGURES and isinstance(value, str) and _NUMBER.fullmatch(value):
        key = float(Fraction(value))
    else:
        key = None
    return Markup("") if key is None else Markup(' data-sort="{}"').format(key)


def asked(**parts: object) -> str:
    """Return a URL query string of the parameters that have a value."""
    return urlencode({name: str(value) for name, value in parts.items() if value not in (None, "")})


def words_of(name: str) -> str:
    """Return a name of the API as words.

    >>> words_of("counter_checks"), words_of("fill.received")
    ('Counter checks', 'Fill received')
    >>> words_of("dj-wild"), words_of("holdem-bonus")
    ('DJ wild', 'Hold ’Em bonus')
    """
    spelled = said("spelled")
    text = name.replace("_", " ").replace(".", " ").replace("-", " ").capitalize()
    return " ".join(spelled.get(word.lower(), word) for word in text.split(" "))


def pretty(document: object) -> str:
    """Return a document as indented JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False, default=str)


@cache
def environment() -> Environment:
    """Return the template environment, with automatic HTML escaping."""
    found = Environment(
        loader=PackageLoader("services.console"),
        autoescape=True,
        undefined=ChainableUndefined,
        finalize=legible,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    filters: Mapping[str, Any] = {
        "ago": ago,
        "cell": cell,
        "count": count,
        "dollars": dollars,
        "moment": moment,
        "part": part,
        "told": told,
        "pretty": pretty,
        "words": words_of,
    }
    found.filters.update(filters)
    found.globals.update(
        figures=figures,
        kind=kind,
        sort_key=sort_key,
        said=said,
        say=say,
        counted=counted,
        static=address,
        asked=asked,
        today=date.today,
    )
    return found
