"""`pitledger whatif` on a running stack: a gaming day settled again, and gone on with."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.cli.stack.running_stack import RunningStack
from tests.support.rounds import TABLES
from tests.support.stack import TABLE, altered
from tests.unit.cli.calling import Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]

SERVICES = ("round-settlement",)
DAY = ("--day", "2026-11-20")
NOTHING = {"handle_cents": 0, "payout_cents": 0, "win_cents": 0}


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """The submission under which the day was played, as a file."""
    return _written(tmp_path / "submission.json", decks=6)


def _written(path: Path, regulation: str = "pa-633a-2024", **selected: Any) -> Path:
    document = {"property": "riverside", "game": "blackjack", "regulation": regulation, "tables": TABLES}
    path.write_text(
        json.dumps(document | {"effective_from": "2026-12-01T06:00:00-05:00", "submission": selected}), encoding="utf-8"
    )
    return path


def test_the_same_rules_come_to_the_same(pitledger: Caller, submission: Path) -> None:
    """Five rounds of $100, the corrected one as it stands: what was recorded is what comes out, however it is cut."""
    called = pitledger("whatif", str(submission), *DAY, "--json")
    [document] = called.documents
    assert (0, 5, {}) == (called.code, document["rounds"], document["refused"])
    assert NOTHING == document["total"]["difference"]
    assert (50_000, document["total"]["recorded"]) == (
        document["total"]["other"]["handle_cents"],
        document["total"]["other"],
    )
    for by, name in (("wager", "blackjack"), ("table", TABLE), ("gaming_day", "2026-11-20")):
        [row] = document[f"by_{by}"]
        assert (name, document["total"]["other"]) == (row[by], row["other"])


def test_rounds_that_other_rules_do_not_allow_are_counted_with_the_reason(pitledger: Caller, tmp_path: Path) -> None:
    """People read why; nothing of such rounds is in a sum."""
    called = pitledger("whatif", str(_written(tmp_path / "other.json", "pa-633a-2011", decks=6)), *DAY)
    assert 0 == called.code
    assert "5 rounds not settled again: the round is one under pa-633a-2024" in called.stderr


def test_a_run_goes_on_where_another_stood(stack: RunningStack, pitledger: Caller, submission: Path) -> None:
    """What is remembered is not read again: it stays as it was when entries say something else, and new runs do not."""
    command = ("whatif", str(submission), *DAY, "--json", "--processes", "1")
    kept = ("--resume", str(submission.with_suffix(".whatif")))
    [first] = pitledger(*command, *kept).documents
    replaced = """replace(data::text, '"handle_cents":{}', '"handle_cents":{}')::json"""
    change = f"UPDATE round_settlement.entries SET data = {replaced} WHERE event_id = '{TABLE}-1'"
    with altered(stack, "entries", change.format("10000,", "20000,"), change.format("20000,", "10000,")):
        [again] = pitledger(*command, *kept).documents
        [anew] = pitledger(*command).documents
    assert first == again
    assert (60_000, -10_000) == (anew["total"]["recorded"]["handle_cents"], anew["total"]["difference"]["handle_cents"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "give --day or --month"),
        (("--day", "yesterday"), 2, "YYYY-MM-DD"),
        (("--month", "2026-10"), 4, "no round of blackjack stands at riverside from 2026-10-01 to 2026-10-31"),
        ((*DAY, "--table", "BJ-99"), 2, "the submission lists BJ-01"),
    ],
)
def test_a_wrong_question_names_the_way_out(
    pitledger: Caller, submission: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    """No page of zeros."""
    called = pitledger("whatif", str(submission), *words)
    assert (code, True) == (called.code, said in called.stderr), called.stderr
