"""Rounds in which only side bets are wagered, made by hand, and the tests of the days on which they are played."""

from typing import Any, Final

from services.reporting.evidence import evaluate_sealed
from services.reporting.ingest.progress import PROGRESS
from tests.support.reporting import Books
from tests.unit.reporting.entries import DAY, total

SIDE_BET: Final = "royal_match_21"


def evaluate(books: Books) -> int:
    """Test the gaming days that are sealed or restated; return how many."""
    books.desk.client.run(PROGRESS.note(books.desk.context))
    return books.desk.client.run(evaluate_sealed(books.desk.context))


def side_bet_line(seat: int, stake: int, category: str | None, payout: int) -> dict[str, Any]:
    """The line of a side bet: it won in a category, or lost."""
    line = {"seat": seat, "wager": SIDE_BET, "outcome": "win" if category else "lose", "stake": stake}
    line |= {"payout": payout, "stake_returned": stake if category else 0, "from_meter": 0, "paid_by": "house"}
    return line if category is None else line | {"category": category}


def side_bet_round(
    books: Books, seq: int, under: dict[str, Any], *lines: dict[str, Any], day: str = DAY, table: str = "BJ-01"
) -> dict[str, Any]:
    """A round at a table with these side bets alone; its entry is the `seq`-th."""
    cents = sum(line["stake"] for line in lines), sum(line["payout"] + line["stake_returned"] for line in lines)
    record = {"seats": [{"seat": line["seat"], "wagers": {SIDE_BET: line["stake"]}} for line in lines]}
    more: dict[str, Any] = {"lines": list(lines), "record": record, "submission": under, "dealer_id": "d-1"}
    more["gaming_day"] = day
    return books.posted(seq, table, [total(SIDE_BET, handle=cents[0], payout=cents[1])], round_id=f"r-{seq}", **more)
