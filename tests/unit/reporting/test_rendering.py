"""Reports as JSON, CSV and Parquet, and what holds for all formats."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from pyarrow import parquet

from services.reporting.framework.document import Document, Filled, Made, fill
from services.reporting.framework.figures import Figure
from services.reporting.rendering import FORMATS, FormatName, render, write
from services.reporting.rendering.wording import in_utc, text_of, whole
from shared.contracts.envelope import canonical
from shared.contracts.exact import parse_exact
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.spreadsheet_text import guarded
from shared.runtime.cancellation import Cancelled
from tests.support.nightly import examples, most_at_night
from tests.unit.reporting.rendering_documents import AWKWARD, KNOWN_AT, SLIPS, any_documents, report


def _csv(document: Document, section: str | None = None) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(document, "csv", section=section).decode(), newline="")))


def _parquet(document: Document, section: str | None = None) -> Any:
    return parquet.read_table(io.BytesIO(render(document, "parquet", section=section)))


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_document_has_the_same_bytes(name: FormatName) -> None:
    """Nothing of when or where a report is rendered enters it."""
    assert render(report(), name) == render(report(), name)


@pytest.mark.parametrize("name", FORMATS)
def test_another_figure_makes_other_bytes(name: FormatName) -> None:
    """Each format carries the figures of its rows."""
    assert render(report(rows=3), name) != render(report(rows=4), name)


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_a_section_that_does_not_exist_is_named(name: FormatName) -> None:
    """Who asks for another section learns which there are."""
    with pytest.raises(LookupError, match="no section 'pits'; there are tables, slips"):
        render(report(), name, section="pits")


def test_libraries_are_loaded_when_their_format_is_asked_for() -> None:
    """Whoever imports rendering does not wait for the libraries of the formats."""
    heavy = {"pyarrow", "typst", "xlsxwriter", "obstore"}
    code = f"import sys, services.reporting.rendering, services.reporting.delivery; print({heavy} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "set()\n" == loaded


def test_json_has_the_content_that_was_hashed() -> None:
    """An outsider computes the hash again from the file alone; columns and the link stand beside the content."""
    document = report()
    read = json.loads(render(document, "json", explain="/reports/x/{section}/{row}/{column}"))
    assert (document.sha256, sha256(canonical(read["content"])).hexdigest()) == (read["sha256"], read["sha256"])
    assert "/reports/x/{section}/{row}/{column}" == read["explain"]
    assert {
        "name": "drop_cents",
        "title": "Drop",
        "unit": "cents",
        "formula": "what the box held",
        "source": "§ 1",
    } == read["columns"]["tables"][2]
    assert ("riverside", "preliminary", "2026-11-21T06:00:00.250000Z") == (
        read["property"],
        read["stage"],
        read["known_at"],
    )
    assert "explain" not in json.loads(render(document, "json"))


def test_what_is_cut_has_the_first_rows_the_totals_of_all_and_no_hash() -> None:
    """Sections that are not longer, or that are wanted whole, stand as they are."""
    every, cut, kept = (
        json.loads(render(one, "json")) for one in (report(), report().cut(2), report().cut(2, ["tables"]))
    )
    [tables, slips] = every["content"]["sections"]
    first = {**tables, "rows": tables["rows"][:2], "cut_from": 3}
    assert {**every, "sha256": None, "content": {**every["content"], "sections": [first, slips]}} == cut
    assert every == kept == json.loads(render(report().cut(3), "json"))
    with pytest.raises(LookupError, match="no section pits"):
        report().cut(2, ["pits"])


def test_two_rows_with_one_key_are_both_there() -> None:
    """No report fails for what was recorded: each has an id of its own, and so have its cells."""
    slips = fill(SLIPS, [{"slip": "F-1", "amount_cents": Figure(cents)} for cents in (5, 6)])
    document = Document(report().header, (slips,))
    [section] = json.loads(render(document, "json"))["content"]["sections"]
    assert [("F-1", 5), ("F-1|2", 6)] == [(row["id"], row["amount_cents"]) for row in section["rows"]]
    assert [5, 6] == [document.cell(f"slips/{row}/amount_cents")[1] for row in ("F-1", "F-1|2")]


@given(any_documents())
def test_the_hash_is_that_of_the_whole_content(document: Document) -> None:
    """It is taken piece by piece, and comes to the same."""
    assert sha256(canonical(document.content)).hexdigest() == document.sha256


def _rounds(number: int, make: Callable[[int], Any]) -> Document:
    return Document(report().header, (fill(SLIPS, Made(range(number), make), amount_cents=Figure(0)),))


@pytest.mark.parametrize("name", [one.name for one in FORMATS.values() if one.rows_max is not None])
def test_more_rows_than_a_format_takes_are_refused_before_any_is_made(name: FormatName) -> None:
    """Who asks learns how many there are, how many it takes, and which formats take any number."""
    most = FORMATS[name].rows_max
    assert most is not None

    def make(number: int) -> Any:
        raise AssertionError(f"row {number} was made")

    with pytest.raises(Rejected, match=f"has {most + 1} rows; {name} takes {most}, csv and parquet any") as caught:
        render(_rounds(most + 1, make), name)
    assert Reason.DOCUMENT_TOO_LARGE is caught.value.reason


_GROWS_MB: Final = {"csv": 80, "parquet": 160, "xlsx": 80}
"""Most memory that writing takes; 200,000 rows kept together took 420 MB."""


@pytest.mark.parametrize(
    ("name", "rows"),
    most_at_night([("csv", 200_000), ("parquet", 100_000), ("xlsx", 40_000)], but=[("parquet", 100_000)]),
)
def test_many_rows_take_no_more_memory_than_few(name: FormatName, rows: int, tmp_path: Path) -> None:
    """They are made, hashed and written one after the other, and none is kept."""
    command = [sys.executable, "-m", "tests.unit.reporting.many_rows", name, str(rows), str(tmp_path / name)]
    root = Path(__file__).parents[3]
    grown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout
    assert int(grown) < _GROWS_MB[name] << 20


def test_writing_ends_when_nobody_wants_it() -> None:
    """Between two rows, in every format that is written row by row."""

    def unwanted() -> None:
        raise Cancelled

    for name in FORMATS:
        if name != "json":
            with pytest.raises(Cancelled):
                write(report(rows=1_000), name, io.BytesIO(), go_on=unwanted)


def test_csv_has_amounts_in_cents_and_in_dollars() -> None:
    """Lines end as RFC 4180 says; a share of a cent is never rounded; totals are left out."""
    text = render(report(rows=2), "csv", section="tables").decode()
    first, *_ = text.split("\r\n")
    assert (
        "table,day,drop_cents,drop_dollars,win_cents,win_dollars,hold_percent,rounds,"
        "meter_exact_cents,meter_dollars,counted_at,remark"
    ) == first
    one, two = _csv(report(rows=2), "tables")
    assert ("1234501", "12345.01", "49998", "499.98") == tuple(one[n] for n in list(one)[2:6])
    assert ("-3", "-0.03", "-3.07") == (two["win_cents"], two["win_dollars"], two["hold_percent"])
    assert ("2.000000001", "0.02000000001") == (two["meter_exact_cents"], two["meter_dollars"])
    assert ("2026-11-20", "2026-11-21T05:02:02+00:00") == (two["day"], two["counted_at"])


def test_csv_of_several_sections_names_the_section_of_each_line() -> None:
    """The columns are those of all sections, empty where a section lacks one."""
    rows = _csv(report(rows=1))
    assert [("tables", "BJ-001", ""), ("slips", "", "F-1"), ("slips", "", "C-1")] == [
        (row["section"], row["table"], row["slip"]) for row in rows
    ]
    assert ["", "500.00", "-0.05"] == [row["amount_dollars"] for row in rows]


def test_csv_keeps_awkward_texts_and_lets_no_spreadsheet_compute_them() -> None:
    """Commas, quotes and line breaks come back; a formula comes back behind an apostrophe."""
    first, second, third = _csv(report(), "tables")
    assert (AWKWARD, "'=1+1", "") == (first["remark"], second["remark"], third["remark"])


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "＝1", "'=1"])
def test_guarded_texts_are_told_apart(text: str) -> None:
    """What a spreadsheet would compute, or what looks guarded already, gets one apostrophe; nothing else does."""
    assert f"'{text}" == guarded(text)
    assert "5 = 5" == guarded("5 = 5")


def test_parquet_has_typed_columns_and_says_what_it_is() -> None:
    """Figures are whole cents or exact decimals; metadata carries the header, the hash and the formulas."""
    document = report(rows=2)
    table = _parquet(document)
    assert {
        "table": "string",
        "day": "date32[day]",
        "drop_cents": "int64",
        "win_cents": "int64",
        "hold_percent": "decimal128(38, 2)",
        "rounds": "int64",
        "meter_exact_cents": "decimal128(38, 9)",
        "counted_at": "timestamp[us, tz=UTC]",
        "remark": "string",
    } == {field.name: str(field.type) for field in table.schema}
    assert {
        "table": "BJ-002",
        "day": date(2026, 11, 20),
        "drop_cents": 2469002,
        "win_cents": -3,
        "hold_percent": Decimal("-3.07"),
        "rounds": 1002,
        "meter_exact_cents": Decimal("2.000000001"),
        "counted_at": datetime(2026, 11, 21, 5, 2, 2, tzinfo=UTC),
        "remark": "=1+1",
    } == table.to_pylist()[1]
    said = table.schema.metadata
    assert document.sha256 == said[b"sha256"].decode()
    assert ("riverside", 3703503) == (
        json.loads(said[b"header"])["property"],
        json.loads(said[b"total"])["drop_cents"],
    )
    assert b"what the box held" == table.schema.field("drop_cents").metadata[b"formula"]
    assert ["F-1", "C-1"] == _parquet(document, "slips")["slip"].to_pylist()


@settings(max_examples=examples(60))
@given(any_documents())
def test_json_csv_and_parquet_carry_the_same_figures(document: Document) -> None:
    """Whatever a report is about, every value is read back from each of them as it was."""
    read = json.loads(render(document, "json"))
    for filled, as_json in zip(document.sections, read["content"]["sections"], strict=True):
        from_csv = _csv(document, filled.section.name)
        from_parquet = _parquet(document, filled.section.name).to_pylist()
        assert len(filled.rows) == len(as_json["rows"]) == len(from_csv) == len(from_parquet)
        for at, row in enumerate(filled.rows):
            for column in filled.section.columns:
                value, name = row.cells[column.name], column.name
                one, other, third = as_json["rows"][at][name], from_csv[at][name], from_parquet[at][name]
                if value is None:
                    assert (None, "", None) == (one, other, third)
                    continue
                match column.unit:
                    case "text":
                        assert (value, guarded(str(value)), value) == (one, other, third)
                    case "day" | "moment":
                        assert isinstance(value, date)
                        assert (value.isoformat(), value.isoformat(), value) == (one, other, third)
                    case "exact_cents":
                        assert (value, value, parse_exact(str(value))) == (one, other, parse_exact(f"{third:f}"))
                    case _:
                        assert (value, str(value), str(value)) == (one, other, str(third))
                if column.unit in {"cents", "exact_cents"}:
                    dollars = from_csv[at][f"{name}_dollars"]
                    assert parse_exact(str(value)) == parse_exact_dollars(dollars)


def parse_exact_dollars(text: str) -> int:
    """Return the nanocents of a decimal of dollars."""
    before, _, after = text.lstrip("-").partition(".")
    parts = int(before + after.ljust(11, "0"))
    return -parts if text.startswith("-") else parts


def test_a_moment_without_an_offset_is_refused() -> None:
    """Nobody guesses the time zone of a moment."""
    assert KNOWN_AT == in_utc(KNOWN_AT)
    with pytest.raises(ValueError, match="does not say its offset"):
        in_utc(datetime(2026, 11, 21, 6))  # noqa: DTZ001


def test_a_value_of_another_unit_is_refused() -> None:
    """A text in a column of cents is an error, not a figure."""
    with pytest.raises(TypeError, match=r"a column of cents does not hold '12\.50'"):
        whole("12.50", "cents")
    with pytest.raises(TypeError, match="a column of day does not hold 20261120"):
        text_of(20261120, "day")


def test_total_rows_are_not_lines_of_data() -> None:
    """Who adds up a file does not count anything twice."""
    filled: Filled = report().sections[0]
    assert filled.total is not None
    assert filled.total.cells["drop_cents"] == sum(int(row["drop_cents"]) for row in _csv(report(), "tables"))
