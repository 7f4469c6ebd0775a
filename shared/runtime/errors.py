"""The kinds of error, with the reaction of the consume loop to each.

refused: the record is invalid and is quarantined, or the command is rejected. transient: retry until a deadline.
ambiguous: the answer to a commit was lost, so read the shard row. fenced: another consumer is ahead, so read the shard
row. bug: stop; no error is swallowed.
"""

from enum import Enum

import psycopg
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as NoneFree

from shared.contracts.rejection import Rejected
from shared.journal.ledger import Fenced
from shared.rules.errors import Refused


class ErrorKind(Enum):
    """A kind of error, which determines the reaction of the consume loop."""

    REFUSED = "refused"
    TRANSIENT = "transient"
    AMBIGUOUS = "ambiguous"
    FENCED = "fenced"
    BUG = "bug"


class FatalServiceError(Exception):
    """The service cannot continue and must exit; the message states the cause and the remedy."""


_SERIALIZATION_FAILURE = "40001"
_TRANSIENT_STATES = ("08", "25P03", "25P04", "40", "53", "55", "57", "58")
"""SQLSTATE prefixes: connection, timeouts, rollback (serialization, deadlock), resources, locks, operator, system."""

_REFUSED_STATES = ("22", "23")
"""SQLSTATE prefixes: data that the database cannot store, and violated constraints."""


def kind_of(error: BaseException) -> ErrorKind:
    """Return the kind of an error, from its type or, if the database raised it, from its SQLSTATE."""
    match error:
        case Refused() | Rejected():
            return ErrorKind.REFUSED
        case Fenced():
            return ErrorKind.FENCED
        case DBAPIError(orig=psycopg.Error() as cause) | (psycopg.Error() as cause):
            return _of_database(cause)
        case ConnectionError() | TimeoutError() | NoneFree() | DisconnectionError():  # nothing was sent
            return ErrorKind.TRANSIENT
        case _:
            return ErrorKind.BUG


def may_pass(error: BaseException) -> bool:
    """Return whether failed work may succeed when it is retried."""
    return kind_of(error) in (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS, ErrorKind.FENCED)


def is_fenced(error: BaseException) -> bool:
    """Return whether another process has advanced the shard, so that it must be read again instead of waiting."""
    return kind_of(error) is ErrorKind.FENCED


def _of_database(error: psycopg.Error) -> ErrorKind:
    state = error.sqlstate
    if state is None:  # the connection is lost, and with it possibly the answer to a commit
        return ErrorKind.AMBIGUOUS if isinstance(error, psycopg.OperationalError) else ErrorKind.BUG
    if state == _SERIALIZATION_FAILURE:
        return ErrorKind.FENCED
    if state[:2] in _REFUSED_STATES:
        return ErrorKind.REFUSED
    return ErrorKind.TRANSIENT if state.startswith(_TRANSIENT_STATES) else ErrorKind.BUG
