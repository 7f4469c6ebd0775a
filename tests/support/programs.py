"""Accounting programs that read what is exported: they add it up themselves."""

import csv
import os
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

_SECONDS_MAX = 120


def hledger_of(content: bytes, folder: Path) -> dict[str, int]:
    """The balance of every account in hledger, cents. Raises: CalledProcessError if it refuses the file."""
    program = shutil.which("hledger")
    if program is None:
        reason = "'hledger' is not installed (Debian package 'hledger')"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}; CI must have it")
        pytest.skip(reason)
    file = folder / "ledger.journal"
    file.write_bytes(content)
    _run(program, "-f", str(file), "check", "--strict")
    said = _run(program, "-f", str(file), "balance", "--flat", "--no-total", "--output-format", "csv")
    rows = list(csv.reader(said.splitlines()))[1:]
    return {name: _cents(amount) for name, amount in rows if _cents(amount)}


_BALANCES = """
import sys
from beancount import loader
from beancount.core.realization import realize, iter_children
entries, errors, _ = loader.load_file(sys.argv[1])
assert not errors, errors
for account in iter_children(realize(entries), leaf_only=True):
    for position in account.balance:
        print(account.account, position.units.number)
"""


def beancount_of(content: bytes, folder: Path) -> dict[str, int]:
    """The balance of every account in beancount, cents. Raises: CalledProcessError if it refuses the file."""
    file = folder / "ledger.beancount"
    file.write_bytes(content)
    _run(str(Path(sys.executable).with_name("bean-check")), str(file))
    said = _run(sys.executable, "-c", _BALANCES, str(file))
    rows = [line.split() for line in said.splitlines()]
    return {name: _cents(amount) for name, amount in rows if _cents(amount)}


def iif_of(content: bytes) -> dict[tuple[str, ...], int]:
    """The balance of every account in an IIF file, cents, by its place in the chart: parents, then itself.

    Read as QuickBooks does: a row that begins with `!` names the columns of the rows of its kind, and a colon in the
    name of an account is that between a parent and the account below it.
    """
    columns: dict[str, list[str]] = {}
    found: dict[tuple[str, ...], int] = {}
    for line in content.decode("cp1252").splitlines():
        kind, *values = line.split("\t")
        if kind.startswith("!"):
            columns[kind.removeprefix("!")] = values
        elif kind in ("TRNS", "SPL"):
            row = dict(zip(columns[kind], values, strict=True))
            place = tuple(one.strip() for one in row["ACCNT"].split(":"))
            found[place] = found.get(place, 0) + _cents(row["AMOUNT"])
    return {place: cents for place, cents in found.items() if cents}


def _run(*words: str) -> str:
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=_SECONDS_MAX, env=environment)
    return done.stdout


def _cents(amount: str) -> int:
    return int(Decimal(amount.split()[0]) * 100)
