"""A shard is sealed where it stands: any other place, and any other key, is not its service's."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shared.journal.entry import genesis
from shared.journal.shard import Seals, Shard, Unsealed
from shared.journal.signed_note import Signer
from tests.support.sealing import sealing_key, seals_of

SERVICE = "vigorish"
NAME = "settlements/0@c1"
SHARD = Shard(1, NAME, 7, 3, genesis(NAME))
SEALED = seals_of(SERVICE).sealed(SHARD)

_places = st.integers(0, 2**63 - 1)
_shards = st.builds(
    replace,
    st.just(SEALED),
    name=st.sampled_from([NAME, "settlements/1@c1", "commands/0", f"{NAME}\n7 3 {SHARD.head.hex()}"]),
    next_offset=st.just(7) | _places,
    next_seq=st.just(3) | _places,
    head=st.just(SHARD.head) | st.binary(min_size=32, max_size=32),
    seal=st.just(SEALED.seal) | st.none() | st.binary(min_size=64, max_size=64) | st.binary(max_size=70),
)


def test_what_was_sealed_holds() -> None:
    """In the process that sealed it, in another one, and whatever number the database gives the shard."""
    seals_of(SERVICE).require(SEALED)
    seals_of(SERVICE).require(replace(SEALED, shard=2))


@given(_shards)
def test_nothing_else_holds(altered: Shard) -> None:
    """Whatever is changed, also for a process that has just found the shard as it was sealed."""
    assume(replace(altered, shard=SEALED.shard) != SEALED)
    seals = seals_of(SERVICE)
    for _ in range(2):
        with pytest.raises(Unsealed, match="keep the database as it is"):
            seals.require(altered)
        seals.require(SEALED)


def test_another_service_seals_nothing_here() -> None:
    """Its key is known, as that of another service; and it is none of this one under any name."""
    other = Signer.generate("pitledger/reporting")
    renamed = Signer(sealing_key(SERVICE).name, other.key)
    seals = Seals(sealing_key(SERVICE).name, [other.verifier, sealing_key(SERVICE).verifier])
    for signer in (other, renamed):
        with pytest.raises(Unsealed):
            seals.require(seals_of(SERVICE, signer=signer).sealed(SHARD))


def test_a_former_key_holds_as_long_as_it_is_known() -> None:
    """A key is replaced, and what the former one sealed is read on."""
    new = Signer.generate(sealing_key(SERVICE).name)
    seals_of(SERVICE, sealing_key(SERVICE), signer=new).require(SEALED)
    with pytest.raises(Unsealed):
        seals_of(SERVICE, signer=new).require(SEALED)
