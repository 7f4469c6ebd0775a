"""Access codes: salted, hashed, and never equal by accident."""

import pytest

from services.wagering_accounts.domain.access_codes import fingerprint, hash_code


def test_a_code_matches_itself_and_no_other() -> None:
    """Under the salt of the code that is kept."""
    kept = hash_code("4711-kiwi")
    assert hash_code("4711-kiwi", kept.salt).matches(kept)
    assert not hash_code("4711-kiwj", kept.salt).matches(kept)


def test_the_same_code_is_kept_differently_each_time() -> None:
    """Two patrons with the same code do not have the same hash."""
    first, second = hash_code("4711-kiwi"), hash_code("4711-kiwi")
    assert first.salt != second.salt
    assert first.hash != second.hash


def test_hashes_under_different_salts_are_not_compared() -> None:
    """They would say nothing."""
    with pytest.raises(AssertionError, match="different salts"):
        hash_code("4711-kiwi").matches(hash_code("4711-kiwi"))


def test_a_fingerprint_is_of_one_key_alone() -> None:
    """Sent again under its key a code has the same fingerprint; under another key, or by somebody else, another."""
    one = fingerprint("4711-kiwi", "ann", "k-1")
    assert one == fingerprint("4711-kiwi", "ann", "k-1")
    assert 3 == len({one, fingerprint("4711-kiwi", "ann", "k-2"), fingerprint("4711-kiwi", "bob", "k-1")})
    assert one != fingerprint("4711-kiwj", "ann", "k-1")
