"""What the console reads of a provider's answer."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from services.console.provider import granted_of
from shared.contracts.json_text import MemberTwice
from tests.support.json_text import with_members_twice

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ANSWER: dict[str, Any] = {
    "access_token": "a",
    "expires_in": 60,
    "refresh_token": "r",
    "id_token": "i",
    "more": {"x": 1},
}


def test_an_answer_grants_a_token() -> None:
    """Until it ends; what else it says is passed over."""
    granted = granted_of(b'{"access_token": "a", "expires_in": 60, "token_type": "Bearer"}', NOW)
    assert ("a", NOW + timedelta(minutes=1), None, None) == (
        *(granted.token, granted.ends),
        *(granted.refresh_token, granted.id_token),
    )


def test_an_answer_with_a_member_twice_grants_nothing() -> None:
    """Also where it is one that nobody reads."""
    for name, text in with_members_twice(ANSWER):
        with pytest.raises(MemberTwice, match=name):
            granted_of(text, NOW)
