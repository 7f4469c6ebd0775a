"""Batches of currency transaction reports: valid by FinCEN's schema, with the totals of an independent reader."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from importlib import import_module
from math import ceil
from typing import Any, Final
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.cage import DIRECTIONS, Direction
from shared.contracts.currency_lines import LINE_CODES
from tests.support.accounts import IDENTITY
from tests.support.filings import DAY, FILED_ON, FILER

ENTITY: Final = {
    "kind": "entity",
    "legal_name": "Oakhurst Glass LLC",
    "also_known_as": "Oakhurst",
    "unknown": ["city", "country", "document", "postal_code", "street", "taxpayer_number"],
}
KNOWN_MORE: Final = IDENTITY | {
    "middle_name": "Ada",
    "suffix": "Jr.",
    "also_known_as": "Willa",
    "email": "willa@example.org",
    "phone": "5705550101",
}
AT_ACCOUNTS_AND_TABLES: Final[set[tuple[str, Direction]]] = {
    ("buy-in", "in"),
    ("cash-out", "out"),
    ("counter check", "in"),
    ("chips for currency", "in"),
}
BOTH: Final[tuple[Direction, ...]] = ("in", "out")
EXCHANGES: Final = ("currency exchange", "foreign currency bought", "foreign currency sold")
WAYS: Final = AT_ACCOUNTS_AND_TABLES | {
    (kind.replace("_", " "), way)
    for kind, direction in DIRECTIONS.items()
    for way in (BOTH if direction == "both" else (direction,))
}
OTHER: Final = {"other in": "locker rental", "other out": "lost property & <found>"}
"""What movements without a line of their own were for."""

UNKNOWN_BOXES: Final = (
    *("BirthDate", "EntityLastName", "FirstName", "City", "CountryCode", "StreetAddress", "ZIPCode", "TIN"),
    "IdentificationPresent",
)

KNOWN: Final = PatronIdentity.model_validate(IDENTITY)
AN_ENTITY: Final = PatronIdentity.model_validate(ENTITY)

AGENCIES: Final[list[tuple[str | None, tuple[str, ...]]]] = [
    (None, ()),
    ("p-1", ("p-2",)),
    ("p-1", ("p-3", "p-2")),
    ("p-2", ("p-1",)),
    ("p-3", ("p-2", "p-1")),
]
"""Who moves something, and for whom, in a report on p-1."""


def specified(kind: str) -> str:
    """Return what a line of a kind says besides its amount."""
    return "CA" if kind.startswith("foreign") else OTHER.get(kind, "")


lines = st.builds(
    lambda way, movements, cents, agency: Line(
        way[0], way[1], movements, cents, agency[0], agency[1], specified(way[0])
    ),
    st.sampled_from(sorted(WAYS)),
    st.integers(1, 40),
    st.integers(1, 10**9),
    st.sampled_from(AGENCIES),
)
people = st.sampled_from([None, *map(PatronIdentity.model_validate, (IDENTITY, KNOWN_MORE, ENTITY))])


def an_activity(*said: Any, **more: Any) -> CtrActivity:
    """Return a report; an entity conducts nothing for others."""
    report = CtrActivity(*said, **more)
    conducts = any(line.conductor == report.reference for line in report.lines)
    return replace(report, identity=None) if conducts and report.identity == AN_ENTITY else report


activities = st.builds(
    an_activity,
    st.just(DAY),
    people,
    st.lists(
        lines,
        min_size=1,
        max_size=6,
        unique_by=lambda line: (line.kind, line.direction, line.conductor, line.on_behalf_of),
    ),
    st.sampled_from([None, "31000000000001"]),
    account=st.sampled_from([None, "GA-2"]),
    reference=st.just("p-1"),
    others=st.fixed_dictionaries({"p-2": st.none(), "p-3": st.none()}),
)


def read(content: bytes) -> Element:
    """Return a batch."""
    return fromstring(content)


def texts(element: Element, name: str) -> list[str]:
    """Return the texts of all elements of a name."""
    return [one.text or "" for one in element.iter() if one.tag.endswith("}" + name)]


def parties(activity: Element) -> list[tuple[str, int, int, bool]]:
    """Return the code of each party, its dollars in and out, and whether it has multiple transactions."""
    return [
        (
            texts(party, "ActivityPartyTypeCode")[0],
            sum(map(int, texts(party, "IndividualEntityCashInAmountText"))),
            sum(map(int, texts(party, "IndividualEntityCashOutAmountText"))),
            texts(party, "MultipleTransactionsPersonsIndividualsIndicator") == ["Y"],
        )
        for party in activity
        if party.tag.endswith("}Party")
    ]


def added_up(report: CtrActivity) -> Counter[tuple[str, int, int, bool]]:
    """Return the parts of persons that a report should have: each line counts in whole for everybody in it."""
    parts: dict[tuple[str, str], list[Line]] = {}
    for line in report.lines:
        own = [("p-1", "50")] if line.conductor is None else [(line.conductor, "17")]
        for part in own + [(one, "23") for one in line.on_behalf_of]:
            parts.setdefault(part, []).append(line)
    return Counter((code, *sums_of(lines), number_of(lines) > 1) for (_, code), lines in parts.items())


def number_of(lines: Sequence[Line]) -> int:
    """Return the number of movements: of an exchange on two lines, those on both are counted once."""
    twice = sum(
        min(into.movements, out.movements)
        for into in lines
        for out in lines
        if into.kind in EXCHANGES and into == replace(out, direction="in", movements=into.movements, cents=into.cents)
        if out.direction == "out"
    )
    return sum(line.movements for line in lines) - twice


def rounded(lines: Iterable[Line]) -> dict[tuple[str, str, str, str], int]:
    """Return the whole dollars of each line of the form, by direction, type and what it specifies."""
    cents = Counter[tuple[str, str, str, str]]()
    for line in lines:
        cents[line.direction, BY_LINE[line.kind, line.direction], *said_of(line)] += line.cents
    return {line: ceil(each / 100) for line, each in cents.items()}


def sums_of(lines: Iterable[Line]) -> tuple[int, int]:
    """Return the dollars in and out of lines of the form."""
    sums = Counter[str]()
    for (way, *_), dollars in rounded(lines).items():
        sums[way] += dollars
    return sums["in"], sums["out"]


def one_report(identity: PatronIdentity | None = None, *, moved: Sequence[Line] = (), **more: Any) -> Element:
    """Return a batch of one report."""
    given_lines = moved or [Line("chip purchase", "in", 1, 1_000_001)]
    return read(ctr_batch(FILER, [CtrActivity(DAY, identity, given_lines, **more)], filed_on=FILED_ON))


def details(activity: Element) -> Counter[tuple[str, int, str, str]]:
    """Return the lines of an activity: type, dollars, the text of what is other, the country of foreign currency."""
    return Counter(
        (
            texts(one, "CurrencyTransactionActivityDetailTypeCode")[0],
            int(texts(one, "DetailTransactionAmountText")[0]),
            texts(one, "OtherCurrencyTransactionActivityDetailText")[0],
            texts(one, "OtherForeignCurrencyCountryText")[0],
        )
        for one in activity.iter()
        if one.tag.endswith("}CurrencyTransactionActivityDetail")
    )


def said_of(line: Line) -> tuple[str, str]:
    """Return the text of what is other and the country of foreign currency, as the form should have them."""
    code = BY_LINE[line.kind, line.direction]
    other = {"tournament fee": line.kind, **OTHER}.get(line.kind, "")
    return other, "CA" if code in ("53", "54") else ""


BY_LINE: Final = {
    (kind, way): code
    for way, by_code in {
        "in": {
            "55": ("buy-in", "front money deposit", "safekeeping deposit"),
            "46": ("counter check",),
            "23": ("wire sent",),
            "12": ("casino check purchase",),
            "14": ("currency exchange", "foreign currency sold"),
            "18": ("chip purchase", "chips for currency"),
            "21": ("currency wager",),
            "997": ("tournament fee", "other in"),
            "53": ("foreign currency bought",),
        },
        "out": {
            "56": ("cash-out", "front money withdrawal", "safekeeping withdrawal"),
            "30": ("credit advance",),
            "32": ("wire paid",),
            "13": ("check cashed",),
            "15": ("currency exchange", "foreign currency bought"),
            "28": ("chip redemption",),
            "31": ("winnings paid",),
            "33": ("travel reimbursed",),
            "34": ("promotion paid", "tournament prize"),
            "998": ("other out",),
            "54": ("foreign currency sold",),
        },
    }.items()
    for code, kinds in by_code.items()
    for kind in kinds
}
"""The code of each line, read in FinCEN's schema beside its words."""


@given(st.lists(activities, min_size=1, max_size=5))
def test_totals_are_the_sums_of_lines_rounded_up(reports: list[CtrActivity]) -> None:
    """Each line by itself, in every place where the receiving system adds up; all numbers of elements differ."""
    batch = read(ctr_batch(FILER, reports, filed_on=FILED_ON))
    found = [one for one in batch if one.tag.endswith("}Activity")]
    assert str(len(reports)) == batch.get("ActivityCount") == str(len(found))
    assert batch.get("PartyCount") == str(len(texts(batch, "ActivityPartyTypeCode")))
    total = 0
    for report, activity in zip(reports, found, strict=True):
        sums = sums_of(report.lines)
        total += sum(sums)
        for dollars, name in zip(sums, ("TotalCashInReceiveAmountText", "TotalCashOutAmountText"), strict=True):
            assert [str(dollars or "")] == texts(activity, name)
        [location] = [one for one in parties(activity) if one[0] == "34"]
        assert ("34", *sums, False) == location
        assert added_up(report) == Counter(one for one in parties(activity) if one[0] in ("50", "17", "23"))
        assert details(activity) == Counter(
            (code, dollars, *said) for (_, code, *said), dollars in rounded(report.lines).items()
        )
    assert str(total) == batch.get("TotalAmount")
    numbers = [one.get("SeqNum") for one in batch.iter() if one.get("SeqNum")]
    assert len(numbers) == len(set(numbers))


@given(st.lists(activities, min_size=1, max_size=5))
def test_a_batch_is_valid_by_the_schema(reports: list[CtrActivity]) -> None:
    """With FinCEN's own schema, where CTR_SCHEMA names the file: it is no part of this repository."""
    schema = os.environ.get("CTR_SCHEMA")
    if schema is None:
        pytest.skip("CTR_SCHEMA names no EFL_CTRXBatchSchema.xsd")
    etree: Any = import_module("lxml.etree")
    etree.XMLSchema(file=schema).assertValid(etree.fromstring(ctr_batch(FILER, reports, filed_on=FILED_ON)))


def test_every_kind_of_movement_has_a_type() -> None:
    """Whatever the currency report can list is on the form, and nothing else."""
    assert set(WAYS) == set(LINE_CODES)


def test_nobody_known_is_unknown_in_every_field() -> None:
    """Each field that the form asks for has its box marked."""
    batch = one_report()
    boxes = [f"{name}UnknownIndicator" for name in UNKNOWN_BOXES] + ["UnknownGenderIndicator"]
    assert [["Y"]] * 10 == [texts(batch, name) for name in boxes]


def test_the_same_day_of_filing_gives_the_same_bytes() -> None:
    """So that who releases a file can make it again and compare."""
    who = PatronIdentity.model_validate(IDENTITY)
    reports = [CtrActivity(DAY, who, [Line("chip purchase", "in", 2, 1_150_000)])]
    assert ctr_batch(FILER, reports, filed_on=FILED_ON) == ctr_batch(FILER, reports, filed_on=FILED_ON)


def test_a_correction_names_what_it_corrects() -> None:
    """And is not the first report."""
    batch = one_report(corrects="31000000000001")
    assert ["31000000000001"] == texts(batch, "EFilingPriorDocumentNumber")
    assert [["Y"], [""]] == [
        texts(batch, name) for name in ("CorrectsAmendsPriorReportIndicator", "InitialReportIndicator")
    ]


@pytest.mark.parametrize(
    ("report", "filed_on", "why"),
    [
        ([], FILED_ON, "nothing to report"),
        ([CtrActivity(DAY, None, [Line("tips", "in", 1, 1)])], FILED_ON, "no type of transaction for 'tips' in"),
        (
            [CtrActivity(DAY, None, [Line("buy-in", "in", 1, 1)])],
            DAY - timedelta(1),
            "is not filed on 2026-11-18",
        ),
        (
            [
                CtrActivity(
                    date(1970, 1, 1), PatronIdentity.model_validate(IDENTITY), [Line("buy-in", "in", 1, 1_000_100)]
                )
            ],
            FILED_ON,
            "born on 1971-02-03",
        ),
        (
            [CtrActivity(DAY, None, [Line("other in", "in", 1, 1_000_100, None, (), "raffle\uffff")])],
            FILED_ON,
            r"OtherCurrencyTransactionActivityDetailText: a file cannot have the character U\+FFFF",
        ),
    ],
)
def test_what_would_be_refused_is_no_batch(report: list[CtrActivity], filed_on: date, why: str) -> None:
    """It says what is wrong before there is a file."""
    with pytest.raises(ValueError, match=why):
        ctr_batch(FILER, report, filed_on=filed_on)


def test_whoever_acts_for_another_and_for_whom_are_on_the_form() -> None:
    """The person of the report first, with a part for what was on their own behalf and others for the rest, by code."""
    moved = [
        Line("chip purchase", "in", 1, 700_000, "p-2", ("p-1",)),
        Line("front money deposit", "in", 1, 400_000),
        Line("chip redemption", "out", 1, 1_100_000, "p-1", ("p-2", "p-3")),
    ]
    batch = one_report(KNOWN, moved=moved, reference="p-1", others={"p-2": None, "p-3": AN_ENTITY})
    [activity] = [one for one in batch if one.tag.endswith("}Activity")]
    assert [
        ("17", 0, 11_000, False),
        ("23", 7_000, 0, False),
        ("50", 4_000, 0, False),
        ("17", 7_000, 0, False),
        ("23", 0, 11_000, False),
        ("23", 0, 11_000, False),
    ] == parties(activity)[-6:]


@pytest.mark.parametrize(
    ("agency", "others", "why"),
    [
        (("p-1", ("p-1",)), {}, "p-1 conducts chip purchase on behalf of p-1"),
        ((None, ("p-2",)), {"p-2": None}, "both who conducts it and for whom"),
        (("p-2", ()), {"p-2": None}, "both who conducts it and for whom"),
        (("p-2", ("p-1",)), {}, "p-2 has a part in the report of p-1, and is not identified"),
        (("p-1", ("p-2",)), {}, "p-2 has a part in the report of p-1, and is not identified"),
        (("p-2", ("p-3",)), {"p-2": None, "p-3": None}, "p-1 has no part in chip purchase"),
        (("p-2", ("p-1",)), {"p-2": AN_ENTITY}, "p-2 is an entity"),
        (
            ("p-2", ("p-1",)),
            {"p-2": KNOWN.model_copy(update={"date_of_birth": DAY + timedelta(1)})},
            "born on 2026-11-20 moved nothing",
        ),
    ],
)
def test_what_nobody_moves_for_others_like_this_is_no_batch(
    agency: tuple[str | None, tuple[str, ...]], others: dict[str, PatronIdentity | None], why: str
) -> None:
    """Nobody acts for himself, and everybody with a part in it is identified, or said to be unknown."""
    with pytest.raises(ValueError, match=why):
        one_report(moved=[Line("chip purchase", "in", 1, 1_000_001, *agency)], reference="p-1", others=others)


@pytest.mark.parametrize("kind", EXCHANGES)
def test_an_exchange_is_one_transaction(kind: str) -> None:
    """Its two lines do not make it several; a second one does, of whatever country or for whomever, and a purchase."""
    halves = [Line(kind, way, 1, 1_100_000, "p-2", ("p-1",), specified(kind)) for way in BOTH]

    def marked(*moved: Line) -> list[bool]:
        batch = one_report(moved=moved, reference="p-1", others={"p-2": None, "p-3": None})
        [activity] = [one for one in batch if one.tag.endswith("}Activity")]
        return [is_many for code, _, _, is_many in parties(activity) if code in ("50", "17", "23")]

    assert [False, False] == marked(*halves) == marked(*halves[:1]) == marked(*halves[1:])
    assert [True, True] == marked(*(replace(half, movements=2) for half in halves))
    assert [True, True] == marked(*halves, replace(halves[0], kind="chip purchase", specified=""))
    assert [True, True] == marked(*halves, *(replace(half, specified="MX") for half in halves))
    assert [True, True, False] == marked(*halves, *(replace(half, on_behalf_of=("p-1", "p-3")) for half in halves))
    own = [replace(half, conductor=None, on_behalf_of=()) for half in halves]
    assert [False, False, False] == marked(*halves, *own)


def test_an_account_without_a_patron_is_reported_by_its_number() -> None:
    """Once for what went in, and once for what went out."""
    moved = [Line("buy-in", "in", 1, 1_000_001), Line("cash-out", "out", 1, 1_200_000)]
    batch = one_report(moved=moved, account="GA-2")
    assert ["GA-2", "GA-2"] == texts(batch, "AccountNumberText")
    assert ["8", "9"] == texts(batch, "PartyAccountAssociationTypeCode")
    assert ["8"] == texts(one_report(moved=moved[:1], account="GA-2"), "PartyAccountAssociationTypeCode")
    assert [] == texts(one_report(moved=moved), "AccountNumberText")
