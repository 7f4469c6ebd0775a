"""The general ledger of a casino in beancount, beside the journals of its services."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Final
from urllib.parse import quote
from zoneinfo import ZoneInfo

from tests.support.ledger_mappings import PROGRAM_ROOTS, mapping_document, mapping_event, remapped
from tests.support.pit import PROPERTY
from tests.support.programs import beancount_of
from tests.support.twins import LATER, World

_ZONE: Final = ZoneInfo("America/New_York")
_BEGINS: Final = time(4)
_PLACE: Final = 40
"""Where on `properties` the mappings are, behind what else the property has filed."""


@dataclass(frozen=True)
class SecondLedger:
    """The journals of gaming days that are sealed, month by month, as a program reads them."""

    world: World
    days: Sequence[date]

    def map_legs(self, *, version: int, table_inventory: tuple[str, str] | None = None) -> None:
        """Let reporting know of a mapping; one that has a leg elsewhere is in effect from the last day on."""
        said = {}
        if table_inventory is not None:
            leg, account = table_inventory
            said["rules"] = remapped("table-inventory", leg, account=account)["rules"]
            said["effective_from"] = datetime.combine(self.days[-1], _BEGINS, _ZONE).isoformat()
        event = mapping_event(PROPERTY, sequence=_PLACE + version, version=version, **said)
        self.world.books.desk.feed("properties", event)

    def balances(self, folder: Path) -> dict[str, int]:
        """Return the balance of each account, cents, added up by the program over the months."""
        found: Counter[str] = Counter()
        self.world.books.read_until(datetime.fromisoformat(LATER))
        for month in dict.fromkeys(day.replace(day=1) for day in self.days):
            first = next(day for day in self.days if day.replace(day=1) == month)
            asked = f"property={PROPERTY}&gaming_day={first}&period=month&as=beancount&partial=true"
            answer = self.world.books.get(f"/general-ledger/journals?{asked}&known_at={quote(LATER)}")
            assert answer.status_code == 200, answer.text
            found.update(beancount_of(answer.content, folder))
        return {account: cents for account, cents in found.items() if cents}

    def of_journals(self, won_by_rounds: int) -> dict[str, int]:
        """Return what each account should come to, by the postings of the services and the win of the rounds, cents."""
        document = mapping_document()
        kinds = {one["account"]: one["kind"] for one in document["accounts"]}
        of_leg = {
            (one["service"], one["leg"], one.get("item", "")): one["account"]
            for one in document["rules"]
            if "game" not in one  # no baccarat is settled here
        }
        found: Counter[str] = Counter(
            {
                of_leg["round-settlement", "handle", ""]: -won_by_rounds,
                of_leg["round-settlement", "chips", ""]: won_by_rounds,
            }
        )
        for desk in (self.world.inventory.desk, self.world.vigorish):
            for entry in desk.entries():
                if entry.draft.gaming_day in self.days:
                    for account, cents in entry.draft.postings:
                        leg = (desk.manifest.name, account.leg)
                        found[of_leg.get((*leg, account.wager)) or of_leg[(*leg, "")]] += cents
        return {f"{PROGRAM_ROOTS[kinds[account]]}:{account}": cents for account, cents in found.items() if cents}
