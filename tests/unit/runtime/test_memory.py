"""What a process that has had much in memory keeps of it."""

import platform
import subprocess
import sys

import pytest

HAS_HAD_MUCH = """
import threading
from pathlib import Path
from shared.runtime.process_memory import trim_malloc

if GIVES_BACK:
    trim_malloc()

def resident_mib():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

kept = []
def receive():
    for _ in range(3):  # what is freed the first time says how large a block must be to be given back by itself
        answers = []
        for _ in range(60):
            answers.append(bytes(400_000))
            kept.append(bytes(2_000))

before = resident_mib()
threads = [threading.Thread(target=receive) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(resident_mib() - before)
"""
"""Threads receive what is large, and keep a little of each."""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told what to give back")
def test_what_was_large_is_given_back() -> None:
    """It does not stay among what is small: a process has again what it had, give or take what it keeps."""

    def kept(gives_back: bool) -> float:
        code = HAS_HAD_MUCH.replace("GIVES_BACK", str(gives_back))
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    assert kept(gives_back=True) < 20 < kept(gives_back=False)
