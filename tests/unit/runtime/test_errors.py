"""What an error of the database means for the records in hand."""

import pytest
from psycopg import Error, OperationalError, ProgrammingError, errors
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as NoneFree

from shared.runtime.errors import Kind, kind_of


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.UniqueViolation(), Kind.REFUSED),
        (errors.NumericValueOutOfRange(), Kind.REFUSED),
        (errors.SerializationFailure(), Kind.FENCED),
        (errors.DeadlockDetected(), Kind.TRANSIENT),
        (errors.LockNotAvailable(), Kind.TRANSIENT),
        (errors.AdminShutdown(), Kind.TRANSIENT),
        (errors.IdleInTransactionSessionTimeout(), Kind.TRANSIENT),
        (errors.InFailedSqlTransaction(), Kind.BUG),
        (errors.UndefinedTable(), Kind.BUG),
        (OperationalError("the connection is lost"), Kind.AMBIGUOUS),
        (ProgrammingError("not what the driver takes"), Kind.BUG),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Error) else value.value,
)
def test_the_state_of_an_error_says_its_kind(error: Error, kind: Kind) -> None:
    """The same by itself and as SQLAlchemy wraps it."""
    assert kind is kind_of(error)
    assert kind is kind_of(DBAPIError("SELECT 1", None, error))


@pytest.mark.parametrize("error", [NoneFree(), DisconnectionError(), TimeoutError(), ConnectionResetError()])
def test_where_nothing_was_sent_it_is_tried_again(error: Exception) -> None:
    """No connection was free, or none could be made, in time."""
    assert Kind.TRANSIENT is kind_of(error)
