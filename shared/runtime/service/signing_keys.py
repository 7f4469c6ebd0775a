"""The keys that the settings name: what a service signs its messages and shards with, and whom it believes."""

from collections.abc import Sequence

from shared.contracts.topics import TOPICS, Topic
from shared.journal.shard import Seals
from shared.journal.signed_batch import BatchVerifier, signer_name
from shared.journal.signed_note import Signer, Verifier
from shared.runtime.errors import FatalServiceError
from shared.runtime.service.checkpoint_signer import listed_verifiers
from shared.runtime.settings import Settings

_OFF = "or switch it off, in tests alone, with PITLEDGER_MESSAGE_AUTHENTICATION=off"


def message_signer(settings: Settings, service: str) -> Signer | None:
    """Return what signs for a service; None where nothing is signed.

    Raises: FatalServiceError where its key is missing.
    """
    if settings.message_authentication == "off":
        return None
    if settings.checkpoint_key_file is None:
        raise FatalServiceError(
            f"{service} signs what it records and publishes: name its key in PITLEDGER_CHECKPOINT_KEY_FILE, {_OFF}"
        )
    return Signer.from_pem(settings.checkpoint_key_file, signer_name(service))


def message_verifier(settings: Settings, topics: Sequence[Topic], service: str) -> BatchVerifier | None:
    """Return what verifies for a service the messages of topics by the keys of their publishers; None: nothing does.

    It knows what the service itself sends again, and what others do whose keys there are. Without a file of public keys
    all services sign with the one key that this service has too. Raises: FatalServiceError where the key of a
    publisher is missing.
    """
    publishers = sorted({topic.publisher for topic in topics if topic.publisher is not None})
    if settings.message_authentication == "off" or not publishers:
        return None
    verifier = BatchVerifier(_verifiers(settings, service))
    for publisher in publishers:
        if not verifier.knows(signer_name(publisher)):
            raise FatalServiceError(
                f"messages of {publisher} cannot be verified: add its public key, {signer_name(publisher)}+…, to the "
                f"file that PITLEDGER_CHECKPOINT_VERIFIERS_FILE names, {_OFF}"
            )
    return verifier


def shard_seals(settings: Settings, service: str, signer: Signer | None) -> Seals | None:
    """Return what seals the shards of a service; None where nothing is signed. Raises: FatalServiceError where a key
    is malformed.

    What former keys of the service sealed holds as long as they stand in the file of public keys.
    """
    return None if signer is None else Seals(signer.name, _verifiers(settings, service), signer)


def verifying_seals(settings: Settings, service: str) -> Seals | None:
    """Return what verifies what a service signed, for who is not the service; None where nothing is signed.

    Raises: FatalServiceError where no public key of the service is there.
    """
    if settings.message_authentication == "off":
        return None
    found = [each for each in _verifiers(settings, service) if each.name == signer_name(service)]
    if not found:
        raise FatalServiceError(
            f"what {service} signed cannot be verified: name the file of public keys in "
            "PITLEDGER_CHECKPOINT_VERIFIERS_FILE"
        )
    return Seals(signer_name(service), found)


def _verifiers(settings: Settings, service: str) -> list[Verifier]:
    key, listed = settings.checkpoint_key_file, settings.checkpoint_verifiers_file
    ours = {service}
    if listed is None:
        ours |= {topic.publisher for topic in TOPICS if topic.publisher is not None}
    found = [] if key is None else [Signer.from_pem(key, signer_name(name)).verifier for name in sorted(ours)]
    return found + listed_verifiers(settings)
