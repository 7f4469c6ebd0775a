"""Migrations that databases have run stay what they were."""

import ast
from hashlib import sha256
from pathlib import Path

import pytest

SERVICES = Path(__file__).parents[3] / "services"

RELEASED = {
    "paytable_registry/migrations/versions/0001_journal": (
        "86836b1dfbf3b2f729886651e1f50af8cb8c3ceb260f19a0d9f639845b9d517f"
    ),
    "round_settlement/migrations/versions/0001_journal": (
        "ce3a0dd19e70f0e92f02062da0de8241fde12130c31aaafa9cde27071a9be907"
    ),
    "reporting/migrations/versions/0001_reports": "82ca0dbf72c499313e6ca22609c01d5bb5bdcbf1cc82d6c485e13a3a900fc936",
    "table_inventory/migrations/versions/0001_inventory": (
        "523c54ac1db2d02764896d9edbec426bcee55cebed4292ad31e58de98e2323ee"
    ),
    "vigorish/migrations/versions/0001_vigorish": "22c1c5760adc5a0d5b1ffa56f4d85d49e0fec03099530138f94605c5de580913",
    "wagering_accounts/migrations/versions/0001_accounts": (
        "a50464c5c459f15ef8e801842e46a8444c771c1d96a669de1edd86484587775e"
    ),
    "progressive_meters/migrations/versions/0001_meters": (
        "d9d6794bb3230410ae97d8a8d405a171c2a41da644933d96ef88584dacd09621"
    ),
}
"""The SHA-256 of the statements of each migration that was released."""


@pytest.mark.parametrize("script", RELEASED)
def test_the_statements_of_a_released_migration_do_not_change(script: str) -> None:
    """Old databases and new ones have run the same bytes; what is to change goes into a later migration."""
    statements = (SERVICES / script).with_suffix(".sql").read_bytes()
    assert RELEASED[script] == sha256(statements).hexdigest()


@pytest.mark.parametrize("script", RELEASED)
def test_a_released_migration_reads_nothing_that_changes(script: str) -> None:
    """It runs its statements and looks at no table that the code declares today."""
    tree = ast.parse((SERVICES / script).with_suffix(".py").read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {"pathlib", "shared.runtime.service.migrations"} == imported
