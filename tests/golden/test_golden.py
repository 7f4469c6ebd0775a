"""Every golden case is its own test: the lines that the text requires, or the refusal."""

import re
from pathlib import Path
from typing import Any

import pytest

from shared.rules import (
    REGULATIONS,
    CaseFile,
    Refused,
    Settlement,
    Submission,
    catalogue,
    parse_cases,
    parse_round,
    parse_submission,
    settle,
)
from shared.rules.cases import differences
from tests.support.records import read

CASES = [case for path in sorted(Path(__file__).parent.glob("??-*/*.yaml")) for case in parse_cases(read(path))]
SETTLED = [case for case in CASES if case.expect is not None]
REFUSED = [case for case in CASES if case.error is not None]


def chapter(regulation: str) -> str:
    """Return the chapter that every paragraph of a regulation belongs to, such as `§ 633a`."""
    found = re.match(r".*?§ \w+", catalogue(regulation).seats.paragraph)
    assert found is not None
    return found[0]


def read_case(case: CaseFile) -> tuple[Any, Submission]:
    """Return the round and the submission of a case, by the same functions as those of a live event."""
    submission = parse_submission(case.submission)
    return parse_round(case.regulation, case.round), submission


def settle_case(case: CaseFile) -> Settlement:
    """Take a case through the same functions as a live event."""
    return settle(case.regulation, *read_case(case))


@pytest.mark.parametrize("case", SETTLED, ids=lambda case: case.id)
def test_settles_as_the_text_requires(case: CaseFile) -> None:
    """The settlement has the expected lines, no others, and leaves the meters as expected."""
    assert case.expect is not None
    settlement = settle_case(case)
    assert [] == differences(case.expect, settlement)
    assert all(line.paragraph.startswith(chapter(case.regulation)) for line in settlement.lines)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_refuses_what_cannot_have_happened(case: CaseFile) -> None:
    """The record is refused, and unless it cannot even be read, with the paragraph that forbids it."""
    with pytest.raises(Refused) as refusal:
        settle_case(case)
    if refusal.value.paragraph is None:
        with pytest.raises(Refused):
            read_case(case)
    else:
        assert refusal.value.paragraph in str(refusal.value)


def test_each_case_expects_one_thing_and_has_its_own_id() -> None:
    """No case is without an expectation, and none hides another."""
    assert [case.id for case in CASES if (case.expect is None) == (case.error is None)] == []
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_each_regulation_has_cases(regulation: str) -> None:
    """Every regulation that can be settled under is covered by cases of both kinds."""
    assert any(case.regulation == regulation for case in SETTLED)
    assert any(case.regulation == regulation for case in REFUSED)
