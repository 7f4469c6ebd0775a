"""Clients of Node that tests send with, in the versions of a lock, installed once by npm."""

import fcntl
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.services import ROOT

_HERE: Final = Path(__file__).parent / "node"
_KEPT: Final = ROOT / ".cache" / "node"
_FILES: Final = ("package.json", "package-lock.json", "send.mjs")


def locked_version(package: str) -> str:
    """The version of a package that is installed."""
    lock: dict[str, Any] = json.loads((_HERE / "package-lock.json").read_text())
    version: str = lock["packages"][f"node_modules/{package}"]["version"]
    return version


def installed() -> Path:
    """A folder with the programs and what they import. The test is skipped where there is no Node."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("needs Node and npm")
    _KEPT.mkdir(parents=True, exist_ok=True)
    with (_KEPT / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh = (_HERE / "package-lock.json").read_bytes()
        kept = _KEPT / "node_modules" / "of.json"
        for name in _FILES:
            shutil.copyfile(_HERE / name, _KEPT / name)
        if not kept.exists() or kept.read_bytes() != fresh:
            install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(install, cwd=_KEPT, check=True, capture_output=True, timeout=240)
            kept.write_bytes(fresh)
    return _KEPT


def node(*words: str) -> str:
    """Run a program of the folder and return what it printed."""
    done = subprocess.run(["node", *words], cwd=installed(), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
