"""Files of information returns: by the portal's template, and read back."""

import csv
from collections.abc import Mapping, Sequence
from decimal import Decimal
from io import StringIO

import pytest

from services.cli.filing.return_files import TemplateWrong, file_of, header_of, require_columns
from services.wagering_accounts.domain.filed_reports import FileWrong
from services.wagering_accounts.domain.filed_returns import read_returns, read_rows
from tests.support.returns_filed import FORM_1042_S, W_2G, row


def read(content: str) -> list[dict[str, str]]:
    """Return the rows of a file as a spreadsheet shows them: nothing here is shared with what wrote them."""
    return list(csv.DictReader(StringIO(content, newline="")))


def cents(rows: Sequence[Mapping[str, str]], column: str) -> int:
    """Return the sum of a column of dollars and cents."""
    return int(sum(Decimal(one[column]) for one in rows) * 100)


def test_the_header_of_a_template_says_where_each_column_is() -> None:
    """In whatever order, with a byte order mark, and words that differ a little behind a box."""
    header = [one.name for one in W_2G.columns][::-1]
    header[header.index("Box 1 - Reportable winnings")] = "Box 1 - Reportable gambling winnings"
    template = ("\ufeff" + file_of(W_2G, [], header)).encode()
    found = header_of(template)
    assert header == found
    require_columns(W_2G, found, [row()], ())
    content = file_of(W_2G, [row()], found)
    [said] = read(content)
    assert ("2500.00", "Oakhurst-Vane") == (
        said["Box 1 - Reportable gambling winnings"],
        said["Recipient Last Name (Surname)"],
    )
    assert header == content.splitlines()[0].split(",")
    [back] = read_returns(content, W_2G)
    assert (250_000, 60_000, "0000000001", "2026") == (
        *(back.winnings_cents, back.withheld_cents, back.account_number, back.period),
    )


def test_columns_in_a_wrong_order_are_found() -> None:
    """Planted: what was won stands where the tax withheld should, or a text where an amount should."""
    content = file_of(W_2G, [row()])
    names = [one.name for one in W_2G.columns]
    won, tax = names.index("Box 1 - Reportable winnings"), names.index("Box 4 - Federal income tax withheld")
    [said] = list(csv.reader(StringIO(content, newline="")))[1:]
    said[won], said[tax] = said[tax], said[won]
    planted = StringIO(newline="")
    csv.writer(planted).writerows([names, said])
    assert 250_000 != cents(read(planted.getvalue()), "Box 1 - Reportable winnings")
    [back] = read_returns(planted.getvalue(), W_2G)
    assert (60_000, 250_000) == (back.winnings_cents, back.withheld_cents)
    said[won] = "exact"
    planted = StringIO(newline="")
    csv.writer(planted).writerows([names, said])
    with pytest.raises(FileWrong, match="row 1 of the file has no amount of winnings"):
        read_returns(planted.getvalue(), W_2G)


@pytest.mark.parametrize(
    ("changed", "empty", "why"),
    [
        ({"Payer Suffix": None}, (), None),
        ({"Corrected": None}, (), None),
        ({"Box 1 - Reportable winnings": None}, (), "Box 1 - Reportable winnings: the template does not have it"),
        ({"Office Code": "Branch"}, (), "Branch: the layout does not know it"),
        ({"Office Code": "Branch"}, ("Branch",), None),
        ({}, ("Branch",), "Branch: the template does not have it, so it cannot stay empty"),
        ({"Office Code": "Tax Year"}, (), "a column is in the template twice"),
    ],
)
def test_a_template_of_other_columns_is_refused(
    changed: dict[str, str | None], empty: Sequence[str], why: str | None
) -> None:
    """Each is named, unless it is empty in all returns, or said to stay so."""
    header = [changed.get(one.name, one.name) for one in W_2G.columns]
    said = [one for one in header if one is not None]
    if why is None:
        require_columns(W_2G, said, [row()], empty)
        return
    with pytest.raises(TemplateWrong, match=why):
        require_columns(W_2G, said, [row()], empty)


@pytest.mark.parametrize("template", [b"", b"\xff\xfe", b'a,"b'])
def test_what_is_no_template_is_refused(template: bytes) -> None:
    """Nothing with a header."""
    with pytest.raises(TemplateWrong, match="no CSV with a header"):
        header_of(template)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "no CSV with a header"),
        ('a,"b', "no CSV with a header"),
        (file_of(W_2G, []), "the file has 0 returns"),
        (file_of(W_2G, [row()] * 101), "the file has 101 returns: it may have 100"),
        (file_of(W_2G, [row()]) + "W-2G,2026\r\n", "row 2 of the file has 2 columns"),
        (file_of(W_2G, [row(winnings_cents=-1)]), "row 1 of the file has no amount of winnings"),
        (file_of(W_2G, [{**row(), "Form Account Number": "17"}]), "row 1 of the file has no account number"),
        (file_of(W_2G, [{**row(), "Tax Year": "26"}]), "row 1 of the file has no tax year"),
        (file_of(FORM_1042_S, [{**row(form="1042-S"), "Box 10 - Total withholding credit": "1.00"}]), "differ"),
    ],
)
def test_a_file_that_is_not_of_its_form_is_refused(content: str, why: str) -> None:
    """By whoever records it, without its content."""
    layout = FORM_1042_S if "1042-S" in content else W_2G
    with pytest.raises(FileWrong, match=why):
        read_returns(content, layout)


def test_rows_are_read_by_the_names_of_the_layout() -> None:
    """Of the columns that the file has."""
    header = ["Box 1: winnings", "Form account number"]
    [said] = read_rows(file_of(W_2G, [row()], header), W_2G)
    assert {"Box 1 - Reportable winnings": "2500.00", "Form Account Number": "0000000001"} == said
