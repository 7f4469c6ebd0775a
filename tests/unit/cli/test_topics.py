"""`pitledger topics apply`: what is wrong with its options is said before any broker is asked."""

import pytest

from tests.unit.cli.calling import Caller


@pytest.mark.parametrize("given", ["table.events", "table.events=", "table.events=many", "table.events=0", "unknown=3"])
def test_a_wrong_number_of_partitions_is_a_wrong_use(pitledger: Caller, given: str) -> None:
    """A topic that there is not, or a number that is none, is named."""
    called = pitledger("topics", "apply", "--partitions", given)

    assert 2 == called.code
    assert "--partitions" in called.stderr


def test_an_address_of_a_broker_that_is_none_is_named_by_its_variable(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And by no option of the command."""
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "nonsense")
    called = pitledger("topics", "apply")

    assert 2 == called.code
    assert "pitledger: KAFKA_BOOTSTRAP_SERVERS: Kafka address 'nonsense': write host:port" in called.stderr
