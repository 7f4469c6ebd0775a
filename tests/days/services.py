"""The same pit, before the services themselves: each pit has them on a database of its own."""

from typing import ClassVar

from tests.days.comparing import Ledger
from tests.days.machine import Pit
from tests.days.reported import require_all, unlike_reported
from tests.days.stage import DAY
from tests.days.through import Through
from tests.support.databases import Databases
from tests.support.services import settled_database


class PitThroughServices(Pit):
    """Tables of which table inventory, reporting and the meters are told."""

    databases: ClassVar[Databases]

    def ledger(self) -> Ledger:
        """Give the services a database of their own."""
        url = settled_database(self.databases, "table-inventory", "reporting", "progressive-meters")
        self.through = Through(self.place, url, self.first)
        return self.through

    def looks(self) -> None:
        """State what is due, and compare it; then what reports say of the days that are stated."""
        super().looks()
        seen = self.seen()
        today = self.today()
        for day in (today - DAY, today):
            self.require(list(unlike_reported(self.through, seen, day)))
            self.played["reported days"] += 1

    def ends(self) -> None:
        """Look at all days, and close them, one after the other."""
        seen = self.seen()
        for day in seen.days():
            self.require(list(unlike_reported(self.through, seen, day)))
            self.close_day(day, steps=3)
            require_all(self.through, day)
        self.played["sealed days"] += len(self.through.sealed)
        for day in seen.days():
            self.require(list(unlike_reported(self.through, seen, day)))

    def teardown(self) -> None:
        """End the services, whatever was found."""
        try:
            super().teardown()
        finally:
            if hasattr(self, "through"):
                self.through.close()
                self.databases.drop(self.through.url)
