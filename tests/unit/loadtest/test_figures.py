"""Processor time of processes, and the figures that a measurement prints."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from loadtest.bench.baseline import Copied
from loadtest.bench.figures import Alone, Latency, Measured, Throughput, lines
from loadtest.bench.processes import HARNESS, Family, Used, processes_below
from loadtest.bench.throughput import measure_alone
from loadtest.floor.games import pit
from loadtest.floor.messages import day
from tests.support.polling import eventually

MEASURED = Measured(
    at="2026-05-09T12:00:00+00:00",
    cpus=2,
    tables=12,
    seed=1,
    throughput=Throughput(
        rounds=10_000,
        event_bytes_mean=1650.4,
        postings_per_round=6.9,
        produced_seconds=0.1,
        committed_seconds=8.0,
        reported_seconds=10.0,
        rounds_per_second=1250.0,
        rounds_per_second_from_first_commit=1300.0,
        cpu_seconds={"postgres": 4.0, "round-settlement": 8.0},
    ),
    latency=Latency(rounds=1000, rounds_per_second=100, milliseconds={50: 20.0, 95: 40.0, 99: 60.0, 100: 80.0}),
    baseline=Copied(entries=10_000, seconds=0.5),
    alone=Alone(decode_microseconds=80.0, settle_microseconds=40.0),
)


def test_ratio_and_share_follow_from_what_was_measured() -> None:
    """1,250 of 20,000 rounds a second are 6.25%; 120 µs of the 800 µs that a round takes are 15%."""
    assert 20_000 == MEASURED.baseline.entries_per_second
    assert pytest.approx(0.0625) == MEASURED.ratio
    assert pytest.approx(0.15) == MEASURED.share


def test_the_document_holds_what_the_lines_say() -> None:
    """JSON carries the measurements and the ratios; the lines name the same figures, most expensive process first."""
    document = MEASURED.as_document()
    assert pytest.approx(0.0625) == document["ratio_to_raw_copy"]
    assert pytest.approx(0.15) == document["share_of_decode_and_settle"]
    said = list(lines(MEASURED))
    assert "end to end       1,250 rounds/s  from the first event produced to the last commit" in said
    assert "                   800 µs/round  round-settlement" == said[-2]
    assert "                   400 µs/round  postgres" == said[-1]


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
def test_processor_time_counts_a_process_and_its_descendants() -> None:
    """A child that works shows up below its parent, with the seconds that it used."""
    busy = "import time\nwhile time.process_time() < 0.3: pass\nprint('worked', flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert b"worked" in child.stdout.readline()
        found = {process.pid: process for process in processes_below(os.getpid())}
        assert os.getpid() == found[child.pid].parent
        assert 0.25 < found[child.pid].cpu_seconds < 5
        child.communicate(b"\n")
    eventually(lambda: child.pid not in {process.pid for process in processes_below(os.getpid())})


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
def test_a_process_of_two_families_is_counted_once() -> None:
    """A child that is found below both roots is as much as it is below one; the machine was busy for no less."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        once, twice = Family(os.getpid()), Family(os.getpid(), child.pid, os.getpid())
        assert once.memory_bytes().keys() == twice.memory_bytes().keys() >= {HARNESS}
        before, after = once.used(), twice.used()
        assert before.counted <= after.counted < 1.5 * before.counted + 1
        child.communicate(b"\n")
    assert once.used().machine >= before.machine > 0


@pytest.mark.parametrize(("machine", "once"), [(10.0, True), (9.9, True), (5.0, False)])
def test_processes_that_used_more_than_the_machine_were_counted_twice(machine: float, once: bool) -> None:
    """Give or take the clock's ticks."""
    used = Used({"postgres": 4.0, "reporting": 6.0}, machine)
    assert 10.0 == used.counted
    assert once is used.counted_once
    assert 3.0 == used.since(Used({"postgres": 1.0, "reporting": 6.0}, 0.0)).counted


def test_decoding_and_settling_alone_take_some_time() -> None:
    """Both are measured on the rounds that the floor sends."""
    plans = pit(12)
    sent = day(property_name="bayside", plans=plans, gaming_day=date(2026, 5, 9), seed=1, rounds=60, plants=False)
    alone = measure_alone(list(sent), plans)
    assert alone.decode_microseconds > 0
    assert alone.settle_microseconds > 0
