"""Signs and guides as HTML and as pages, read back."""

import io
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader

from services.paytable_registry.rendering import FormName, render
from shared.rules.signs import Row, Section, Sheet, Stated, Table, guide, sign
from tests.support.nightly import sampled
from tests.unit.rules.signs.submissions import ALL, submission_of

REGULATIONS = pytest.mark.parametrize("regulation", ALL)


def plain(text: str) -> str:
    """A text without the blanks and breaks that a page puts into it."""
    return "".join(text.split())


def lines_of(sheet: Sheet) -> list[str]:
    """Each line of a sheet as it stands: a row with its cells and paragraph, a sentence with its paragraph."""
    rows = [row for section in sheet.sections for table in section.tables for row in table.rows]
    said = [f"{one.text}{one.paragraph}" for section in sheet.sections for one in section.stated]
    return [*said, *("".join((*row.cells, row.paragraph)) for row in rows)]


def awkward() -> Sheet:
    """A sheet whose texts look like markup."""
    table = Table("#strong[<b>&amp;", ("Result", "Pays"), (Row("x", ("<script>", "$1 & *2*"), "§ 1(a)"),))
    section = Section("<A> & #B", "x", (Stated("#text(red)[no] </li>", "§ 1(b)"),), (table,))
    return Sheet("sign", "Payout odds", 'One "<game>"', "x", (("Property", "<p>"),), (section,), "Not <approved>")


@REGULATIONS
def test_html_is_well_formed_and_tells_every_line(regulation: str) -> None:
    """One file without scripts or links; tables have captions, and their heads say what they are of."""
    for sheet in (sign(regulation, submission_of(regulation)), guide(regulation, submission_of(regulation))):
        page = render(sheet, "html").decode()
        root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))
        assert "en-US" == root.get("lang")
        assert not [one for one in root.iter() if one.tag in ("script", "link", "img") or one.get("href")]
        tables = list(root.iter("table"))
        assert len(tables) == sum(len(section.tables) for section in sheet.sections)
        assert all(table.findtext("caption") for table in tables)
        assert all(head.get("scope") in ("col", "row") for head in root.iter("th"))
        body = root.find("body")
        assert body is not None
        text = plain("".join(body.itertext()))
        assert [] == [line for line in lines_of(sheet) if plain(line) not in text]


@sampled(2)
@REGULATIONS
def test_pages_tell_every_row(regulation: str) -> None:
    """Each says which page of how many it is; the same sheet has the same bytes."""
    sheet = sign(regulation, submission_of(regulation))
    content = render(sheet, "pdf")
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]
    for number, text in enumerate(pages, 1):
        assert f"Page {number} of {len(pages)}" in text
    whole = plain("".join(pages))
    for section in sheet.sections:
        for row in (row for table in section.tables for row in table.rows):
            assert [] == [cell for cell in (*row.cells, row.paragraph) if plain(cell) not in whole]
    assert content == render(sheet, "pdf")


@pytest.mark.parametrize("form", ["html", "pdf"])
def test_texts_are_never_markup(form: FormName) -> None:
    """Whatever a text looks like, it stands there as it is, the warning too."""
    content = render(awkward(), form)
    if form == "pdf":
        text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    else:
        text = "".join(ElementTree.fromstring(content.decode().removeprefix("<!DOCTYPE html>")).itertext())
    for said in ("<script>", "$1 & *2*", "#text(red)[no] </li>", "<A> & #B", "Not <approved>", "#strong[<b>&amp;"):
        assert plain(said) in plain(text)
