"""Wagering accounts: patrons' wallets and the game accounts of sessions at electronic tables, to the cent."""

from services.wagering_accounts.processing import Settlements
from services.wagering_accounts.routes import routes
from services.wagering_accounts.tables import journal
from shared.contracts import account_events
from shared.runtime.service.run import Service

__all__ = ["SERVICE"]

SERVICE = Service(
    name="wagering-accounts",
    tables=journal,
    processors=lambda parts: (Settlements(),),  # noqa: ARG005
    publishes=account_events.TOPIC,
    router=routes,
)
