"""What a fact changes in the books. Pure.

Commands and settlements decide what is recorded, and change the books here and nowhere else, by what is recorded; so
the journal leads to the same books when it is read again.
"""

from datetime import datetime

from services.wagering_accounts.books import (
    Account,
    Adjustment,
    Books,
    Fact,
    Hold,
    Limit,
    Patron,
    Round,
    RoundAccount,
    RoundKey,
)


def change(books: Books, fact: Fact, at: datetime) -> None:
    """Brings the books to what a fact says, which happened at a moment. Everything that it is about must be at hand.

    Accounts get their versions when the fact is numbered, see `store.number`.
    """
    data, property_name = fact.data, fact.property_name
    match fact.kind:
        case "wager.authorized":
            _authorized(books, fact, at)
        case "wagers.captured":
            _captured(books, fact, at)
        case "wager.released":
            _touched(books, fact, at)
            books.set_hold(books.holds[property_name, data["account"], data["hold"]], "released")
        case "wagers.settled" | "wagers.reversed" | "wagers.voided":
            _result(books, fact, at)
        case "account.opened":
            account, table, patron = data["account"], data["table"], data.get("patron")
            books.add("accounts", Account(property_name, account, "game", table, patron, "open", at))
        case "account.bought_in":
            _bought_in(books, fact)
        case "account.cashed_out":
            _cashed_out(books, fact)
        case "account.adjustment_entered":
            entered = (data["adjustment"], data["cents"], data["reason"], data["by"], at)
            books.add("adjustments", Adjustment(property_name, data["account"], *entered))
        case "account.adjustment_approved" | "account.adjustment_rejected":
            _decided(books, fact, at)
        case "patron.registered":
            assert fact.code is not None, "a patron is registered with an access code"
            books.add("patrons", Patron(property_name, data["patron"], data["wallet"], fact.code))
            wallet = Account(property_name, data["wallet"], "wallet", "", data["patron"], "open", at)
            books.add("accounts", wallet)
        case "patron.code_changed" | "patron.excluded" | "patron.admitted" | "patron.limit_changed" | "access.failed":
            _patron(books, fact, at)
        case _:
            assert fact.kind == "account.refused", f"{fact.kind} does what to the books?"
    books.move(fact.movements)


# --- wagers and rounds ---


def round_version(books: Books, key: RoundKey) -> int:
    """The version that a round has with the fact that is being decided."""
    round_ = books.rounds.get(key)
    return 1 if round_ is None else round_.version + 1


def _touched(books: Books, fact: Fact, at: datetime) -> tuple[Round, bool]:
    """The round with the version that a fact gives it, and whether it had no later one.

    It never has as facts are decided; the journal is read shard by shard, and may come to a later one first.
    """
    key = (fact.property_name, fact.data["table"], fact.data["round_id"])
    round_ = books.rounds.get(key)
    if round_ is None:
        round_ = Round(*key, opened_at=at)
        books.add("rounds", round_)
    version = fact.data["round_version"]
    if version == 1:
        round_.opened_at = at
    latest = version > round_.version
    round_.version = max(version, round_.version)
    books.change("rounds", round_)
    return round_, latest


def _authorized(books: Books, fact: Fact, at: datetime) -> None:
    data = fact.data
    round_, latest = _touched(books, fact, at)
    if latest:
        round_.state = "open"
    wager = (data["hold"], data["table"], data["round_id"], data["seat"], data["wager"], data["cents"])
    books.add("holds", Hold(fact.property_name, data["account"], *wager))


def _captured(books: Books, fact: Fact, at: datetime) -> None:
    for each in fact.data["holds"]:
        books.set_hold(books.holds[fact.property_name, each["account"], each["hold"]], "captured")
    if "round_version" in fact.data:  # else its result had come first
        round_, latest = _touched(books, fact, at)
        if latest:
            round_.state = "captured"


def _result(books: Books, fact: Fact, at: datetime) -> None:
    data = fact.data
    round_, _ = _touched(books, fact, at)
    match fact.kind:
        case "wagers.settled":
            round_.posted = round_.posted | {data["revision"]}
        case "wagers.reversed":
            round_.reversed = round_.reversed | {data["revision"]}
        case _:
            round_.voided = True
    if round_.posted - round_.reversed:
        round_.state = "settled"
    elif round_.posted or round_.voided:
        round_.state = "void"
    for each in data["holds"]:
        books.set_hold(books.holds[fact.property_name, each["account"], each["hold"]], each["state"])
    for each in data["accounts"]:
        key = (*round_.key, each["account"])
        part = books.round_accounts.get(key)
        if part is None:
            part = RoundAccount(*key)
            books.add("round_accounts", part)
        part.staked += each["staked"]
        part.credited += each["credited"]
        part.covered += each["released"]
        part.shortage += each.get("shortage", 0)
        books.change("round_accounts", part)


# --- money in and out ---


def _bought_in(books: Books, fact: Fact) -> None:
    assert fact.account is not None, "a buy-in is about an account"
    account = books.accounts[fact.account]
    patron = books.patron_of(account)
    if fact.data["instrument"] == "wallet":
        assert patron is not None, "a wallet has a patron"
        _code_was_right(books, patron)
    if patron is not None and account.kind == "game":
        patron.bought_in = patron.bought_in_during(fact.gaming_day) + fact.data["cents"]
        patron.bought_in_on = fact.gaming_day
        books.change("patrons", patron)


def _cashed_out(books: Books, fact: Fact) -> None:
    assert fact.account is not None, "a cash-out is about an account"
    account = books.accounts[fact.account]
    if account.kind == "wallet":
        patron = books.patron_of(account)
        assert patron is not None, "a wallet has a patron"
        if patron.excluded_at is None:
            _code_was_right(books, patron)
    if fact.data["closed"]:
        account.status = "closed"
        books.change("accounts", account)


def _decided(books: Books, fact: Fact, at: datetime) -> None:
    data = fact.data
    adjustment = books.adjustments[fact.property_name, data["account"], data["adjustment"]]
    adjustment.decided_by, adjustment.decided_at = data["by"], at
    if fact.kind == "account.adjustment_approved":
        adjustment.state, adjustment.before, adjustment.after = "approved", data["before"], data["after"]
    else:
        adjustment.state = "rejected"
    books.change("adjustments", adjustment)


# --- patrons ---


def _patron(books: Books, fact: Fact, at: datetime) -> None:
    data = fact.data
    patron = books.patrons[fact.property_name, data["patron"]]
    match fact.kind:
        case "patron.code_changed":
            assert fact.code is not None, "a changed access code is another one"
            patron.code, patron.failed_codes, patron.locked_until = fact.code, 0, None
        case "patron.excluded":
            patron.excluded_at = at
        case "patron.admitted":
            patron.excluded_at = None
        case "patron.limit_changed":
            later = datetime.fromisoformat(data["effective_from"])
            changed = patron.limits.get(data["limit"], Limit()).changed(data["cents"], at, later)
            patron.limits = {**patron.limits, data["limit"]: changed}
        case _:  # a wrong access code
            locked_until = data["locked_until"]
            patron.locked_until = None if locked_until is None else datetime.fromisoformat(locked_until)
            patron.failed_codes = data["failed"] if locked_until is None else 0
    books.change("patrons", patron)


def _code_was_right(books: Books, patron: Patron) -> None:
    """Forgets the wrong codes before a right one."""
    if patron.failed_codes or patron.locked_until is not None:
        patron.failed_codes, patron.locked_until = 0, None
        books.change("patrons", patron)
