"""Batches of currency transaction reports: valid by FinCEN's schema, with the totals of an independent reader."""

import os
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from importlib import import_module
from math import ceil
from typing import Any, Final
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.cli.filing.ctr_batch import LINE_CODES, CtrActivity, Line, ctr_batch
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.cage import DIRECTIONS, Direction
from tests.support.accounts import IDENTITY
from tests.support.filings import DAY, FILER

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
AT_ACCOUNTS_AND_TABLES: Final[dict[str, Direction]] = {
    "buy-in": "in",
    "cash-out": "out",
    "counter check": "in",
    "chips for currency": "in",
}
WAYS: Final[dict[str, Direction]] = AT_ACCOUNTS_AND_TABLES | {
    kind.replace("_", " "): way for kind, way in DIRECTIONS.items()
}

UNKNOWN_BOXES: Final = (
    *("BirthDate", "EntityLastName", "FirstName", "City", "CountryCode", "StreetAddress", "ZIPCode", "TIN"),
    "IdentificationPresent",
)

lines = st.builds(
    lambda kind, movements, cents: Line(kind, WAYS[kind], movements, cents),
    st.sampled_from(sorted(WAYS)),
    st.integers(1, 40),
    st.integers(1, 10**9),
)
people = st.sampled_from([None, *map(PatronIdentity.model_validate, (IDENTITY, KNOWN_MORE, ENTITY))])
activities = st.builds(
    CtrActivity,
    st.just(DAY),
    people,
    st.lists(lines, min_size=1, max_size=6, unique_by=lambda line: line.kind),
    st.sampled_from([None, "31000000000001"]),
    account=st.sampled_from([None, "GA-2"]),
)


def read(content: bytes) -> Element:
    """Return a batch."""
    return fromstring(content)


def texts(element: Element, name: str) -> list[str]:
    """Return the texts of all elements of a name."""
    return [one.text or "" for one in element.iter() if one.tag.endswith("}" + name)]


def one_report(identity: PatronIdentity | None = None, *, moved: Sequence[Line] = (), **more: Any) -> Element:
    """Return a batch of one report."""
    given_lines = moved or [Line("chip purchase", "in", 1, 1_000_001)]
    return read(ctr_batch(FILER, [CtrActivity(DAY, identity, given_lines, **more)], filed_on=DAY))


@given(st.lists(activities, min_size=1, max_size=5))
def test_totals_are_the_sums_of_lines_rounded_up(reports: list[CtrActivity]) -> None:
    """Each line by itself, in every place where the receiving system adds up; all numbers of elements differ."""
    batch = read(ctr_batch(FILER, reports, filed_on=DAY))
    found = [one for one in batch if one.tag.endswith("}Activity")]
    assert str(len(reports)) == batch.get("ActivityCount") == str(len(found))
    assert batch.get("PartyCount") == str(len(texts(batch, "ActivityPartyTypeCode")))
    total = 0
    for report, activity in zip(reports, found, strict=True):
        sums = Counter[str]()
        for line in report.lines:
            sums[line.direction] += ceil(line.cents / 100)
        total += sums.total()
        for way, name in (("in", "TotalCashInReceiveAmountText"), ("out", "TotalCashOutAmountText")):
            assert [str(sums[way] or "")] == texts(activity, name)
        for way, name in (("in", "In"), ("out", "Out")):
            said = [str(sums[way])] * 2 if sums[way] else []
            assert said == texts(activity, f"IndividualEntityCash{name}AmountText")
        many = sum(line.movements for line in report.lines) > 1
        assert ["Y"] * many == texts(activity, "MultipleTransactionsPersonsIndividualsIndicator")
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
    etree.XMLSchema(file=schema).assertValid(etree.fromstring(ctr_batch(FILER, reports, filed_on=DAY)))


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
    assert ctr_batch(FILER, reports, filed_on=DAY) == ctr_batch(FILER, reports, filed_on=DAY)


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
        ([], DAY, "nothing to report"),
        ([CtrActivity(DAY, None, [Line("tips", "in", 1, 1)])], DAY, "no type of transaction for 'tips'"),
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
            DAY,
            "born on 1971-02-03",
        ),
    ],
)
def test_what_would_be_refused_is_no_batch(report: list[CtrActivity], filed_on: date, why: str) -> None:
    """It says what is wrong before there is a file."""
    with pytest.raises(ValueError, match=why):
        ctr_batch(FILER, report, filed_on=filed_on)


def test_an_account_without_a_patron_is_reported_by_its_number() -> None:
    """Once for what went in, and once for what went out."""
    moved = [Line("buy-in", "in", 1, 1_000_001), Line("cash-out", "out", 1, 1_200_000)]
    batch = one_report(moved=moved, account="GA-2")
    assert ["GA-2", "GA-2"] == texts(batch, "AccountNumberText")
    assert ["8", "9"] == texts(batch, "PartyAccountAssociationTypeCode")
    assert ["8"] == texts(one_report(moved=moved[:1], account="GA-2"), "PartyAccountAssociationTypeCode")
    assert [] == texts(one_report(moved=moved), "AccountNumberText")
