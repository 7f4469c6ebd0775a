"""A pack's page for readers; `make generated` writes docs/jurisdictions/<id>.md from each."""

import inspect
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from pydantic import BaseModel

from shared.jurisdictions import GamingPack, Pack, Provision

_RATE: Final = re.compile(r"0(\.\d+)?|1(\.0+)?")


def page(found: Pack) -> str:
    """Return the Markdown page of a pack."""
    return "\n".join(_page(found)) + "\n"


def _page(found: Pack) -> Iterator[str]:
    yield f"# {found.title}: {found.id}"
    yield ""
    yield "What law and regulation fix apart from the rules of the games, as dated values."
    yield f"Authority: {found.authority}. Written from `shared/jurisdictions/{found.id}/pack.yaml` by `make generated`."
    yield ""
    yield "**Unconfirmed** values were inferred, taken from elsewhere, or not found in the text itself; each says why."
    yield "Have them confirmed before you rely on them."
    if isinstance(found, GamingPack):
        yield ""
        yield f"Regulations: {', '.join(f'[{name}](../games/{name}.md)' for name in found.regulations)}."
    # What every pack has comes last.
    for name in sorted(type(found).model_fields, key=lambda name: name in Pack.model_fields):
        part = getattr(found, name)
        if part and isinstance(part, BaseModel | Mapping):
            yield ""
            yield f"## {name.replace('_', ' ').capitalize()}"
            yield ""
            yield from _about(part)
            yield "| what | from | value | source | status |"
            yield "|---|---|---|---|---|"
            yield from _rows(part, "")


def _about(part: Any) -> Iterator[str]:
    """Say what the values of a part mean, in the words of its model."""
    one = next(iter(part.values())) if isinstance(part, Mapping) else part
    if not isinstance(one, Provision):
        yield inspect.getdoc(type(one)) or ""
        yield ""


def _rows(part: Any, what: str) -> Iterator[str]:
    match part:
        case Provision():
            for dated in part.root:
                status = "**unconfirmed**" if dated.status == "unconfirmed" else "confirmed"
                note = "" if dated.note is None else f": {dated.note}"
                yield _row(what, str(dated.effective_from), _shown(dated.value, what), dated.source, status + note)
        case Mapping() | BaseModel():
            for name, value in part.items() if isinstance(part, Mapping) else part:
                yield from _rows(value, f"{what}.{name}".lstrip("."))
        case None:
            return
        case _:  # what a part says without a date, such as the payee of a tax
            yield _row(what, "", _shown(part, what), "", "")


def _row(what: str, *cells: str) -> str:
    return f"| `{what}` | {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _shown(value: Any, what: str) -> str:
    match value:
        case tuple():
            return ", ".join(_shown(one, what) for one in value)
        case Mapping():
            return ", ".join(f"{name} {_shown(one, what)}" for name, one in value.items())
        case BaseModel() if type(value).__str__ is BaseModel.__str__:
            return _shown(dict(value), what)
        case int() if what.endswith("_cents"):
            return f"${value // 100:,}" if value % 100 == 0 else f"${value / 100:,.2f}"
        case str() if _RATE.fullmatch(value):
            return f"{float(Fraction(value) * 100):g}%"
        case _:
            return str(value)
