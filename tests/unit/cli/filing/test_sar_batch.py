"""Suspicious activity reports: valid by FinCEN's schema, and as an independent reader finds them."""

import os
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, get_args
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from services.cli.documents import read_document
from services.cli.filing.sar_batch import NARRATIVE_MAX, Instrument, SarDraft, Suspicion, sar_batch
from services.suspicious_activity.domain.sar_files import SarFileWrong, read_sar
from tests.support.accounts import IDENTITY
from tests.support.filings import FILER
from tests.support.sars import DETECTED, NARRATIVE, draft_of, sar_text
from tests.unit.cli.filing.test_ctr_batch import ENTITY, KNOWN_MORE, texts

PRIOR = "31000000000001"

words = st.text(st.characters(codec="ascii", min_codepoint=33, exclude_characters="<>&"), min_size=1, max_size=20)
drafts = st.builds(
    draft_of,
    identity=st.sampled_from([None, IDENTITY, KNOWN_MORE, ENTITY]),
    dollars=st.integers(0, 10**9),
    suspicions=st.lists(st.sampled_from(get_args(Suspicion)), min_size=1, unique=True),
    instruments=st.lists(st.sampled_from(get_args(Instrument)), unique=True),
    narrative=st.lists(words, min_size=1, max_size=600).map(lambda found: " \n".join(found)[:NARRATIVE_MAX]),
    corrects=st.sampled_from([None, PRIOR]),
)


def read(draft: SarDraft) -> Element:
    """Return the file of a draft."""
    return fromstring(sar_batch(FILER, draft, filed_on=DETECTED))


def test_the_example_is_a_draft_of_another_suspicion() -> None:
    """It can be prepared as it is, and names every member and every class that a draft may have."""
    example = Path(__file__).parents[4] / "docs/examples/suspicion.yaml"
    draft = SarDraft.model_validate(read_document(str(example)))
    assert (6_200, True) == (draft.dollars, draft.narrative.endswith("the patron gave none."))
    assert b"Oakhurst-Vane" in sar_batch(FILER, draft, filed_on=DETECTED)
    text = example.read_text()
    names = {*SarDraft.model_fields, *get_args(Suspicion), *get_args(Instrument)} - {"saw"}
    assert [] == [name for name in names if name not in text]


@given(drafts)
def test_a_report_says_what_its_draft_says(draft: SarDraft) -> None:
    """Days, dollars, classes, the narrative word for word; all numbers of elements differ."""
    batch = read(draft)
    assert ["20261118"] == texts(batch, "SuspiciousActivityFromDateText")
    assert ["20261120"] == texts(batch, "SuspiciousActivityToDateText")
    assert [str(draft.dollars)] == texts(batch, "TotalSuspiciousAmountText") == [batch.get("TotalAmount")]
    blocks = texts(batch, "ActivityNarrativeText")
    assert draft.narrative.split() == " ".join(blocks).split()
    assert all(len(block) <= 4_000 and block == block.strip() for block in blocks)
    assert [str(number + 1) for number in range(len(blocks))] == texts(batch, "ActivityNarrativeSequenceNumber")
    assert len(draft.suspicions) == len(set(texts(batch, "SuspiciousActivitySubtypeID")))
    assert ["35", "37", "30", "8", "34", "33"] == texts(batch, "ActivityPartyTypeCode")
    assert str(6) == batch.get("PartyCount")
    numbers = [one.get("SeqNum") for one in batch.iter() if one.get("SeqNum")]
    assert len(numbers) == len(set(numbers))


@given(drafts)
def test_the_service_reads_what_the_draft_says(draft: SarDraft) -> None:
    """The record of a report is taken from its file."""
    found = read_sar(sar_batch(FILER, draft, filed_on=DETECTED).decode())
    assert (draft.first_day, draft.last_day, draft.dollars) == (found.first_day, found.last_day, found.dollars)
    assert (draft.identity is not None, draft.corrects, None) == (found.is_subject_known, found.amends, found.continues)


@given(drafts)
def test_a_report_is_valid_by_the_schema(draft: SarDraft) -> None:
    """With FinCEN's own schema, where SAR_SCHEMA names the file: it is no part of this repository."""
    schema = os.environ.get("SAR_SCHEMA")
    if schema is None:
        pytest.skip("SAR_SCHEMA names no EFL_SARXBatchSchema.xsd")
    etree: Any = import_module("lxml.etree")
    etree.XMLSchema(file=schema).assertValid(etree.fromstring(sar_batch(FILER, draft, filed_on=DETECTED)))


def test_nobody_known_is_a_subject_of_whom_nothing_is_known() -> None:
    """One mark, and no empty fields."""
    batch = read(draft_of(identity=None, subject=None))
    assert ["Y"] == texts(batch, "AllCriticalSubjectInformationUnavailableIndicator")
    assert [] == texts(batch, "RawIndividualFirstName")


def test_what_continues_an_earlier_report_names_it() -> None:
    """And is neither initial nor a correction."""
    batch = read(draft_of(continues=PRIOR))
    names = ("EFilingPriorDocumentNumber", "ContinuingActivityReportIndicator", "InitialReportIndicator")
    assert [[PRIOR], ["Y"], []] == [texts(batch, name) for name in names]
    assert PRIOR == read_sar(sar_text(continues=PRIOR)).continues


def test_without_a_narrative_there_is_no_file() -> None:
    """A person writes it; the system does not."""
    with pytest.raises(ValueError, match="'narrative' is empty"):
        read(draft_of(narrative="  "))
    with pytest.raises(SarFileWrong, match="no narrative"):
        read_sar(sar_text().replace(NARRATIVE, " "))


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"last_day": "2026-11-17"}, "'last_day' is before 'first_day'"),
        ({"detected_on": "2026-11-17"}, "nothing had happened yet"),
        ({"corrects": PRIOR, "continues": PRIOR}, "give one of the two"),
        ({"suspicions": ["together", "together"]}, "given twice"),
    ],
)
def test_a_draft_that_contradicts_itself_is_refused(more: dict[str, Any], why: str) -> None:
    """Before there is a file."""
    with pytest.raises(ValidationError, match=why):
        draft_of(**more)


def test_a_report_is_not_filed_before_what_it_reports() -> None:
    """Nor is somebody reported who was not born."""
    with pytest.raises(ValueError, match="is not reported on 2026-11-19"):
        sar_batch(FILER, draft_of(), filed_on=DETECTED - timedelta(1))
    with pytest.raises(ValueError, match="did nothing on"):
        read(draft_of(identity=IDENTITY | {"date_of_birth": "2026-11-19"}))


@pytest.mark.parametrize(
    ("was", "instead", "why"),
    [
        ("<fc2:FormTypeCode>SARX", "<fc2:FormTypeCode>CTRX", "of form SARX"),
        ('ActivityCount="1"', 'ActivityCount="2"', "a file has one report"),
        (">20261118<", ">2026<", "cannot be read"),
        (">20261118<", ">20261121<", "one behind its last"),
        ("<fc2:InitialReportIndicator>Y", "<fc2:CorrectsAmendsPriorReportIndicator>Y", "no XML that can be read"),
        (">33<", ">46<", "has no subject"),
    ],
)
def test_another_file_is_no_report(was: str, instead: str, why: str) -> None:
    """What is wrong is said without its content."""
    with pytest.raises(SarFileWrong, match=why):
        read_sar(sar_text().replace(was, instead))
