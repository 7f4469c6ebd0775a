"""A process whose parts do not end ends all the same, whether it was told to or something failed."""

import asyncio
import socket
import subprocess
import sys
from typing import Final

import pytest

from services.vigorish.manifest import MANIFEST
from shared.local.ports import LOOPBACK
from shared.runtime.errors import FatalServiceError
from shared.runtime.process import run
from shared.runtime.settings import Settings

_HANGS: Final = """
import asyncio, time
from shared.runtime.process import shutdown as ending
ending._STOP_SECONDS, ending._LAST_SECONDS = 0.2, 0.3

async def main():
    hangs = asyncio.get_running_loop().run_in_executor(None, time.sleep, 3600)
    ending.end_in_time()
    await ending.Shutdown().wait("hangs", asyncio.shield(hangs))
    raise OSError("a part failed")

asyncio.run(main())
"""


def test_a_thread_that_does_not_return_keeps_no_process_alive() -> None:
    """It says which part it did not wait for, and where the thread is; its exit code says that it failed."""
    ended = subprocess.run([sys.executable, "-c", _HANGS], capture_output=True, text=True, timeout=60, check=False)
    assert 1 == ended.returncode
    assert "shutdown timed out" in ended.stdout + ended.stderr
    assert "Timeout" in ended.stderr
    assert "threading.py" in ended.stderr


def test_whoever_runs_a_service_is_told_that_it_ends_where_a_part_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything of it is waited for, and once."""

    async def read(service: object) -> None:
        del service

    monkeypatch.setattr(run._Run, "_read", read)
    told: list[str] = []
    with socket.create_server((LOOPBACK, 0)) as taken:
        settings = Settings(http_port=taken.getsockname()[1], message_authentication="off")
        with pytest.raises(FatalServiceError):
            asyncio.run(run.serve(MANIFEST, settings, ending=lambda: told.append("ending")))
    assert ["ending"] == told
