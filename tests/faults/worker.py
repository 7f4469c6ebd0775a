"""Runs one service in a process of its own, with a clock that stands still, and ends it by SIGKILL at a durable step.

    python tests/faults/worker.py SERVICE [--topic NAME] [--kill-at STEP --times N]

Settings come from the environment, as for any service. The clock stands still so that two runs can be compared byte for
byte.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module

from shared.runtime.logs import configure_logs
from shared.runtime.service import Service, serve
from shared.runtime.settings import Settings

MOMENT = datetime(2026, 11, 21, 6, tzinfo=UTC)


def main() -> None:
    """Runs the service."""
    parser = argparse.ArgumentParser()
    parser.add_argument("service")
    parser.add_argument("--topic")
    parser.add_argument("--kill-at")
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()
    service: Service = import_module(f"services.{options.service.replace('-', '_')}").SERVICE
    if options.topic:
        service = replace(service, publishes=options.topic)
    reached: Counter[str] = Counter()

    def step(name: str) -> None:
        reached[name] += 1
        if name == options.kill_at and reached[name] == options.times:
            os.kill(os.getpid(), signal.SIGKILL)

    configure_logs(form="json", level="info", service=service.name)
    asyncio.run(serve(service, Settings(), clock=lambda: MOMENT, step=step))


if __name__ == "__main__":
    sys.exit(main())
