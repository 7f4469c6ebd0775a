"""Table inventory: what every table holds and should hold, what was dropped and counted, and the win of § 601a.9."""

from services.table_inventory.processing import PitEvents, Settlements
from services.table_inventory.routes import routes
from services.table_inventory.tables import journal
from services.table_inventory.watch import watch
from shared.contracts import inventory_events
from shared.runtime.service.run import Parts, Service

__all__ = ["SERVICE"]


def _processors(parts: Parts) -> tuple[PitEvents, Settlements]:
    del parts
    return (PitEvents(), Settlements())


SERVICE = Service(
    name="table-inventory",
    tables=journal,
    processors=_processors,
    publishes=inventory_events.TOPIC,
    router=routes,
    watch=watch,
)
