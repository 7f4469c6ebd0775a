"""Identities without a provider: the token of a person is `token of <person>`."""

from collections.abc import Iterable, Mapping

from shared.contracts.rejection import Reason, Rejected
from shared.runtime.http.access import ALL_PROPERTIES, TOLD_WITHOUT_ONE, Caller, token_hash

People = Mapping[str, Iterable[str]]
"""Person -> roles; the token of a person is `token of <person>`.

`ann as pit` is ann too, with a token of another day, when ann worked in the pit.
"""


def name_of(person: str) -> str:
    """The person, whatever the person works as."""
    return person.partition(" as ")[0]


class KnownTokens:
    """Knows people with their roles, and the properties for which they work: every one, unless it is said."""

    def __init__(self, people: People, properties: Mapping[str, Iterable[str]] | None = None) -> None:
        self._callers = {
            f"token of {person}": Caller(
                person=name_of(person),
                token_sha256=token_hash(f"token of {person}"),
                roles=frozenset(roles),
                properties=frozenset((properties or {}).get(person, (ALL_PROPERTIES,))),
            )
            for person, roles in people.items()
        }

    async def caller_of(self, token: str) -> Caller:
        """The person with this token. Raises: Rejected."""
        if token not in self._callers:
            raise Rejected(Reason.UNKNOWN_CALLER, "the token is not known" if token else TOLD_WITHOUT_ONE)
        return self._callers[token]
