"""Documented readings (interpretations) of unclear paragraphs as data, and the look-up for a settlement line.

`docs/contract/readings-*.md` are the source; `make generated` writes them into the packaged file `PATH`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

PATH: Final = "services/console/readings/readings.json"
_SOURCES: Final = "docs/contract/readings-*.md"
_PACKAGED: Final = Path(__file__).parents[1] / "readings" / "readings.json"

Cite = tuple[str, ...]
"""A citation: the section, then the subdivisions in brackets; `§ 633a.13(o)` is `("633a.13", "o")`."""

_REFERENCE: Final = re.compile(
    r"(?P<range>-)?(?:§ *)?(?:(?:\d+a)\.)?(?P<section>\d+)?(?P<parts>(?:\([A-Za-z0-9]{1,4}\))*)"
)
_PARAGRAPH: Final = re.compile(r"§ ([0-9a-z.]+?)((?:\([A-Za-z0-9]+\))*)$")
_PART: Final = re.compile(r"\(([A-Za-z0-9]+)\)")
_ROMAN: Final = re.compile(r"[ivx]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of an unclear paragraph: its text, what is unclear, the interpretation adopted, and why."""

    paragraph: str
    says: str
    problem: str
    taken: str
    why: str


def packed(root: Path) -> str:
    """Return the readings of all regulations, from the JSON of the packaged file."""
    found = {}
    for path in sorted(root.glob(_SOURCES)):
        found[path.stem.removeprefix("readings-")] = [asdict(one) for one in parse(path.read_text(encoding="utf-8"))]
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def parse(page: str) -> list[Reading]:
    """Return the readings in the first table of a page: rows of five cells after the header."""
    rows: list[Reading] = []
    for line in page.split("\n"):
        if line.startswith("|"):
            cells = [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
            if len(cells) == 5 and cells[0] != "paragraph" and not cells[0].startswith("---"):
                rows.append(Reading(*cells))
        elif rows:
            break
    return rows


@lru_cache(maxsize=1)
def _all() -> Mapping[str, tuple[Reading, ...]]:
    found: dict[str, list[dict[str, Any]]] = json.loads(_PACKAGED.read_text(encoding="utf-8"))
    return {regulation: tuple(Reading(**one) for one in rows) for regulation, rows in found.items()}


def readings_of(regulation: str) -> tuple[Reading, ...]:
    """Return the readings of a regulation; empty if it has none."""
    return _all().get(regulation, ())


def under(paragraph: str, readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """Return the readings of a paragraph, of the paragraphs that contain it and of its subparagraphs, in order.

    >>> one = Reading("12(a)(5)(iii), (iv)", "", "", "", "")
    >>> under("§ 633a.12(a)(5)(iv)", [one]) == (one,), under("§ 633a.12(b)", [one])
    (True, ())
    """
    place = cite_of(paragraph)
    if place is None:
        return ()
    # A regulation has one chapter, so it does not matter whether a reading names the chapter.
    wanted = (place[0].rpartition(".")[2], *place[1:])
    return tuple(one for one in readings if any(_meet(wanted, cite, place[0]) for cite in cites(one.paragraph)))


def _meet(wanted: Cite, cite: Cite, section: str) -> bool:
    if cite[0] == "":  # no section is named: the regulation is one section
        cite = (section.rpartition(".")[2], *cite[1:])
    length = min(len(wanted), len(cite))
    return wanted[:length] == cite[:length]


def cite_of(paragraph: str) -> Cite | None:
    """Return the citation in a line's paragraph; None if it contains none.

    >>> cite_of("§ 633a.13(o)"), cite_of("R.I. Table Game Rules § 6(l)(9)")
    (('633a.13', 'o'), ('6', 'l', '9'))
    """
    found = _PARAGRAPH.search(paragraph)
    return None if found is None else (found[1], *_PART.findall(found[2]))


def cites(cell: str) -> list[Cite]:
    """Return the citations in a table cell, without their chapter.

    A citation that begins with a bracket continues the previous citation, at the nesting level of its letter or number.

    >>> cites("§ 647a.6(b), (c)"), cites("(n)(3)-(5), (p)(2)")
    ([('6', 'b'), ('6', 'c')], [('', 'n', '3'), ('', 'n', '4'), ('', 'n', '5'), ('', 'p', '2')])
    """
    found: list[Cite] = []
    for match in _REFERENCE.finditer(cell):
        section, parts = match["section"], tuple(_PART.findall(match["parts"]))
        if section is None and not parts:
            continue
        if section is not None:
            found.append((section, *parts))
            continue
        before = found[-1] if found else ("",)
        cite = (*before[: 1 + min(_level(parts[0], len(before) - 1), len(before) - 1)], *parts)
        found += [*_between(before, cite), cite] if match["range"] else [cite]
    return found


def _level(part: str, depth: int) -> int:
    """Return the nesting level of a subdivision, from 0: (a), (1), (i), (A)."""
    if part.isdigit():
        return 1
    if part.isupper():
        return 3
    return 2 if _ROMAN.fullmatch(part) and (len(part) > 1 or depth > 2) else 0


def _between(first: Cite, last: Cite) -> Iterator[Cite]:
    if first[:-1] == last[:-1] and first[-1].isdigit() and last[-1].isdigit():
        for number in range(int(first[-1]) + 1, min(int(last[-1]), int(first[-1]) + 50)):
            yield (*first[:-1], str(number))
