"""Reports as pages, read back as text."""

import io
import re
from collections import Counter
from datetime import UTC

import pytest
from hypothesis import given, settings
from pypdf import PdfReader

from services.reporting.framework.document import Column, Document, Section, fill
from services.reporting.rendering import render
from services.reporting.rendering.wording import text_of
from shared.contracts.rejection import Reason, Rejected
from shared.runtime import typesetting
from shared.runtime.typesetting import PagesError
from tests.unit.reporting.rendering_documents import KNOWN_AT, any_documents, header, report

AMOUNT = re.compile(r"\(?[0-9][0-9,]*\.[0-9]{2}(?![0-9])\)?")


def _read(document: Document) -> PdfReader:
    return PdfReader(io.BytesIO(render(document, "pdf")))


def _pages(document: Document) -> list[str]:
    return [page.extract_text() for page in _read(document).pages]


def _plain(text: str) -> str:
    return " ".join(text.split())


def test_every_page_says_what_it_belongs_to() -> None:
    """Page n of m, the hash and the moment below; title, property, period and stage above, from the second page on."""
    document = report(rows=100)
    texts = [_plain(text) for text in _pages(document)]
    assert 4 == len(texts)
    for number, text in enumerate(texts, start=1):
        assert f"Page {number} of 4" in text
        assert f"As known at 2026-11-21 06:00:00 UTC SHA-256 {document.sha256}" in text
        assert "PRELIMINARY" in text
        if number > 1:
            assert "Master Game Report Riverside & Sons, 2026-11-20 Preliminary" in text


def test_every_row_is_there_below_the_head_of_its_page() -> None:
    """A table that goes over several pages has its head on each of them, and its total once."""
    texts = [_plain(text) for text in _pages(report(rows=100))]
    whole = " ".join(texts)
    assert [f"BJ-{at:03}" for at in range(1, 101)] == re.findall(r"BJ-\d{3}", whole)
    assert 3 == sum("Win or loss†" in text and "Counted at" in text for text in texts)
    assert 1 == whole.count("Total 62,342,300.50")


def test_the_first_page_says_what_the_report_says_of_itself() -> None:
    """Amounts in groups of thousands, negative ones in parentheses; texts as they are, never as markup."""
    first, *_ = (_plain(text) for text in _pages(report()))
    for said in (
        "Riverside & Sons (riverside)",
        "us-pa",
        "audit.kim",
        "Open gaps and refusals 3",
        "Of these, in reporting 4",
        "12,345.01 499.98 12.50% 1,001 0.01000000001",
        "(0.03) (3.07%)",
        "=SUM(A1) #strong[x] $y$ \\ <b>",
        "This report does not balance: rounds.",
    ):
        assert said in first


def test_the_end_has_verdicts_unconfirmed_values_formulas_and_signatures() -> None:
    """What must be equal holds or FAILS; each line to sign on has name, title and date."""
    whole = _plain(" ".join(_pages(report())))
    for said in (
        "slips The slips are what the cage gave. 499.95 499.95 holds",
        "rounds Each round is counted once. 7 8 FAILS",
        "rate of tax Counsel has not confirmed it. § 2, unofficial copy",
        "Drop what the box held § 1",
        "Read through: round-settlement 1: 4,711 (2 missing)",
    ):
        assert said in whole
    for label in ("Signature", "Name", "Title", "Date"):
        assert 2 <= whole.count(label)
    assert whole.index("Prepared by") < whole.index("Controller")


def test_a_sealed_report_says_its_version_and_has_no_warning() -> None:
    """Restated is written with its version; nothing says that figures may change."""
    document = Document(header(stage="restated", version=2), report().sections)
    whole = _plain(" ".join(_pages(document)))
    assert "RESTATED, VERSION 2" in whole
    assert 1 == whole.count("RESTATED")
    assert "does not balance" not in whole


def test_pages_are_dated_by_the_report() -> None:
    """The file says that it was made at the moment of the question, on every machine."""
    said = _read(report()).metadata
    assert said is not None
    assert said.creation_date is not None
    whole_second = KNOWN_AT.replace(microsecond=0)
    assert ("Master Game Report", whole_second) == (said.title, said.creation_date.astimezone(UTC))


def test_columns_that_do_not_fit_stand_below_with_the_key_of_their_rows() -> None:
    """Nobody has to read print of two points: a wide section continues, and every amount is there once."""
    columns = [Column(name=f"c{at}_cents", title=f"Amount {at}", unit="cents") for at in range(40)]
    section = Section(
        name="wide", title="Wide", key=("table",), columns=(Column(name="table", title="Table"), *columns)
    )
    rows = [{"table": "BJ-007"} | {column.name: 10**9 + at for at, column in enumerate(columns)}]
    whole = _plain(" ".join(_pages(Document(header(), (fill(section, rows),)))))
    assert 3 == whole.count("BJ-007")
    assert [text_of(10**9 + at, "cents") for at in range(40)] == AMOUNT.findall(whole)


@settings(max_examples=6)
@given(any_documents(units=("cents", "text")))
def test_pages_carry_every_amount(document: Document) -> None:
    """Whatever a report is about, each of its amounts stands on its pages."""
    expected = Counter(
        text_of(row.cells[column.name], column.unit)
        for filled in document.sections
        for row in (*filled.rows, *([] if filled.total is None else [filled.total]))
        for column in filled.section.columns
        if column.unit == "cents" and row.cells[column.name] is not None
    )
    # Beside a letter that is written from the right, what reads the pages takes the parenthesis for a word of its own.
    actual = Counter(AMOUNT.findall(_plain(" ".join(_pages(document))).replace("( ", "(")))
    assert expected <= actual


def test_a_failing_typesetter_is_no_empty_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says is in the error, with the name of the report."""
    monkeypatch.setattr(typesetting, "_TYPESETTER", typesetting._TYPESETTER.with_name("none.py"))
    with pytest.raises(PagesError, match=r"master-game: .*none\.py"):
        render(report(), "pdf")


@pytest.mark.parametrize(
    ("limit", "value", "said"), [("_BYTES_MAX", 60 << 20, "60 (MB|seconds)"), ("_SECONDS_MAX", 0, "0 seconds")]
)
def test_pages_that_take_too_much_are_a_problem_for_who_asks(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, said: str
) -> None:
    """The typesetter is ended, and the next document is set as ever. One without memory may not get to say so."""
    with monkeypatch.context() as patch:
        patch.setattr(typesetting, limit, value)
        with pytest.raises(Rejected, match=f"take more than {said}") as caught:
            render(report(rows=1_000), "pdf")
    assert Reason.DOCUMENT_TOO_LARGE is caught.value.reason
    assert render(report(), "pdf").startswith(b"%PDF")
