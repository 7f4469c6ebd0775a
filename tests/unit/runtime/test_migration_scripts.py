"""Migrations stay what they were when databases ran them."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPTS = [*ROOT.glob("shared/journal/migrations/versions/*.py"), *ROOT.glob("services/*/migrations/*.py")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.relative_to(ROOT)))
def test_a_migration_reads_nothing_that_changes(script: Path) -> None:
    """It runs the statements beside it and looks at no table that the code declares today."""
    tree = ast.parse(script.read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {"shared.journal.migration"} == imported
    assert script.with_suffix(".sql").read_text()


def test_every_service_migrates() -> None:
    """The scripts are found: those of the journal and of seven services."""
    assert len(SCRIPTS) >= 8
