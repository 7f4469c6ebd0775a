"""The rules of each regulation: a licensee's selections, the settlement of rounds, the average returns of wagers."""

from shared.rules._regulations import (
    REGULATIONS,
    compile_rules,
    game_of,
    games,
    parse_round,
    payback,
    play,
    returns,
    round_type,
    settle,
    validate_submission,
)
from shared.rules.catalogue import catalogue
from shared.rules.errors import Finding, Refused
from shared.rules.filing import check_submission
from shared.rules.game import Rules
from shared.rules.line import Line
from shared.rules.play import Play
from shared.rules.record import CaseFile, Round, Submission, parse_cases, parse_submission
from shared.rules.returns import Returns
from shared.rules.settlement import Contribution, Settlement

__all__ = [
    "REGULATIONS",
    "CaseFile",
    "Contribution",
    "Finding",
    "Line",
    "Play",
    "Refused",
    "Returns",
    "Round",
    "Rules",
    "Settlement",
    "Submission",
    "catalogue",
    "check_submission",
    "compile_rules",
    "game_of",
    "games",
    "parse_cases",
    "parse_round",
    "parse_submission",
    "payback",
    "play",
    "returns",
    "round_type",
    "settle",
    "validate_submission",
]
