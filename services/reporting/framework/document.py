"""A report as a document: header, sections with rows, identities. Pure, independent of the format."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Any, Final, Generic, Literal, TypeVar, overload
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, Field
from pydantic_core import to_json

from services.reporting.framework.figures import Because, Cell, Explained, Figure, Value, exact_sum, total
from shared.contracts.envelope import Name, canonical
from shared.contracts.exact import exact_text, parse_exact
from shared.contracts.reports import Reached, ReportStatus

Unit = Literal["text", "day", "moment", "cents", "exact_cents", "count", "decimal", "percent"]
"""The unit of a column.

`cents` and `count` are integers; `exact_cents` is a decimal text with fractions of a cent (shared.contracts.exact);
`decimal` and `percent` are decimal texts with two places.
"""

Period = Literal["day", "week", "month", "quarter", "year"]
"""The period of a report, in whole gaming days; a week begins on the day that the jurisdiction pack defines."""


ThingT = TypeVar("ThingT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its field name, which includes the unit (`drop_cents`), its title, and how its figures are computed.

    `formula` explains the computation, `source` is its legal source. With `added`, the total row sums the column.
    """

    name: str
    title: str
    unit: Unit = "text"
    formula: str = ""
    source: str = ""
    added: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """A table of a report: its columns, and the columns that form the key of a row.

    No column may be called `id`, because that is the name of a row's identifier.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        assert len(set(names)) == len(names), f"{self.name}: {names} has a column twice"
        assert "id" not in names, f"{self.name}: 'id' is the name of a row"
        assert set(self.key) <= set(names), f"{self.name}: the key {self.key} is not among {names}"

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)

    def require_columns(self, row: Mapping[str, object]) -> None:
        """Raise KeyError if a row has a value for which the section has no column."""
        if not row.keys() <= self._names:
            raise KeyError(f"{self.name} has no column {', '.join(sorted(row.keys() - self._names))}")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a section: plain values by column (`cells`), and the same values with any provenance (`given`)."""

    id: str
    cells: Mapping[str, Value]
    given: Mapping[str, Value | Figure | Cell]

    def explained(self, column: str) -> Explained:
        """Return the provenance of the value in a column; empty if the value is not derived from entries."""
        given = self.given.get(column)
        return given if isinstance(given, Explained) else Explained()


class Made(Sequence[Mapping[str, Value | Figure | Cell]], Generic[ThingT]):
    """A sequence that creates each row when it is accessed, because most rows of long sections are never read."""

    def __init__(self, things: Sequence[ThingT], make: Callable[[ThingT], Mapping[str, Value | Figure | Cell]]) -> None:
        self._things, self._make = things, make

    def __len__(self) -> int:
        return len(self._things)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Value | Figure | Cell]: ...
    @overload
    def __getitem__(self, index: slice) -> "Made[ThingT]": ...
    def __getitem__(self, index: int | slice) -> "Mapping[str, Value | Figure | Cell] | Made[ThingT]":
        if isinstance(index, slice):
            return Made(self._things[index], self._make)
        return self._make(self._things[index])


@dataclass(frozen=True)
class Filled:
    """A section with its rows' values, including any provenance, and a row of totals if any column is summed.

    `cut_from` is the full number of rows if the section was cut to its first rows.
    """

    section: Section
    given: Sequence[Mapping[str, Value | Figure | Cell]]
    total: Row | None = None
    cut_from: int | None = None

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Return the rows, which are created on first use. Raises: KeyError if a row has a value without a column."""
        return tuple(self._made())

    def each(self) -> Iterable[Row]:
        """Iterate over the rows, which long sections create anew. Raises: KeyError for a value without a column."""
        return self.rows if len(self.given) <= _KEPT_ROWS_MAX else self._made()

    def _made(self) -> Iterator[Row]:
        """Yield the rows with unique ids: the second row with the same key gets `<key>|2`, the third `<key>|3`, etc."""
        times: dict[str, int] = {}
        for given in self.given:
            self.section.require_columns(given)
            row_id = _id_of([_value(given.get(name)) for name in self.section.key])
            times[row_id] = number = times.get(row_id, 0) + 1
            yield _row(row_id if number == 1 else f"{row_id}|{number}", self.section, given)

    def cut(self, most: int) -> "Filled":
        """Return the section cut to its first `most` rows; the total still covers all rows."""
        rows = len(self.given)
        return self if rows <= most else replace(self, given=self.given[:most], cut_from=rows)


_KEPT_ROWS_MAX: Final = 20_000
"""Longer sections create each row anew whenever it is read, so that memory does not grow with their length."""

_ROWS_AT_ONCE: Final = 1_000
"""The number of rows that are encoded at a time."""

TOTAL: Final = "/total"
"""The id of a total row, which no other row can have."""


def fill(section: Section, rows: Iterable[Mapping[str, Value | Figure | Cell]], **totals: Figure | Cell) -> Filled:
    """Return a section filled with rows, each a mapping of column name to value; a missing column is empty.

    The total row has the sums of the `added` columns, and `totals` for values that cannot be summed, such as a
    percentage. Rows of type `Made` are not read here, so `totals` must then include the sums.

    Raises: KeyError for a value without a column.
    """
    if isinstance(rows, Made):
        missing = {column.name for column in section.columns if column.added} - totals.keys()
        assert not missing, f"{section.name} adds up {missing}"
        return Filled(section, rows, _row(TOTAL, section, totals) if totals else None)
    given = tuple(rows)
    for row in given:
        section.require_columns(row)
    sums: dict[str, Value | Figure | Cell] = {
        column.name: _exact_total(given, column.name)
        if column.unit == "exact_cents"
        else total(_figures(given, column.name))
        for column in section.columns
        if column.added
    }
    return Filled(section, given, _row(TOTAL, section, sums | totals) if sums or totals else None)


def _id_of(key: Sequence[Value]) -> str:
    """Return the id of a row: its key values joined with `|`, escaped so that ids are unique."""
    return "|".join("" if value is None else _in_id(str(plain(value))) for value in key)


_IN_IDS: Final = " :+@,;=()&"
"""The characters, besides letters and digits, that are not escaped in ids; none of them is a separator."""
_AS_IT_IS: Final = re.compile(rf"[A-Za-z0-9_.~{re.escape(_IN_IDS)}-]*")


def _in_id(text: str) -> str:
    return text if _AS_IT_IS.fullmatch(text) else quote(text, safe=_IN_IDS)


def _exact_total(rows: Iterable[Mapping[str, Value | Figure | Cell]], name: str) -> Cell:
    cells = [row.get(name) for row in rows]
    texts = [_value(cell) for cell in cells]
    exact = exact_text(sum(parse_exact(text) for text in texts if isinstance(text, str)))
    return exact_sum(exact, (cell for cell in cells if isinstance(cell, Explained)))


def _figures(rows: Sequence[Mapping[str, Value | Figure | Cell]], name: str) -> Iterable[Figure]:
    for row in rows:
        match row.get(name):
            case Figure() as figure:
                yield figure
            case int(value):
                yield Figure(value)
            case Cell(value=int(value)) as cell:
                yield Figure(value, cell.origin)


def _row(row_id: str, section: Section, given: Mapping[str, Value | Figure | Cell]) -> Row:
    return Row(row_id, {column.name: _value(given.get(column.name)) for column in section.columns}, given)


def _value(given: Value | Figure | Cell) -> Value:
    return given.value if isinstance(given, Explained) else given


@dataclass(frozen=True, slots=True)
class Identity:
    """An accounting identity of a report: two figures of one unit that must be equal."""

    name: str
    left: Figure
    right: Figure
    says: str
    unit: Literal["cents", "count"] = "cents"

    @property
    def holds(self) -> bool:
        """Return whether both sides are equal."""
        return self.left.value == self.right.value


@dataclass(frozen=True, slots=True)
class Mark:
    """A remark that readers need: an unconfirmed value of law, with its source and the reason.

    `columns` are the affected columns, each as `section/column`.
    """

    what: str
    source: str
    note: str
    columns: tuple[str, ...] = ()


class Header(BaseModel):
    """The header, with the same fields in every report.

    `known_at` is the report's as-of time: the report contains everything recorded up to then, and the same query with
    the same as-of time gives the same bytes. `version` starts at 1 and increases with restatements of the reported
    days. `through` is the read position of each shard of each journal. `sha256` is the hash of the content.
    """

    report: Name
    title: str
    property: Name
    property_title: str
    jurisdiction: str
    period: Period
    first_day: date
    last_day: date
    table: Name | None = None
    game: Name | None = None
    stage: ReportStatus
    version: int = Field(ge=1)
    known_at: AwareDatetime
    generated_by: str
    system_version: str
    input_open: int = Field(ge=0)
    exceptions_open: int = Field(ge=0)
    through: list[Reached]


@dataclass(frozen=True)
class Document:
    """A report with its content; `signatures` are the lines on which people sign, `sheet` is as in `Report`."""

    header: Header
    sections: tuple[Filled, ...]
    identities: tuple[Identity, ...] = ()
    marks: tuple[Mark, ...] = ()
    signatures: tuple[str, ...] = ()
    sheet: tuple[str, ...] = ()

    @cached_property
    def content(self) -> dict[str, Any]:
        """Return everything except the header, as a JSON object."""
        return {
            "sections": [_section(filled) for filled in self.sections],
            "identities": [
                {
                    "name": one.name,
                    "says": one.says,
                    "left": one.left.value,
                    "right": one.right.value,
                    "unit": one.unit,
                    "holds": one.holds,
                }
                for one in self.identities
            ],
            "marks": [
                {"what": one.what, "source": one.source, "note": one.note, "columns": list(one.columns)}
                for one in self.marks
            ],
            "signatures": list(self.signatures),
        }

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of the content as canonical JSON, in hexadecimal."""
        digest = sha256()
        for piece in self._canonical():
            digest.update(piece)
        return digest.hexdigest()

    def _canonical(self) -> Iterator[bytes]:
        """Yield the canonical JSON of the content in chunks of several rows."""
        said = replace(self, sections=()).content
        yield b'{"identities":%b,"marks":%b,"sections":[' % (canonical(said["identities"]), canonical(said["marks"]))
        for number, filled in enumerate(self.sections):
            named = canonical(_named(filled)).removesuffix(b"}")
            yield b'%b%b,"rows":[' % (b"," if number else b"", named)
            comma = b""
            for some in batched(filled.each(), _ROWS_AT_ONCE):
                yield comma + canonical([_plain_row(row) for row in some])[1:-1]
                comma = b","
            yield b'],"title":%b,"total":%b}' % (canonical(filled.section.title), canonical(_total(filled)))
        yield b'],"signatures":%b}' % canonical(said["signatures"])

    @cached_property
    def digest(self) -> str:
        """Return a digest of the content: `sha256` or, for a cut document, the SHA-256 of the remaining rows."""
        return self.sha256 if self.whole else sha256(to_json(self.content)).hexdigest()

    @property
    def whole(self) -> bool:
        """Return whether no section is cut."""
        return all(filled.cut_from is None for filled in self.sections)

    def cut(self, most: int, but: Collection[str] = ()) -> "Document":
        """Return the document with at most `most` rows in each section, except for the sections named in `but`.

        Raises: LookupError if a named section does not exist.
        """
        if unknown := set(but) - {one.section.name for one in self.sections}:
            raise LookupError(f"there is no section {', '.join(sorted(unknown))}")
        sections = (one if one.section.name in but else one.cut(most) for one in self.sections)
        return replace(self, sections=tuple(sections))

    def cell(self, reference: str) -> tuple[Column, Value, Because]:
        """Return (column, value, provenance) of a cell, given as `section/row/column`. Raises: LookupError.

        The row of totals is `total`. `identities/name/left` and `identities/name/right` are the sides of an identity.
        """
        section_name, _, rest = reference.partition("/")
        row_id, _, column_name = rest.rpartition("/")
        if section_name == "identities":
            return self._side(row_id, column_name)
        found = {filled.section.name: filled for filled in self.sections}
        if section_name not in found:
            raise LookupError(f"there is no section {section_name!r}; there are {', '.join(found)}")
        filled = found[section_name]
        rows = {row.id: row for row in (*filled.rows, *([] if filled.total is None else [filled.total]))}
        row_id = TOTAL if row_id == TOTAL.removeprefix("/") and row_id not in rows else row_id
        if row_id not in rows:
            raise LookupError(f"{section_name} has no row {row_id!r}; it has {', '.join(rows) or 'none'}")
        columns = {column.name: column for column in filled.section.columns}
        if column_name not in columns:
            raise LookupError(f"{section_name} has no column {column_name!r}; it has {', '.join(columns)}")
        row = rows[row_id]
        return columns[column_name], row.cells[column_name], row.explained(column_name).because

    def references(self) -> Iterator[str]:
        """Yield the references (see `cell`) of all cells that have a value, and of both sides of each identity."""
        for filled in self.sections:
            for row in (*filled.each(), *([] if filled.total is None else [filled.total])):
                row_id = TOTAL.removeprefix("/") if row is filled.total else row.id
                yield from (
                    f"{filled.section.name}/{row_id}/{name}" for name, value in row.cells.items() if value is not None
                )
        for one in self.identities:
            yield from (f"identities/{one.name}/{side}" for side in ("left", "right"))

    def _side(self, name: str, side: str) -> tuple[Column, Value, Because]:
        found = {one.name: one for one in self.identities}
        if name not in found or side not in ("left", "right"):
            raise LookupError(f"there is no {name}/{side}; identities are {', '.join(found)}, each left and right")
        identity = found[name]
        figure = identity.left if side == "left" else identity.right
        return Column(name=side, title=name, unit=identity.unit, formula=identity.says), figure.value, figure.because


def _section(filled: Filled) -> dict[str, Any]:
    rows = [_plain_row(row) for row in filled.each()]
    return _named(filled) | {"title": filled.section.title, "rows": rows, "total": _total(filled)}


def _named(filled: Filled) -> dict[str, Any]:
    """Return the members of a section's JSON object that come before `rows` in canonical (alphabetical) order."""
    cut = {} if filled.cut_from is None else {"cut_from": filled.cut_from}
    return cut | {"name": filled.section.name}


def _plain_row(row: Row) -> dict[str, Any]:
    return {"id": row.id, **{name: plain(value) for name, value in row.cells.items()}}


def _total(filled: Filled) -> dict[str, Any] | None:
    return None if filled.total is None else {name: plain(value) for name, value in filled.total.cells.items()}


def batched(rows: Iterable[ThingT], most: int) -> Iterator[list[ThingT]]:
    """Yield the rows in consecutive lists of at most `most` rows."""
    left = iter(rows)
    while some := list(islice(left, most)):
        yield some


def plain(value: Value) -> int | str | None:
    """Return a value as JSON represents it: dates and times become ISO 8601 texts."""
    return value.isoformat() if isinstance(value, date) else value  # datetime is a subclass of date
