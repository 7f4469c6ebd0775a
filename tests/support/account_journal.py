"""The journal of the wagering accounts, as reporting reads it."""

from typing import Any

from tests.support.published import Journal
from tests.unit.reporting.entries import DAY, NOON


class AccountJournal(Journal):
    """Makes the entries of the wagering accounts."""

    def __init__(self, begun: Any = NOON) -> None:
        super().__init__("wagering-accounts", begun)

    def opened(self, account: str, table: str) -> dict[str, Any]:
        """A game account was opened."""
        return self.entry("account.opened", by_cage(account) | {"table": table})

    def registered(self, wallet: str) -> dict[str, Any]:
        """A patron got a wallet."""
        return self.entry(
            "patron.registered", {"property": "riverside", "patron": "p-1", "by": "cage", "wallet": wallet}
        )

    def bought_in(self, account: str, cents: int, instrument: str = "cash", **more: Any) -> dict[str, Any]:
        """Money came to an account; from a wallet, it left that."""
        moved = [moved_of(account, available_cents=cents)]
        if "wallet" in more:
            moved.append({"account": more.pop("wallet"), "available_cents": -cents})
        said = {"instrument": instrument, "cents": cents, "movements": moved}
        return self.entry("account.bought_in", by_cage(account) | said | more)

    def cashed_out(self, account: str, cents: int, instrument: str = "cash", **more: Any) -> dict[str, Any]:
        """Money left an account."""
        moved = [moved_of(account, available_cents=-cents)]
        said = {"instrument": instrument, "cents": cents, "movements": moved, "closed": False}
        return self.entry("account.cashed_out", by_cage(account) | said | more)

    def held(self, account: str, round_id: str, cents: int) -> dict[str, Any]:
        """A wager is on hold."""
        said = {"hold": self.seq, "cents": cents, "round_version": 1, "seat": 1, "wager": "blackjack"}
        moved = [moved_of(account, available_cents=-cents, held_cents=cents)]
        return self.entry("wager.authorized", by_cage(account) | in_round(round_id) | said | {"movements": moved})

    def captured(self, account: str, round_id: str, cents: int) -> dict[str, Any]:
        """The wager is in play."""
        moved = [moved_of(account, held_cents=-cents, staked_cents=cents)]
        said = {"by": "table", "round_version": 2, "holds": [{"account": account, "hold": 1, "cents": cents}]}
        return self.entry(
            "wagers.captured", {"property": "riverside"} | in_round(round_id) | said | {"movements": moved}
        )

    def settled(self, account: str, round_id: str, staked: int, credited: int, **more: int) -> dict[str, Any]:
        """The round's result came, or was taken back; what could not be is a shortage."""
        released, shortage = more.pop("released", 0), more.pop("shortage", 0)
        result = {"account": account, "staked_cents": staked, "credited_cents": credited, "released_cents": released}
        available = released + credited - staked + shortage
        moved = [moved_of(account, available_cents=available, staked_cents=-released)]
        said = {"property": "riverside", "game": "blackjack", "gaming_day": DAY, "revision": 1, "round_version": 3}
        of_account = {"accounts": [result | {"shortage_cents": shortage}], "movements": moved}
        kind = "wagers.reversed" if staked < 0 else "wagers.settled"
        return self.entry(kind, said | in_round(round_id) | of_account)

    def promotion(self, what: str, account: str, cents: int) -> dict[str, Any]:
        """Promotional money was granted, written off, expired, or moved from the wallet W-1."""
        moved = [moved_of(account, promotional_cents=-cents if what in ("written_off", "expired") else cents)]
        if what == "moved":
            moved.append(moved_of("W-1", promotional_cents=-cents))
        said = {"cents": cents, "reason": "welcome", "movements": moved}
        said |= {"promotion": 1} if what == "granted" else {}
        return self.entry(f"promotion.{what}", by_cage(account) | said)

    def adjustment(self, step: str, account: str, number: int, cents: int) -> dict[str, Any]:
        """An adjustment was entered, approved or rejected."""
        said = {"adjustment": number, "cents": cents, "reason": "credited twice"}
        if step != "entered":
            said |= {"entered_by": "cage.ann", "by": "control.eve"}
        if step != "rejected":
            said["before_cents"] = 0
        if step == "approved":
            said |= {"after_cents": cents, "movements": [moved_of(account, available_cents=cents)]}
        return self.entry(f"account.adjustment_{step}", by_cage(account) | said)


def moved_of(account: str, **cents: int) -> dict[str, Any]:
    """Return a movement; accounts whose name begins with GA are of sessions at BJ-01."""
    return {"account": account} | ({"table": "BJ-01"} if account.startswith("GA") else {}) | cents


def by_cage(account: str) -> dict[str, Any]:
    return {"property": "riverside", "account": account, "by": "cage.ann"}


def in_round(round_id: str) -> dict[str, Any]:
    return {"table": "BJ-01", "round_id": round_id}
