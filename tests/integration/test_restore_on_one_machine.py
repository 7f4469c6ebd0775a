"""The drill of docs/operate/backup-and-restore.md on one machine: first the servers alone, then the services."""

import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from services.cli.services import NAMES
from tests.support import documented, eventually
from tests.support.nightly import AT_NIGHT
from tests.support.services import ROOT
from tests.support.up import Up, up

PAGE: Final = "docs/operate/backup-and-restore.md"
QUICK: Final = {"PITLEDGER_KAFKA_SESSION_SECONDS": "1", "PITLEDGER_VERIFICATION_SECONDS": "1"}
FILED: Final = (("properties", "property.yaml"), ("submissions", "submission.json"))

_POSTED: Final = "SELECT count(*) FROM round_settlement.entries WHERE kind = 'settlement.posted'"
_LEFT: Final = """
    SELECT (SELECT sum(next_seq - 1) FROM round_settlement.shards)
        - (SELECT sum(published_seq) FROM round_settlement.relay)"""
_SIGNED: Final = """
    SELECT count(*) FROM round_settlement.shards AS s WHERE s.next_seq > 1 AND s.next_seq - 1 > (
        SELECT coalesce(max(c.size), 0) FROM round_settlement.checkpoints AS c WHERE c.shard = s.shard)"""
_EXITS: Final = re.compile(r"# exits (\d)")


def told(directory: Path, first: str) -> Sequence[tuple[str, int]]:
    """The lines of the block with this first command, for this directory and its copy, each with its exit code."""
    [block] = [each for each in documented.blocks(PAGE) if each.commands[0] == first]
    there = block.text.replace("/var/lib/pitledger", str(directory))
    lines = there.replace("/var/backups/pitledger", str(directory / "copy")).splitlines()
    return [(line, int(said[1]) if (said := _EXITS.search(line)) else 0) for line in lines]


def carry_out(lines: Sequence[tuple[str, int]], directory: Path, prelude: str = "true") -> None:
    """Run lines one after the other; each ends as it says."""
    for line, code in lines:
        script = f"export PATH={ROOT}/.venv/bin:$PATH; {prelude}; {line}"
        done = subprocess.run(["bash", "-c", script], cwd=directory, capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{line}\n{done.stdout}\n{done.stderr}"


def end(stack: Up) -> None:
    """Press Ctrl-C."""
    stack.process.send_signal(signal.SIGINT)
    assert 0 == stack.process.wait(120), stack.said.read_text()


def is_kept(stack: Up, count: int) -> bool:
    """Whether so many rounds are posted, published and signed."""
    return [(count,)] == stack.rows(_POSTED) and [(0,)] == stack.rows(_LEFT) == stack.rows(_SIGNED)


def send(directory: Path, number: int) -> None:
    """Send a round of the README's table, from a terminal of the stack."""
    example = (ROOT / "docs/examples/send_event.py").read_text()
    its = {'"BJ-01-1"': f'"BJ-01-{number}"', '-0001"': f'-000{number}"', '"sequence": 1': f'"sequence": {number}'}
    for of_the_first, of_this in its.items():
        assert of_the_first in example
        example = example.replace(of_the_first, of_this)
    (directory / "send.py").write_text(example)
    script = f"cd {ROOT}; PYTHONPATH={ROOT} python {directory}/send.py"
    carry_out([(script, 0)], directory, prelude=f". {directory}/run/environment")


@pytest.mark.usefixtures("kafka_packages", "whole_stack")
@pytest.mark.timeout(900)
@AT_NIGHT
def test_the_lines_of_the_drill_restore_a_stack(server_directory: Path) -> None:
    """A database of yesterday: what it lacks is named, and is there again with the same content at the end."""
    with up(server_directory, settings=QUICK) as stack:
        registry, tokens = stack.document["services"]["paytable-registry"], stack.document["tokens_file"]
        examples = ROOT / "docs/examples"
        filing = f"python {examples}/file_document.py {registry} {tokens}"
        carry_out([(f"{filing} {kind} {examples}/{name}", 0) for kind, name in FILED], server_directory)
        known = "SELECT 1 FROM round_settlement.properties, round_settlement.submissions"
        eventually(lambda: stack.rows(known), because="property and submission arrived", seconds=90)
        send(server_directory, 1)
        eventually(lambda: is_kept(stack, 1), because="the first round is kept", seconds=90)
        end(stack)
    (server_directory / "copy").mkdir()
    subprocess.run(["cp", "-a", server_directory / "postgres", server_directory / "copy"], check=True)
    with up(server_directory, settings=QUICK) as stack:
        send(server_directory, 2)
        eventually(lambda: is_kept(stack, 2), because="the second round is kept", seconds=90)
        end(stack)

    *replacing, (starting, _) = told(
        server_directory, "mv /var/lib/pitledger/postgres /var/lib/pitledger/postgres-lost"
    )
    carry_out(replacing, server_directory)
    assert "pitledger up" in starting
    assert "--servers-only" in starting
    with up(server_directory, servers_only=True) as servers:
        entering, *listing = told(server_directory, ". /var/lib/pitledger/run/environment")
        carry_out(listing, server_directory, prelude=entering[0])
        assert [(1,)] == servers.rows(_POSTED)
        end(servers)
    assert '"lost"' in (server_directory / "lost.json").read_text()

    with up(server_directory, settings=QUICK) as stack:
        assert set(NAMES) == set(stack.document["services"])
        eventually(lambda: is_kept(stack, 2), because="what was lost is recorded again", seconds=90)
        carry_out(told(server_directory, "pitledger reconcile"), server_directory, prelude=entering[0])
        end(stack)
    shutil.rmtree(server_directory / "copy")
