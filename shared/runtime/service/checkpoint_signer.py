"""Sign a service's checkpoints, store them outside the database, and open stored ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.journal.checkpoint import Checkpoint, checkpoint_origin, open_note, sign
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.merkle import Frontier
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer, Verifier
from shared.journal.verification_bookmark import VerificationBookmark, open_mark, sign_mark
from shared.runtime.errors import FatalServiceError
from shared.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class CheckpointSigner:
    """A service's signing key, its store of checkpoint notes, and its former public keys."""

    service: str
    signer: Signer
    store: DirectoryStore
    former: Sequence[Verifier] = ()

    @property
    def verifiers(self) -> list[Verifier]:
        """Return the public keys of the service, current and former."""
        return [self.signer.verifier, *self.former]

    def origin(self, shard_name: str) -> str:
        """Return the origin line of a shard's checkpoints, which identifies the log."""
        return checkpoint_origin(self.service, shard_name)

    def latest(self) -> Mapping[str, str]:
        """Return the latest stored notes by shard name. Raises: CheckpointError if a note is damaged; OSError."""
        prefix = self.origin("")
        origins = [origin for origin in self.store.origins() if origin.startswith(prefix)]
        notes = {origin.removeprefix(prefix): self.store.latest(origin) for origin in origins}
        return {name: note for name, note in notes.items() if note is not None}

    def open(self, note: str) -> Checkpoint:
        """Verify a note and return its checkpoint. Raises: CheckpointError if no key of the service signed it."""
        return open_note(note, self.verifiers)

    def sign(self, shard_name: str, frontier: Frontier) -> str:
        """Sign and store a checkpoint; return the note. Raises: CheckpointError if it contradicts a stored one."""
        note = sign(Checkpoint(self.origin(shard_name), frontier.size, frontier.root()), self.signer)
        self.store.save(note)
        return note

    def mark(self, shard_name: str, mark: VerificationBookmark) -> str:
        """Return the signed note of a shard's verification bookmark."""
        return sign_mark(self.origin(shard_name), mark, self.signer)

    def open_mark(self, note: str) -> tuple[str, VerificationBookmark]:
        """Verify a note; return its shard's name and bookmark. Raises: CheckpointError unless the service signed it."""
        origin, mark = open_mark(note, self.verifiers)
        return origin.removeprefix(self.origin("")), mark


def notary(settings: Settings, service: str) -> CheckpointSigner | None:
    """Return the configured checkpoint signer, or None without a configuration.

    Raises: FatalServiceError if the configuration is incomplete.
    """
    directory: Path | None = settings.checkpoint_directory
    key: Path | None = settings.checkpoint_key_file
    if directory is None and key is None:
        return None
    if directory is None or key is None:
        raise FatalServiceError("set both PITLEDGER_CHECKPOINT_DIRECTORY and PITLEDGER_CHECKPOINT_KEY_FILE, or neither")
    signer = Signer.from_pem(key, signer_name(service))
    former = [one for one in listed_verifiers(settings) if one.name == signer.name and one != signer.verifier]
    return CheckpointSigner(service, signer, DirectoryStore(directory), former)


def listed_verifiers(settings: Settings) -> list[Verifier]:
    """Return the public keys in the configured file; empty if no file is configured.

    Raises: FatalServiceError if a key is malformed.
    """
    listed = settings.checkpoint_verifiers_file
    if listed is None:
        return []
    try:
        return [Verifier.from_string(line) for line in listed.read_text().splitlines() if line.strip()]
    except CheckpointError as error:
        raise FatalServiceError(f"{listed}: {error}") from error
