"""A process whose parts do not end ends all the same, whether it was told to or something failed."""

import subprocess
import sys
from typing import Final

_FAILS: Final = """
import asyncio, time
from shared.runtime.service import run
run._STOP_SECONDS, run._LAST_SECONDS = 0.2, 0.3

async def main():
    hangs = asyncio.get_running_loop().run_in_executor(None, time.sleep, 3600)
    try:
        raise OSError("a part failed")
    finally:
        await run._Ending().wait("hangs", asyncio.shield(hangs))

asyncio.run(main())
"""


def test_a_thread_that_does_not_return_keeps_no_process_alive() -> None:
    """It says which part it did not wait for, and where the thread is; its exit code says that it failed."""
    ended = subprocess.run([sys.executable, "-c", _FAILS], capture_output=True, text=True, timeout=60, check=False)
    assert 1 == ended.returncode
    assert "not waited for" in ended.stdout + ended.stderr
    assert "Timeout" in ended.stderr
    assert "threading.py" in ended.stderr
