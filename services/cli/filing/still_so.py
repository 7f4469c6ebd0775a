"""Refuse to release a filing whose amounts no longer hold."""

from collections.abc import Mapping
from typing import Any

from services.cli.client import client_of
from services.cli.exits import InputRefused
from shared.runtime.filing.still_so import changed_since_prepared, report_behind


def require_still_so(filing: Mapping[str, Any]) -> None:
    """Raise InputRefused for a filing with other amounts than hold now.

    The service that releases a filing does not have the movements and winnings behind it: the currency report and the
    winnings report have them.
    """
    name, asked = report_behind(filing)
    with client_of("reporting") as reporting:
        report = reporting.read(f"/reports/{name}", **asked)
    if changed := changed_since_prepared(filing, report):
        error = InputRefused(
            f"filing {filing['filing']} of {filing['property']} no longer holds: withdraw it, and prepare it again"
        )
        error.details = "\n".join(map(str, changed))
        raise error
