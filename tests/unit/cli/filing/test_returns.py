"""Information returns for the IRS: every cent of the log is in the files, by the columns of the template, once."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.cli.filing.return_files import file_of, in_files
from services.cli.filing.return_rows import InformationReturn, corrections, row_of, unwritten, wrong_cells
from services.reporting.domain.federal.winnings import candidates
from services.reporting.reports.winnings.forms import FormEntry, forms
from services.reporting.reports.winnings.returns import LoggedForm, returns_of
from services.wagering_accounts.domain.filed_returns import read_returns
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.jurisdictions import pack
from tests.support.accounts import IDENTITY
from tests.support.filings import FILER
from tests.support.returns_filed import FORM_1042_S, PERSON, W_2G, layout_of, returned, row
from tests.unit.cli.filing.test_return_corrections import FOREIGNER
from tests.unit.cli.filing.test_return_files import cents, read
from tests.unit.reporting.test_winnings import line

LAW = pack("us-federal")
ENTITY = PatronIdentity.model_validate(
    {name: IDENTITY[name] for name in ("street", "city", "state_code", "postal_code", "country", "document")}
    | {"kind": "entity", "legal_name": "Oakhurst & Vane LLC", "taxpayer_number": "231112223"}
    | {"taxpayer_number_kind": "ein"}
)
YEARS = st.integers(2025, 2040)


lines = st.builds(
    lambda stake, odds, seat, days, minutes, patron, alien: (stake, odds, seat, days, minutes, patron, alien),
    st.integers(1, 50),
    st.integers(0, 3000),
    st.integers(1, 7),
    st.integers(0, 364),
    st.integers(0, 10**6),
    st.sampled_from(["p-1", "p-2", "p-3"]),
    st.booleans(),
)


def log_of(year: int, drawn: Sequence[tuple[Any, ...]], *, by_day: bool) -> list[LoggedForm]:
    """Return the log of a year in which these wagers were settled."""
    settled = [
        line(
            *(stake, odds),
            round_id=f"r-{number}",
            seat=seat,
            paid_on=date(year, 1, 1) + timedelta(days=days),
            gaming_day=date(year, 1, 1) + timedelta(days=days),
            minutes=minutes,
            patron=f"{patron}{'-alien' * alien}",
            nonresident_alien=alien,
        )
        for number, (stake, odds, seat, days, minutes, patron, alien) in enumerate(drawn)
    ]
    # A resident has one form and a nonresident another; of whom nothing is known there are none here.
    found = [one for one in candidates(LAW, settled) if one.lines[0].nonresident_alien == (one.form == "form_1042_s")]
    entries = [
        entry
        for form in LAW.returns
        for entry in forms(
            [one for one in found if one.form == form], aggregated_on=(lambda _: True) if by_day else None
        )
    ]
    return [_logged(entry) for entry in entries]


def _logged(entry: FormEntry) -> LoggedForm:
    first = entry.candidates[0].lines[0]
    known_by = str(entry.gaming_day) if entry.is_of_day else f"{first.round_id} {first.seat}"
    return LoggedForm(entry, {}, known_by, first.wager, first.paid_on)


def files_of(form: str, logged: Sequence[LoggedForm]) -> list[str]:
    """Return the files of a form's returns."""
    layout = layout_of(form)
    rows = [
        row_of(
            layout,
            returned(
                form={"w_2g": "W-2G", "form_1042_s": "1042-S"}[form],
                tax_year=one.entry.year,
                account_number=one.account_number,
                winnings_cents=sum(each.entry.amount_cents for each in one.forms),
                withheld_cents=sum(each.entry.regular_cents for each in one.forms),
                won_on=one.forms[0].won_on,
                identity=FOREIGNER if form == "form_1042_s" else PERSON,
            ).fields(FILER),
        )
        for one in returns_of(LAW, logged)
        if one.entry.form == form
    ]
    return [file_of(layout, file) for file in in_files([[one] for one in rows], layout.returns_max)]


@given(YEARS, st.lists(lines, max_size=40), st.booleans())
def test_the_files_of_a_year_add_up_to_its_log(year: int, drawn: Sequence[tuple[Any, ...]], by_day: bool) -> None:
    """Winnings and tax withheld, to the cent, whoever adds up the columns; each return once."""
    logged = log_of(year, drawn, by_day=by_day)
    boxes = {
        "w_2g": ("Box 1 - Reportable winnings", "Box 4 - Federal income tax withheld"),
        "form_1042_s": ("Box 2 - Gross income", "Box 7a - Federal tax withheld"),
    }
    for form, (winnings, withheld) in boxes.items():
        of_form = [one.entry for one in logged if one.entry.form == form]
        rows = [one for file in files_of(form, logged) for one in read(file)]
        assert sum(one.amount_cents for one in of_form) == cents(rows, winnings)
        assert sum(one.regular_cents for one in of_form) == cents(rows, withheld)
        numbers = [one["Form Account Number"] for one in rows]
        assert len(numbers) == len(set(numbers))
        assert {str(year)} >= {one["Tax Year"] for one in rows}
    aliens = {one.entry.patron for one in logged if one.entry.form == "form_1042_s"}
    assert len(aliens) == len([one for file in files_of("form_1042_s", logged) for one in read(file)])


@given(YEARS, st.lists(lines, max_size=30), st.randoms())
def test_a_return_has_its_account_number_whatever_else_is_in_the_log(
    year: int, drawn: Sequence[tuple[Any, ...]], random: Any
) -> None:
    """It follows from what the return is known by: a correction finds it again."""
    logged = log_of(year, drawn, by_day=False)
    numbers = {one.forms[0].known_by: one.account_number for one in returns_of(LAW, logged) if len(one.forms) == 1}
    some = [one for one in logged if random.random() < 0.5 or one.entry.form == "form_1042_s"]
    for one in returns_of(LAW, some):
        if len(one.forms) == 1:
            assert numbers[one.forms[0].known_by] == one.account_number


def test_250_returns_are_three_files() -> None:
    """Of a hundred each, as the portal takes them; returns that belong together are in one."""
    rows = [row(account_number=f"{number:010}") for number in range(250)]
    files = [*in_files([[one] for one in rows], W_2G.returns_max)]
    assert [100, 100, 50] == [len(read(file_of(W_2G, one))) for one in files]
    pairs = [[rows[0], rows[1]]] * 60
    assert [100, 20] == [len(one) for one in in_files(pairs, W_2G.returns_max)]
    odd = [[rows[0]], *pairs]
    assert [99, 22] == [len(one) for one in in_files(odd, W_2G.returns_max)]


def test_a_return_is_written_as_the_portal_reads_it() -> None:
    """Dollars and cents, dates of the country, its words for kinds of names and numbers; the same bytes each time."""
    content = file_of(W_2G, [row()])
    [said] = read(content)
    expected = {
        "Form Type": "W-2G",
        "Tax Year": "2026",
        "Payer Taxpayer ID Number": "231234567",
        "Payer Name Type": "B",
        "Recipient TIN Type": "ITIN",
        "Recipient Taxpayer ID Number": "900551234",
        "Recipient Name Type": "I",
        "Recipient Last Name (Surname)": "Oakhurst-Vane",
        "Recipient Country": "US",
        "Box 1 - Reportable winnings": "2500.00",
        "Box 2 - Date won": "11/20/2026",
        "Box 4 - Federal income tax withheld": "600.00",
        "Box 11 - First identification": "98765432",
        "Box 12 - Second identification": "passport",
        "Corrected": "",
    }
    assert expected == {name: said[name] for name in expected}
    assert content == file_of(W_2G, [row()])
    assert content.startswith("Form Type,Tax Year,Payer TIN Type,")
    [entity] = read(file_of(W_2G, [row(identity=ENTITY)]))
    assert ("B", "Oakhurst & Vane LLC", "", "EIN") == tuple(
        entity[f"Recipient {name}"]
        for name in ("Name Type", "Business or Entity Name Line 1", "Last Name (Surname)", "TIN Type")
    )


def test_a_foreign_winners_return_has_the_agencys_codes() -> None:
    """Income code 28 at 30 %; the country by the agency's code, which is another country's in ISO 3166."""
    [said] = read(file_of(FORM_1042_S, [row(form="1042-S", identity=FOREIGNER, residence="DE")]))
    expected = {
        "Box 1 - Income code": "28",
        "Box 3a - Exemption code": "00",
        "Box 3b - Tax rate": "30.00",
        "Box 10 - Total withholding credit": "600.00",
        "Box 13b - Recipient's country code": "GM",
        "Box 13f - Chapter 3 status code": "16",
        "Box 13i - Recipient's foreign tax identification number": "65 929 970 489",
        "Recipient Taxpayer ID Number": "",
        "Unique Form Identifier": "0000000001",
        "Amended": "",
    }
    assert expected == {name: said[name] for name in expected}


def test_the_country_of_a_foreign_winner_is_that_of_the_tax_residence() -> None:
    """The address has its own: a resident of Canada who lives in the United States is Canada's (box 13b)."""
    canadian = returned(form="1042-S", residence="CA", identity=PERSON)
    said = row_of(FORM_1042_S, canadian.fields(FILER))
    assert ("CA", "US") == (said["Box 13b - Recipient's country code"], said["Recipient Country"])
    assert [] == [*_wrong(canadian)]


def test_names_are_written_in_english_letters() -> None:
    """What has none is named instead."""
    plain = row(identity=PERSON.model_copy(update={"first_name": "José", "last_name": "Søndergård’s"}))
    assert ("Jose", "Sondergard's") == (plain["Recipient First Name"], plain["Recipient Last Name (Surname)"])
    assert [] == [*wrong_cells(W_2G, plain)]
    other = row(identity=PERSON.model_copy(update={"last_name": "Ōkubo 久保"}))
    assert ["Recipient Last Name (Surname): '久 保' cannot be written"] == [*wrong_cells(W_2G, other)]


def unknown(*names: str) -> PatronIdentity:
    """An identity in which these fields are unknown."""
    left = {name: value for name, value in IDENTITY.items() if name not in (*names, "taxpayer_number_kind")}
    if "taxpayer_number" not in names:
        left["taxpayer_number_kind"] = "itin"
    return PatronIdentity.model_validate(left | {"unknown": names})


BESIDE = {
    "state_code": "PA",
    "state_cents": 35_94,
    "state_withheld_cents": 36_00,
    "local_withheld_cents": 10_00,
}
"""The taxes of a state and a locality."""

WON = f"{returned().wager}, won on {returned().won_on}"

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"patron": None, "identity": None}, "nobody is known to have won it"),
    ({"identity": None}, "p-1 is not identified"),
    ({"residence": None}, "the tax residence of the winner is not known"),
    ({"form": "1042-S", "residence": "US"}, "a resident of US has no return on 1042-S"),
    (
        {"form": "1042-S", "residence": "ZZ"},
        "Box 13b - Recipient's country code: the layout has no word for 'ZZ'",
    ),
    ({"winnings_cents": 0, "withheld_cents": 0}, "winnings of $0.00 are none"),
    ({"winnings_cents": -250_000, "withheld_cents": 0}, "winnings of -$2,500.00 are none"),
    ({"withheld_cents": None}, f"nobody recorded what was withheld of {WON}, and $600.00 had to be: record it"),
    ({"withheld_cents": -1, "regular_cents": 0}, "-$0.01 cannot have been withheld"),
    ({"withheld_cents": 250_001}, "$2,500.01 were withheld of $2,500.00"),
    (
        {**BESIDE, "state_withheld_cents": None},
        f"nobody recorded what was withheld for PA of {WON}, and $35.94 had to be: record it",
    ),
    ({**BESIDE, "state_code": None}, "$36.00 were withheld for a state that no pack names"),
    ({**BESIDE, "state_withheld_cents": 190_000, "local_withheld_cents": 1}, "$2,500.01 were withheld of $2,500.00"),
    (
        {"form": "1042-S", "residence": "CA", **BESIDE},
        "state withheld: the layout has no column for $36.00, make this return in the portal",
    ),
    ({"won_on": date(2027, 1, 1)}, "it was won on 2027-01-01, after 2026"),
    ({"won_on": date(1971, 2, 2)}, "the winner was born on 1971-02-03, after 1971-02-02"),
    ({"identity": unknown("last_name")}, "Recipient Last Name (Surname): it is empty, and a person's return is not"),
    ({"identity": unknown("first_name")}, "Recipient First Name: it is empty"),
    ({"identity": unknown("street")}, "Recipient Address Line 1: it is empty, and no return is without it"),
    ({"identity": unknown("city")}, "Recipient City/Town: it is empty"),
    ({"identity": unknown("postal_code")}, "Recipient ZIP/Postal Code: it is empty, and an address in the country"),
    ({"identity": unknown("state_code")}, "Recipient State/Province/Territory: it is empty"),
    (
        {"identity": unknown("taxpayer_number"), "withheld_cents": 0, "regular_cents": 0},
        "Recipient Taxpayer ID Number: it is empty, and nothing was withheld of somebody without a taxpayer number",
    ),
    (
        {"identity": ENTITY.model_copy(update={"legal_name": None})},
        "Recipient Business or Entity Name Line 1: it is empty, and an entity's return is not without it",
    ),
    (
        {"identity": PERSON.model_copy(update={"street": "9 " + "Long " * 10})},
        "Recipient Address Line 1: 52 characters, at most 40",
    ),
    (
        {"identity": PERSON.model_copy(update={"first_name": "W" * 21})},
        "Recipient First Name: 21 characters, at most 20",
    ),
    ({"identity": PERSON.model_copy(update={"city": "Scranton; PA"})}, "Recipient City/Town: ';' cannot be written"),
    ({"identity": PERSON.model_copy(update={"country": "ZZ"})}, "Recipient Country: the layout has no word for 'ZZ'"),
]


@pytest.mark.parametrize(("changes", "why"), REFUSED)
def test_what_the_irs_would_reject_is_named(changes: dict[str, Any], why: str) -> None:
    """Each by itself; the return is right without it."""
    assert [] == [*_wrong(returned())]
    assert any(said.startswith(why) for said in _wrong(returned(**changes))), [*_wrong(returned(**changes))]


def _wrong(one: InformationReturn) -> Iterator[str]:
    layout = FORM_1042_S if one.form == "1042-S" else W_2G
    yield from one.refusals(A_PAYER)
    yield from unwritten(layout, one.fields(A_PAYER))
    if one.identity is not None:
        yield from wrong_cells(layout, row_of(layout, one.fields(FILER)))


A_PAYER = FILER.model_copy(update={"state_tax_number": "12-345678", "locality": "Scranton"})
_BOXES = (
    "13 - State",
    "13 - Payer's state identification number",
    "14 - State winnings",
    "15 - State income tax withheld",
)
_LOCAL = ("16 - Local winnings", "17 - Local income tax withheld", "18 - Name of locality")


def test_taxes_of_state_and_locality_are_in_boxes_of_their_own() -> None:
    """Read back as they were written; empty where they have no part in it, and zero where they should have had."""
    said = row_of(W_2G, returned(**BESIDE).fields(A_PAYER))
    assert ["PA", "12-345678", "2500.00", "36.00"] == [said[f"Box {name}"] for name in _BOXES]
    assert ["2500.00", "10.00", "Scranton"] == [said[f"Box {name}"] for name in _LOCAL]
    [back] = read_returns(file_of(W_2G, [said]), W_2G)
    assert (36_00, 10_00) == (back.state_withheld_cents, back.local_withheld_cents)
    nothing = row()
    assert {""} == {nothing[f"Box {name}"] for name in (*_BOXES, *_LOCAL)}
    [back] = read_returns(file_of(W_2G, [nothing]), W_2G)
    assert (None, None) == (back.state_withheld_cents, back.local_withheld_cents)
    demanded = row_of(W_2G, returned(state_code="RI", state_cents=100, state_withheld_cents=0).fields(A_PAYER))
    assert "0.00" == demanded["Box 15 - State income tax withheld"]


def test_a_return_that_is_gone_has_no_tax_of_a_state() -> None:
    """Amounts that it had are corrected to nothing; what was empty stays so."""
    [said] = corrections(W_2G, row_of(W_2G, returned(**BESIDE).fields(A_PAYER)), None)
    assert {"0.00"} == {said[f"Box {name}"] for name in (*_BOXES[2:], *_LOCAL[:2])}
    [said] = corrections(W_2G, row(), None)
    assert {""} == {said[f"Box {name}"] for name in (*_BOXES, *_LOCAL)}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({**BESIDE, "local_withheld_cents": 0}, "the filer of the property has no 'state_tax_number'"),
        ({"local_withheld_cents": 10_00}, "the filer of the property has no 'locality'"),
    ],
)
def test_a_payer_is_known_to_the_state_and_says_the_locality(changes: dict[str, Any], why: str) -> None:
    """Where tax was withheld for it."""
    assert [why] == [said.split(",")[0] for said in returned(**changes).refusals(FILER)]


GERMAN = FOREIGNER.model_copy(update={"taxpayer_number": "900551234", "taxpayer_number_kind": "itin"})
EXEMPT = {
    "form": "1042-S",
    "residence": "DE",
    "withheld_cents": 0,
    "regular_cents": 0,
    "treaty": "DE",
    "rate_percent": "0.00",
    "identity": GERMAN,
}
"""What a resident of Germany won, who claimed relief under the treaty."""


def test_relief_under_a_treaty_has_a_code_and_a_rate() -> None:
    """Exempt, or at another rate; without relief neither."""
    for changes, code, rate in (
        (EXEMPT, "04", "00.00"),
        (EXEMPT | {"rate_percent": "10.00", "regular_cents": 250_00, "withheld_cents": 250_00}, "00", "10.00"),
        ({"form": "1042-S", "residence": "CA", "withheld_cents": 750_00}, "00", "30.00"),
    ):
        one = returned(**changes)
        said = row_of(FORM_1042_S, one.fields(A_PAYER))
        assert (code, rate) == (said["Box 3a - Exemption code"], said["Box 3b - Tax rate"])
        assert [] == [*_wrong(one)]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"identity": FOREIGNER}, "relief under the treaty with DE takes a taxpayer number of the United States"),
        (
            {"identity": GERMAN.model_copy(update={"taxpayer_number": None, "taxpayer_number_kind": None})},
            "relief under the treaty with DE takes a taxpayer number",
        ),
        ({"identity": GERMAN.model_copy(update={"country": "FR"})}, "relief under the treaty with DE takes an address"),
        ({"identity": ENTITY.model_copy(update={"country": "DE"})}, "relief of an entity under a treaty has a code"),
        ({"withheld_cents": 1}, "$0.01 were withheld, and the treaty with DE gives relief"),
    ],
)
def test_relief_that_is_not_as_claimed_is_refused(changes: dict[str, Any], why: str) -> None:
    """Before there is a file."""
    assert any(said.startswith(why) for said in _wrong(returned(**EXEMPT | changes)))


def test_too_little_withheld_on_1042_s_is_told_and_not_refused() -> None:
    """The return is due whatever was withheld; what nobody recorded is refused, and a W-2G is never short."""
    foreign = {"form": "1042-S", "residence": "CA", "regular_cents": 600_00, "identity": GERMAN}
    short = returned(**foreign, withheld_cents=599_99)
    assert [] == [*_wrong(short)]
    assert str(short.shortfall()).startswith("$599.99 were withheld instead of $600.00: tax is short by $0.01")
    others = (foreign | {"withheld_cents": 600_00}, foreign | {"withheld_cents": None}, {"withheld_cents": 1})
    assert [None] * 3 == [returned(**one).shortfall() for one in others]


def test_a_winner_without_a_number_is_returned_where_tax_was_withheld() -> None:
    """Backup withholding is for those who give none."""
    assert [] == [*_wrong(returned(identity=unknown("taxpayer_number"), regular_cents=0))]
