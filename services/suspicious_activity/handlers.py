"""Handlers of suspicious activity reports: the approved properties, and nothing else."""

from services.suspicious_activity.tables import properties
from shared.runtime.ingest.property_copies import Properties


class ApprovedProperties(Properties):
    """Keeps the approved properties: their gaming days, and the law on suspicious activity."""

    copies = (properties,)
