"""Runs one service whose clock is wrong by as much as a file says: `python -m tests.twin.clocked SERVICE FILE`.

The clock jumps when the file changes, while the service runs; all else is as `pitledger run` does it.
"""

import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import uvloop

from services.cli.services import load
from shared.runtime.clock import utc_now
from shared.runtime.logs import configure_logs, of_service
from shared.runtime.process.run import serve
from shared.runtime.process.shutdown import end_in_time
from shared.runtime.settings import Settings


def main(words: Sequence[str]) -> None:
    """Run the service until it is told to stop."""
    service, file = words
    shift = Path(file)

    def clock() -> datetime:
        return utc_now() + timedelta(seconds=float(shift.read_text() or 0))

    settings = Settings()
    configure_logs(form="json", level="info", lines_per_minute_max=600)
    of_service(service)
    uvloop.run(serve(load(service), settings, clock=clock, ending=end_in_time))


if __name__ == "__main__":
    main(sys.argv[1:])
