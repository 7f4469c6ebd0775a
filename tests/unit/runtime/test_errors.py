"""What an error of the database means for the records in hand."""

import pytest
from psycopg import Error, OperationalError, ProgrammingError, errors
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as NoneFree

from shared.runtime.errors import ErrorKind, kind_of


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.UniqueViolation(), ErrorKind.REFUSED),
        (errors.NumericValueOutOfRange(), ErrorKind.REFUSED),
        (errors.SerializationFailure(), ErrorKind.FENCED),
        (errors.DeadlockDetected(), ErrorKind.TRANSIENT),
        (errors.LockNotAvailable(), ErrorKind.TRANSIENT),
        (errors.AdminShutdown(), ErrorKind.TRANSIENT),
        (errors.IdleInTransactionSessionTimeout(), ErrorKind.TRANSIENT),
        (errors.InFailedSqlTransaction(), ErrorKind.BUG),
        (errors.UndefinedTable(), ErrorKind.BUG),
        (OperationalError("the connection is lost"), ErrorKind.AMBIGUOUS),
        (ProgrammingError("not what the driver takes"), ErrorKind.BUG),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Error) else value.value,
)
def test_the_state_of_an_error_says_its_kind(error: Error, kind: ErrorKind) -> None:
    """The same by itself and as SQLAlchemy wraps it."""
    assert kind is kind_of(error)
    assert kind is kind_of(DBAPIError("SELECT 1", None, error))


@pytest.mark.parametrize("error", [NoneFree(), DisconnectionError(), TimeoutError(), ConnectionResetError()])
def test_where_nothing_was_sent_it_is_tried_again(error: Exception) -> None:
    """No connection was free, or none could be made, in time."""
    assert ErrorKind.TRANSIENT is kind_of(error)
