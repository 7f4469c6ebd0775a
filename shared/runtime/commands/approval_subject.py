"""The subject of an approval: a document that is shown and approved as a whole, identified by its hash."""

from hashlib import sha256
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, computed_field

from shared.contracts.envelope import Digest, canonical
from shared.contracts.rejection import Reason, Rejected

_HASH: Final = "sha256"


class ApprovalSubject(BaseModel):
    """A document that is approved as shown: its `sha256` covers every other member.

    >>> class Wanted(ApprovalSubject):
    ...     cents: int
    ...     reason: str | None = None
    >>> Wanted(cents=9999999).sha256 == subject_sha256({"cents": 9999999})
    True
    """

    @computed_field(  # type: ignore[prop-decorator]
        description="SHA-256 of the other members as canonical JSON (RFC 8785): an approval must name this hash"
    )
    @property
    def sha256(self) -> Annotated[str, Field(pattern="^[0-9a-f]{64}$")]:
        """Return the hash of all other members, in hexadecimal; members without a value are left out."""
        return subject_sha256(self.model_dump(mode="json", exclude_none=True, exclude={_HASH}))

    def require_shown(self, shown: Digest) -> None:
        """Raise Rejected unless `shown` is the hash of this document."""
        if shown != self.sha256:
            detail = (
                f"what is here to be approved is {self.sha256}, and what was shown is {shown}: "
                "it changed meanwhile, or was decided; look at it again"
            )
            raise Rejected(Reason.NOT_AS_SHOWN, detail)


def subject_sha256(document: dict[str, Any]) -> Digest:
    """Return the hash of a document as served, in hexadecimal: over all members but the hash itself."""
    rest = {name: value for name, value in document.items() if name != _HASH}
    return sha256(canonical(rest)).hexdigest()
