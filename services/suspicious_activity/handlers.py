"""Handlers of suspicious activity reports: they read the approved properties only."""

from services.suspicious_activity.tables import properties
from shared.runtime.ingest.property_copies import Properties


class ApprovedProperties(Properties):
    """Keeps the approved properties, with their gaming days and their law on suspicious activity."""

    copies = (properties,)
