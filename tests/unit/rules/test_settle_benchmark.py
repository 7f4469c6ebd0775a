"""The benchmark measures what it says."""

import pytest

from loadtest.bench.settle_benchmark import measure, report
from loadtest.floor.full_rounds import FULL_ROUNDS, FullRound
from shared.rules import catalogue, compile_rules, parse_round, parse_submission

GAMES = pytest.mark.parametrize("full", FULL_ROUNDS, ids=lambda full: full.regulation)


@GAMES
def test_the_measured_round_is_full(full: FullRound) -> None:
    """Every seat of the table is taken, and the round settles to the stated number of lines."""
    rules = compile_rules(full.regulation, parse_submission(full.submission))
    settled = rules.settle(parse_round(full.regulation, full.document(500)))
    assert full.lines == len(settled.lines)
    assert catalogue(full.regulation).seats.most == len({line.seat for line in settled.lines})


@GAMES
def test_the_figures_are_medians_of_the_same_run(full: FullRound) -> None:
    """Decode, settle and the reference loop are all timed and shown."""
    measured = measure(full, repeats=1)
    assert min(measured.decode_us, measured.settle_us, measured.reference_us) > 0
    head, line = report([measured]).splitlines()
    assert ["decode", "settle", "reference"] == head.split()
    assert full.regulation == line.split()[0]
