"""Round records as data files of the rules' tests write them: changes to the legal round of a game.

A folder holds `base.yaml` with the regulation, and the submission and the round that its entries change. An entry may
replace the `regulation`, the `submission` and fields of the `round`, which may also stand beside it; `seat_2` and
`wagers_2` change seat 2 of the base (null takes a wager away), `also` is one seat more, and `withdrawn` and
`withdrawn_options` are not offered.
"""

import copy
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from shared.rules import Settlement, parse_round, parse_submission, settle

Document: TypeAlias = dict[str, Any]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser in C, where there is one: the data files are long."""

_FIELDS = ("seats", "dealer", "community", "meters", "irregularities")


def read(path: Path) -> Any:
    """Return the content of a data file."""
    return yaml.load(path.read_text(encoding="utf-8"), _LOADER)


def settle_entry(folder: Path, entry: Document) -> Settlement:
    """Settle the legal round of a folder with the changes of an entry."""
    base: Document = copy.deepcopy(_base(folder))
    regulation = (base | entry)["regulation"]
    submission = parse_submission(_submission(base, entry))
    return settle(regulation, parse_round(regulation, _round(base, entry)), submission)


@cache
def _base(folder: Path) -> Document:
    base: Document = read(folder / "base.yaml")
    return base


def _submission(base: Document, entry: Document) -> Document:
    submission: Document = entry["submission"] if "submission" in entry else base.get("submission", {})
    for wager in entry.get("withdrawn", []):
        del submission["wagers"][wager]
    for option in entry.get("withdrawn_options", []):
        del submission["wagers"]["five_card_hand_bonus"][option]
    return submission


def _round(base: Document, entry: Document) -> Document:
    round_ = base.get("round", {}) | {field: entry[field] for field in _FIELDS if field in entry}
    if "seats" not in entry and "round" in base:
        round_["seats"] = [_seat(seat, entry) for seat in round_["seats"]]
    round_ |= copy.deepcopy(entry.get("round", {}))
    round_["seats"] = [*round_["seats"], *([entry["also"]] if "also" in entry else [])]
    return {field: value for field, value in round_.items() if value is not None}


def _seat(seat: Document, entry: Document) -> Document:
    number = seat["seat"]
    seat["wagers"] |= entry.get(f"wagers_{number}", {})
    seat |= entry.get(f"seat_{number}", {})
    seat["wagers"] = {wager: cents for wager, cents in seat["wagers"].items() if cents is not None}
    return seat
