"""The public API for notebooks and tools: settle a round, price a submission's wagers, verify and read an export.

No function here needs a database, a broker or a service. All other modules of this distribution are internal.

>>> import pitledger
>>> seat = {"seat": 1, "player": "p1", "wagers": {"blackjack": 1500}, "dealt": ["Ac", "Jd"]}
>>> played = {"seats": [seat | {"hands": [{"cards": ["Ac", "Jd"]}]}], "dealer": {"cards": ["Td", "8s"]}}
>>> case = {"regulation": "pa-633a-2024", "submission": {"decks": 6}, "round": played}
>>> [(line.outcome, line.payout) for line in pitledger.settle(case).lines]
[('win', 2250)]
>>> [blackjack, *_] = pitledger.price(case)
>>> blackjack.offer.name, round(float(blackjack.play.house_edge), 4)
('blackjack', 0.002)
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from infra.verifier import Misused, Wrong, lines_of, trust_of
from infra.verifier import verify as _verify
from shared.rules import Line, Refused, Settlement, compile_rules, parse_round, parse_submission
from shared.rules.paybacks import WagerPayback, paybacks

__all__ = ["Line", "Misused", "Refused", "Settlement", "WagerPayback", "Wrong", "entries", "price", "settle", "verify"]


def settle(document: Mapping[str, Any]) -> Settlement:
    """Return the settlement of a round: one line for each wager, and each meter's reading afterwards, in cents.

    The document has `regulation`, `submission` and `round`, like a case file of `pitledger settle`. Raises: Refused,
    with the paragraph, if the regulation or the submission does not allow the recorded round; KeyError for a missing
    member.
    """
    rules = compile_rules(document["regulation"], parse_submission(document["submission"]))
    return rules.settle(parse_round(document["regulation"], document["round"]))


def price(document: Mapping[str, Any], meters: Mapping[str, int] = MappingProxyType({})) -> list[WagerPayback]:
    """Return the exact payback of each wager that a submission offers, in the order of the catalogue.

    The document has `regulation` and `submission`. `meters` is wager -> reading of its meter, in cents; any other meter
    shows its reset amount. If a payback cannot be computed, its `reason` explains why. Raises: Refused if the
    regulation does not allow the submission, or a reading belongs to no meter; KeyError for a missing member.
    """
    return list(paybacks(document["regulation"], parse_submission(document["submission"]), meters))


def verify(
    file: str | Path, keys: Sequence[str], witnesses: Sequence[str] = (), *, witnesses_min: int | None = None
) -> list[dict[str, Any]]:
    """Verify a file that `pitledger prove` or `pitledger export` wrote; return what it proves, a document for each log.

    `keys` and `witnesses` are keys, or paths of files with keys, that were obtained over a tamper-proof channel. Every
    witness must have cosigned, or at least `witnesses_min` of them if that is given. Raises: Wrong if a check fails,
    Misused if the given keys cannot prove anything, OSError if a file cannot be read.
    """
    with Path(file).open(encoding="utf-8", newline="\n") as content:
        return list(_verify(iter(content), trust_of(keys, witnesses, witnesses_min)))


def entries(
    file: str | Path, keys: Sequence[str], witnesses: Sequence[str] = (), *, witnesses_min: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the entries of an export, each with its postings, after verifying the whole export.

    The file is read twice and must not change in between. Raises the same errors as `verify`.
    """
    verify(file, keys, witnesses, witnesses_min=witnesses_min)
    with Path(file).open(encoding="utf-8", newline="\n") as content:
        yield from (line for line in lines_of(content) if "postings" in line)
