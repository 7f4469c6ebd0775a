"""What a settlement does on the accounts. Pure.

A round's holds end when its result comes or when it is void: they are given back, and the result takes what was staked
and credits what was won, in one entry. A result that comes before "no more bets" was heard of does the same. A revision
that was posted and taken back does nothing, in whichever order the two come. So the accounts end the same whatever the
order of commands and settlements, and the leg `account_funded` is to the cent the opposite of settlement's own.

What cannot be taken back because it was paid out is a shortage of that round: an exception, and the first thing that a
further revision of the round makes good.
"""

from typing import Any

from services.wagering_accounts.books import (
    Account,
    AccountKey,
    Books,
    Fact,
    Movement,
    Round,
    RoundAccount,
    RoundKey,
)
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
    if round_ is None:
        round_ = Round(*key, opened_at=event.time)
        books.add("rounds", round_)
    applies = _applies(event, round_)
    _count(event, round_)
    released = _released(round_, credited if applies else (), books) if not isinstance(event, Reversed) else {}
    books.touch(round_)
    return _fact(event, round_, credited if applies else (), released, books)


def _require_known(event: RoundEntry, credited: tuple[Credit, ...], books: Books) -> None:
    for credit in credited:
        account = books.accounts.get((event.data.property, credit.account))
        if account is None or account.kind != "game":
            raise Refused(
                f"'account_credits': there is no game account {credit.account} at {event.data.property}; "
                "open it, then replay this record",
                seat=credit.seat,
            )


def _applies(event: RoundEntry, round_: Round) -> bool:
    match event:
        case Posted():
            return event.data.revision not in round_.reversed
        case Reversed():
            return event.data.revision in round_.posted
        case Voided():
            return False


def _count(event: RoundEntry, round_: Round) -> None:
    match event:
        case Posted():
            round_.posted = round_.posted | {event.data.revision}
        case Reversed():
            round_.reversed = round_.reversed | {event.data.revision}
        case Voided():
            round_.voided = True
    if round_.posted - round_.reversed:
        round_.state = "settled"
    elif round_.posted or round_.voided:
        round_.state = "void"


def _released(round_: Round, credited: tuple[Credit, ...], books: Books) -> dict[AccountKey, tuple[int, int]]:
    """Ends the holds of a round; gives what is thereby no more held and no more in play, by account."""
    staked = {(credit.account, credit.seat, credit.wager) for credit in credited if credit.staked}
    found: dict[AccountKey, tuple[int, int]] = {}
    for hold in sorted(books.holds_by_round.get(round_.key, ()), key=lambda hold: hold.key):
        if hold.state not in ("held", "captured"):
            continue
        account = (hold.property_name, hold.account)
        held, in_play = found.get(account, (0, 0))
        found[account] = (held + hold.cents, in_play) if hold.state == "held" else (held, in_play + hold.cents)
        books.set_hold(hold, "settled" if (hold.account, hold.seat, hold.wager) in staked else "released")
    return found


def _fact(
    event: RoundEntry,
    round_: Round,
    credited: tuple[Credit, ...],
    released: dict[AccountKey, tuple[int, int]],
    books: Books,
) -> Fact:
    data: dict[str, Any] = {
        "property": round_.property_name,
        "table": round_.table,
        "game": event.data.game,
        "round_id": round_.round_id,
    }
    if not isinstance(event, Voided):
        data["revision"] = event.data.revision
    funded: dict[str, int] = {}
    by_account: dict[AccountKey, list[int]] = {key: [0, 0] for key in released}
    for credit in credited:
        sums = by_account.setdefault((round_.property_name, credit.account), [0, 0])
        sums[0] += credit.staked
        sums[1] += credit.credited
        funded[credit.wager] = funded.get(credit.wager, 0) + credit.credited - credit.staked
    movements: list[Movement] = []
    flows = {"staked": 0, "credited": 0, "short": 0}
    accounts: list[dict[str, Any]] = []
    for key, (staked, won) in sorted(by_account.items()):
        held, in_play = released.get(key, (0, 0))
        account, part = books.accounts[key], _part(round_, key, books)
        part.covered += held + in_play
        part.staked += staked
        part.credited += won
        paid, short = _paid(account, part, held + in_play, won - staked)
        movements.append(Movement(key, available=held + in_play + paid, held=-held, staked=-in_play))
        flows["staked"] -= staked
        flows["credited"] += won
        flows["short"] += short
        accounts.append(
            {"account": key[1], "staked": staked, "credited": won, "released": held + in_play}
            | ({"shortage": short} if short else {})
        )
    books.move(movements)
    others = [
        Posting(Leg(round_.property_name, round_.table, wager, "account_funded"), n) for wager, n in funded.items()
    ]
    others.append(Posting(Leg(round_.property_name, round_.table, "", "shortage"), flows["short"]))
    data |= {"accounts": accounts, "movements": [movement.as_document() for movement in movements]}
    return Fact(
        {Posted: SETTLED, Reversed: REVERSED, Voided: VOIDED}[type(event)],
        data,
        round_.property_name,
        event.data.gaming_day,
        None,
        movements,
        others,
        {name: cents for name, cents in flows.items() if cents},
        (round_.table, round_.round_id),
    )


def _paid(account: Account, part: RoundAccount, released: int, cents: int) -> tuple[int, int]:
    """What a change does on an account beside the release of its holds, and how the shortage of the round changes."""
    if cents >= 0:
        made_good = min(part.shortage, cents)
        part.shortage -= made_good
        return cents - made_good, -made_good
    taken = min(account.available + released, -cents)
    part.shortage += -cents - taken
    return -taken, -cents - taken


def _part(round_: Round, account: AccountKey, books: Books) -> RoundAccount:
    key = (*round_.key, account[1])
    part = books.round_accounts.get(key)
    if part is None:
        part = RoundAccount(*key)
        books.add("round_accounts", part)
    books.change("round_accounts", part)
    return part
