"""The stack on one machine, with the broker that keeps nothing."""

import os

import pytest
from confluent_kafka.admin import AdminClient

from services.cli.stack.running_stack import RunningStack


@pytest.mark.usefixtures("whole_stack")
def test_topics_in_memory_have_few_partitions_unless_told_otherwise() -> None:
    """And other terminals are told how the services ask that broker, as far as the environment does not say it."""
    given = {**os.environ, "PITLEDGER_FETCH_SECONDS": "0.3"}
    with RunningStack(environment=given, services=["paytable-registry"], partitions={"vigorish": 6}) as stack:
        topics = AdminClient({"bootstrap.servers": stack.bootstrap_servers}).list_topics(timeout=10).topics
        assert {"0.3", "3"} == {stack.environment[f"PITLEDGER_{name}_SECONDS"] for name in ("FETCH", "KAFKA_SESSION")}
    found = {name: len(topic.partitions) for name, topic in topics.items() if not name.startswith("_")}
    assert found.pop("vigorish") == 6
    assert set(found.values()) == {1, 2}
    assert found["submissions"] == 1
    assert found["settlements"] == 2
