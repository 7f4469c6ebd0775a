"""What a settlement does on the accounts. Pure.

A round's holds end when its result comes or when it is void: they are given back, and the result takes what was staked
and credits what was won, in one entry. A result that comes before "no more bets" was heard of does the same. A revision
that was posted and taken back does nothing, in whichever order the two come. So the accounts end the same whatever the
order of commands and settlements, and the leg `account_funded` is to the cent the opposite of settlement's own.

What cannot be taken back because it was paid out is a shortage of that round: an exception, and the first thing that a
further revision of the round makes good.
"""

from collections.abc import Sequence
from typing import Any

from services.wagering_accounts.books import (
    Account,
    AccountKey,
    Books,
    Fact,
    Hold,
    Movement,
    Round,
    RoundKey,
)
from services.wagering_accounts.changes import change, round_version
from services.wagering_accounts.events import Credit, Posted, Reversed, RoundEntry, Voided
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.rules.errors import Refused

SETTLED = "wagers.settled"
REVERSED = "wagers.reversed"
VOIDED = "wagers.voided"


def round_key(event: RoundEntry) -> RoundKey:
    """The round that an event is about."""
    return (event.data.property, event.data.table, event.data.round_id)


def settle(event: RoundEntry, books: Books) -> Fact | None:
    """What follows from a settlement; None where no account is concerned.

    Raises: Refused where an account is not known, before anything changes.
    """
    key = round_key(event)
    credited = () if isinstance(event, Voided) else event.data.account_credits
    round_ = books.rounds.get(key)
    if round_ is None and not credited:
        return None
    _require_known(event, credited, books)
    ended = () if isinstance(event, Reversed) else _live_holds(books, key)
    fact = _fact(event, ended, credited if _applies(event, round_) else (), books)
    change(books, fact, event.time)
    return fact


def _require_known(event: RoundEntry, credited: tuple[Credit, ...], books: Books) -> None:
    for credit in credited:
        account = books.accounts.get((event.data.property, credit.account))
        if account is None or account.kind != "game":
            raise Refused(
                f"'account_credits': there is no game account {credit.account} at {event.data.property}; "
                "open it, then replay this record",
                seat=credit.seat,
            )


def _applies(event: RoundEntry, round_: Round | None) -> bool:
    match event:
        case Posted():
            return round_ is None or event.data.revision not in round_.reversed
        case Reversed():
            return round_ is not None and event.data.revision in round_.posted
        case Voided():
            return False


def _live_holds(books: Books, key: RoundKey) -> Sequence[Hold]:
    """The holds of a round that its result ends."""
    found = (hold for hold in books.holds_by_round.get(key, ()) if hold.state in ("held", "captured"))
    return sorted(found, key=lambda hold: hold.key)


def _released(ended: Sequence[Hold]) -> dict[AccountKey, tuple[int, int]]:
    """What is no more held and no more in play, by account, cents."""
    found: dict[AccountKey, tuple[int, int]] = {}
    for hold in ended:
        account = hold.account_key
        held, in_play = found.get(account, (0, 0))
        found[account] = (held + hold.cents, in_play) if hold.state == "held" else (held, in_play + hold.cents)
    return found


def _fact(event: RoundEntry, ended: Sequence[Hold], credited: tuple[Credit, ...], books: Books) -> Fact:
    property_name, table, round_id = key = round_key(event)
    released = _released(ended)
    funded: dict[str, int] = {}
    by_account: dict[AccountKey, list[int]] = {account_key: [0, 0] for account_key in released}
    for credit in credited:
        sums = by_account.setdefault((property_name, credit.account), [0, 0])
        sums[0] += credit.staked
        sums[1] += credit.credited
        funded[credit.wager] = funded.get(credit.wager, 0) + credit.credited - credit.staked
    movements: list[Movement] = []
    accounts: list[dict[str, Any]] = []
    shortages = 0
    for account_key, (staked, won) in sorted(by_account.items()):
        held, in_play = released.get(account_key, (0, 0))
        part = books.round_accounts.get((*key, account_key[1]))
        before = 0 if part is None else part.shortage
        paid, short = _paid(books.accounts[account_key], before, held + in_play, won - staked)
        movements.append(Movement(account_key, available=held + in_play + paid, held=-held, staked=-in_play))
        shortages += short
        accounts.append(
            {"account": account_key[1], "staked": staked, "credited": won, "released": held + in_play}
            | ({"shortage": short} if short else {})
        )
    data: dict[str, Any] = {
        "property": property_name,
        "table": table,
        "game": event.data.game,
        "round_id": round_id,
        "round_version": round_version(books, key),
    }
    if not isinstance(event, Voided):
        data["revision"] = event.data.revision
    stakes = {(credit.account, credit.seat, credit.wager) for credit in credited if credit.staked}
    data["holds"] = [
        {
            "account": hold.account,
            "hold": hold.number,
            "state": "settled" if (hold.account, hold.seat, hold.wager) in stakes else "released",
        }
        for hold in ended
    ]
    data |= {"accounts": accounts, "movements": [movement.as_document() for movement in movements]}
    others = [Posting(Leg(property_name, table, wager, "account_funded"), cents) for wager, cents in funded.items()]
    others.append(Posting(Leg(property_name, table, "", "shortage"), shortages))
    kind = {Posted: SETTLED, Reversed: REVERSED, Voided: VOIDED}[type(event)]
    return Fact(kind, data, property_name, event.data.gaming_day, None, movements, others)


def _paid(account: Account, shortage: int, released: int, cents: int) -> tuple[int, int]:
    """What a change does on an account beside the release of its holds, and how the shortage of the round changes."""
    if cents >= 0:
        made_good = min(shortage, cents)
        return cents - made_good, -made_good
    taken = min(account.available + released, -cents)
    return -taken, -cents - taken
