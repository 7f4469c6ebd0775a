"""How many records a batch has at most."""

from types import SimpleNamespace
from typing import Any

import pytest

from services.reporting.ingest.journals import Inventory, Settlements
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import Handler
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings


@pytest.mark.parametrize(("handler", "expected"), [(Inventory(), 70), (Settlements(), 700)])
def test_a_handler_may_take_larger_batches_than_others(handler: Handler[Any], expected: int) -> None:
    """As many times as the settings say that its sums are over more records."""
    context: Any = SimpleNamespace(settings=Settings(batch_records_max=70), metrics=Metrics())
    assert expected == Consumer(context, handler, "cluster").batch_records_max
