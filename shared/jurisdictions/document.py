"""The documentation page of a pack; `make generated` writes docs/jurisdictions/<id>.md for each pack in the package.

For other packs, run `python -m shared.jurisdictions.document <folder>`, which also lists all faults of an invalid pack.
"""

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from shared.jurisdictions import Dated, GamingPack, Pack, PackWrong, Provision, load_pack
from shared.jurisdictions.returns import ReturnLayout
from shared.rules.document import in_dollars, in_percent

_RATE: Final = re.compile(r"0(\.\d+)?|1(\.0+)?")


def page(found: Pack) -> str:
    """Return the Markdown page of a pack."""
    return "\n".join(_page(found)) + "\n"


def _page(found: Pack) -> Iterator[str]:
    yield f"# {found.title}: {found.id}"
    yield ""
    yield "What law and regulation fix apart from the rules of the games, as dated values."
    yield f"Authority: {found.authority}. Written from the pack, `{found.id}/pack.yaml`; change that."
    yield ""
    yield "**Unconfirmed** values were inferred, taken from elsewhere, or not found in the text itself; each says why."
    yield "Have them confirmed before you rely on them."
    if isinstance(found, GamingPack):
        yield ""
        yield f"Regulations: {', '.join(f'[{name}](../games/{name}.md)' for name in found.regulations)}."
    # The parts that every pack has come last.
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
    for name, returned in found.returns.items():
        for dated in returned.layout.root:
            yield from _columns(name, dated)


def _about(part: Any) -> Iterator[str]:
    """Yield the lines that describe a part of the pack: the docstring of its model."""
    one = next(iter(part.values())) if isinstance(part, Mapping) else part
    if not isinstance(one, Provision):
        yield inspect.getdoc(type(one)) or ""
        yield ""


def _columns(name: str, dated: Dated[ReturnLayout]) -> Iterator[str]:
    """Yield the table of the columns of a layout, in order."""
    yield ""
    yield f"### Columns of `{name}` from {dated.effective_from}"
    yield ""
    yield "| column | filled with | at most | required | status |"
    yield "|---|---|---|---|---|"
    for one in dated.value.columns:
        filled = f"`{one.field}`" if one.field else f"always {one.text}" if one.text else ""
        status = "confirmed" if one.status == "confirmed" else "**unconfirmed**"
        note = "" if one.note is None else f": {one.note}"
        yield f"| {one.name} | {filled} | {one.length_max or ''} | {one.required or ''} | {status}{note} |"


def _rows(part: Any, what: str) -> Iterator[str]:
    match part:
        case Provision():
            for dated in part.root:
                status = "**unconfirmed**" if dated.status == "unconfirmed" else "confirmed"
                note = "" if dated.note is None else f": {dated.note}"
                review = "" if dated.review_by is None else f"; to be reviewed by {dated.review_by}"
                yield _row(
                    what, str(dated.effective_from), _shown(dated.value, what), dated.source, status + note + review
                )
        case Mapping() | BaseModel():
            for name, value in part.items() if isinstance(part, Mapping) else part:
                yield from _rows(value, f"{what}.{name}".lstrip("."))
        case None:
            return
        case _:  # a value without a date, such as the payee of a tax
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
            return in_dollars(value)
        case str() if _RATE.fullmatch(value):
            return in_percent(value)
        case _:
            return str(value)


def main(arguments: list[str]) -> int:
    """Print the page of the pack in the folder on the command line; return 2 if the pack is missing or invalid."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m shared.jurisdictions.document <folder of a pack>\n")
        return 2
    try:
        sys.stdout.write(page(load_pack(Path(arguments[0]).resolve())))
    except (PackWrong, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
