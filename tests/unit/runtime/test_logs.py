"""So many log lines of a kind in a minute: nobody fills a disk, and what is left out is counted."""

import asyncio
import io
import json
import logging
from typing import Any

import pytest
import structlog

from shared.runtime.logs import LINES_LEFT_OUT, PerMinute, configure_logs, of_service, withhold_details


class Log:
    """Log lines of kinds, on a clock."""

    def __init__(self, lines_max: int) -> None:
        self.now = 0.0
        self.per_minute = PerMinute(lines_max, lambda: self.now)
        self.lines: list[Any] = []

    def say(self, kind: str, **more: Any) -> None:
        """Say a line."""
        try:
            self.lines.append(self.per_minute(None, "warning", {"event": kind, **more}))
        except structlog.DropEvent:
            return


def left_out(kind: str) -> float:
    """How many lines of a kind were left out in this process."""
    return float(LINES_LEFT_OUT.labels(kind)._value.get())


def test_lines_beyond_the_limit_are_left_out_and_counted() -> None:
    """The first of them are there; in the next minute a line says how many were not."""
    log, before = Log(3), left_out("authentication failed")
    for number in range(1000):
        log.say("authentication failed", number=number)
    assert [0, 1, 2] == [line["number"] for line in log.lines]
    assert before + 997 == left_out("authentication failed")
    log.now = 60
    log.say("authentication failed", number=1000)
    assert {"event": "authentication failed", "number": 1000, "left_out": 997} == log.lines[-1]


def test_a_flood_of_one_kind_hides_no_other() -> None:
    """The line that matters is there."""
    log = Log(2)
    for _ in range(100):
        log.say("authentication failed")
    log.say("journal verification found a problem")
    assert "journal verification found a problem" == log.lines[-1]["event"]


def test_a_flood_of_one_service_hides_nothing_of_another_in_its_process() -> None:
    """Each has the lines that are allowed, of one and the same kind, and says how many of its own were left out."""

    async def say(service: str, lines: int) -> None:
        of_service(service)
        for _ in range(lines):
            log.say("authentication failed", service=service)

    async def all_say(*lines: tuple[str, int]) -> None:
        async with asyncio.TaskGroup() as group:
            for each in lines:
                group.create_task(say(*each))

    log = Log(2)
    asyncio.run(all_say(("reporting", 100), ("vigorish", 2)))
    assert ["reporting", "reporting", "vigorish", "vigorish"] == [line["service"] for line in log.lines]
    log.now = 60
    asyncio.run(all_say(("vigorish", 1), ("reporting", 1)))
    found = [(line["service"], line.get("left_out")) for line in log.lines[4:]]
    assert [("vigorish", None), ("reporting", 98)] == found


def test_kinds_that_somebody_makes_up_do_not_fill_the_memory() -> None:
    """Beyond a thousand, all others are one kind."""
    log = Log(2)
    for number in range(5000):
        log.say(f"kind {number}")
    assert 1002 == len(log.lines)


@pytest.mark.parametrize("arguments", [("a",), ("b",)])
def test_lines_of_libraries_are_of_a_kind_too(arguments: tuple[str, ...]) -> None:
    """By what they say before anything is put into it."""
    per_minute = PerMinute(1, lambda: 0.0)
    record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, "Invalid request of %s", arguments, None)
    assert [True, False] == [per_minute.filter(record), per_minute.filter(record)]


def test_of_a_confidential_service_the_log_has_which_error_there_was_and_nothing_else() -> None:
    """Neither what it was about, nor that a command was retried."""
    written = io.StringIO()
    before = structlog.get_config()
    handlers, level = logging.root.handlers[:], logging.root.level
    try:
        configure_logs(form="json", level="info", lines_per_minute_max=60, stream=written)

        async def say() -> None:
            of_service("suspicious-activity")
            withhold_details()
            log = structlog.get_logger()
            log.info("started", http="127.0.0.1:8108")
            log.warning("command batch failed, retrying", error="report 3 of riverside")
            log.error("journal verification found a problem", shard="commands/0", entry=3, what="report 3")
            logging.getLogger("uvicorn.error").error("refused %s", "/sars/riverside/3")

        asyncio.run(say())
        structlog.get_logger().info("started", http="127.0.0.1:8103")
    finally:
        structlog.configure(**before)
        logging.root.handlers, logging.root.level = handlers, level
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    for line in lines:
        del line["timestamp"]
    assert {"event": "uvicorn.error", "level": "error", "service": "suspicious-activity"} == lines[1]
    assert {
        "event": "journal verification found a problem",
        "level": "error",
        "service": "suspicious-activity",
    } == lines[0]
    assert {"event": "started", "level": "info", "http": "127.0.0.1:8103"} == lines[-1]
    assert "riverside" not in written.getvalue()
