"""What tests share: waiting with a deadline, brokers and databases."""

from tests.support.brokers import AnyBroker, GivenBroker
from tests.support.databases import Databases
from tests.support.polling import eventually

__all__ = ["AnyBroker", "Databases", "GivenBroker", "eventually"]
