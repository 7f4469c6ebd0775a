"""What notebooks and tools import: settle a round, price a submission's wagers, verify and read what was exported.

Nothing here needs a database, a broker or a service. What other modules of this distribution have is internal.

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
    """Return the settlement of a round: lines by wager, and what each meter shows afterwards, in cents.

    The document has `regulation`, `submission` and `round`, as a case file of `pitledger settle`. Raises: Refused, with
    the paragraph, where the regulation or the submission does not allow what the round says; KeyError.
    """
    rules = compile_rules(document["regulation"], parse_submission(document["submission"]))
    return rules.settle(parse_round(document["regulation"], document["round"]))


def price(document: Mapping[str, Any], meters: Mapping[str, int] = MappingProxyType({})) -> list[WagerPayback]:
    """Return the exact payback of each wager that a submission offers, in the order of the catalogue.

    The document has `regulation` and `submission`; `meters` says in cents what a wager's meter shows, by default its
    reset amount. A wager that cannot be computed says why in `reason`. Raises: Refused; KeyError.
    """
    return list(paybacks(document["regulation"], parse_submission(document["submission"]), meters))


def verify(
    file: str | Path, keys: Sequence[str], witnesses: Sequence[str] = (), *, witnesses_min: int | None = None
) -> list[dict[str, Any]]:
    """Verify what `pitledger prove` or `pitledger export` wrote; return what is proven, one document for each log.

    `keys` and `witnesses` are keys, or files of keys, that came on a path that nobody can tamper with; unless
    `witnesses_min` says otherwise, every witness must have cosigned. Raises: Wrong where something does not hold,
    Misused where the keys prove nothing, OSError.
    """
    with Path(file).open(encoding="utf-8", newline="\n") as content:
        return list(_verify(iter(content), trust_of(keys, witnesses, witnesses_min)))


def entries(
    file: str | Path, keys: Sequence[str], witnesses: Sequence[str] = (), *, witnesses_min: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the entries of an export, each with its postings, after all of the export was verified.

    The file is read twice and must not change meanwhile. Raises: as `verify`.
    """
    verify(file, keys, witnesses, witnesses_min=witnesses_min)
    with Path(file).open(encoding="utf-8", newline="\n") as content:
        yield from (line for line in lines_of(content) if "postings" in line)
