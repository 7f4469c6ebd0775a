"""Encrypted storage of filed documents' files: a file is parsed and encrypted before its command is decided."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, Self, TypeVar

from pydantic import PrivateAttr
from sqlalchemy import Table, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Digest
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.command import Command
from shared.runtime.filing.steps import FiledDocument
from shared.runtime.rows import find_row
from shared.runtime.sealing import PatronKey, SealError, WrappingKeys, about_file

_FoundT = TypeVar("_FoundT")


@dataclass(frozen=True, slots=True)
class SealedFile(Generic[_FoundT]):
    """A parsed and encrypted file: SHA-256 and size of its text, parsed content (`found`), ciphertext, wrapped key."""

    sha256: Digest
    size_bytes: int
    found: _FoundT
    sealed: str
    wrapped_by: str
    wrapped: bytes


@dataclass(frozen=True, slots=True)
class FileStore:
    """The stored files of one kind of document.

    `number` names the column of `table` with the document's number; `what` is the purpose to which encryption is bound.
    """

    table: Table
    number: str
    what: str

    def seal(self, keys: WrappingKeys, property_name: str, text: str, found: _FoundT) -> SealedFile[_FoundT]:
        """Encrypt a file with a new key of its own; return it with its parsed content `found`."""
        content = text.encode()
        digest = sha256(content).hexdigest()
        own = PatronKey.new(about_file(property_name, digest))
        wrapped_by, wrapped = keys.wrap(own)
        return SealedFile(digest, len(content), found, own.seal(text, self.what), wrapped_by, wrapped)

    async def store(self, connection: AsyncConnection, property_name: str, number: int, file: SealedFile[Any]) -> None:
        """Store the file of a document, in the transaction that records the document."""
        said = {"wrapped_by": file.wrapped_by, "wrapped": file.wrapped, "sealed": file.sealed}
        await connection.execute(insert(self.table).values(property=property_name, **{self.number: number}, **said))

    async def open(
        self, connection: AsyncConnection, keys: WrappingKeys, document: FiledDocument, number: int
    ) -> bytes:
        """Return the content of a document's file. Raises: Rejected if it was destroyed, or cannot be decrypted."""
        gone = f"the file of {document.named()} was destroyed"
        row = await find_row(connection, self.table, gone, property=document.property, **{self.number: number})
        about = about_file(document.property, document.content_sha256)
        try:
            return keys.unwrap(about, row.wrapped_by, bytes(row.wrapped)).open(row.sealed, self.what).encode()
        except SealError as error:
            raise Rejected(Reason.NOT_AS_RECORDED, str(error)) from error


class PreparingFile(Command, Generic[_FoundT]):
    """A command with a file, which is parsed and encrypted before the command is decided."""

    property: str
    file: str
    _read: SealedFile[_FoundT] | None = PrivateAttr(default=None)

    def as_read(self) -> SealedFile[_FoundT]:
        """Return the parsed and encrypted file; `read` must have been called."""
        assert self._read is not None, "the file was read before"
        return self._read

    def read(self, file: SealedFile[_FoundT]) -> Self:
        """Return a copy of the command that contains the parsed and encrypted file instead of its text."""
        command = self.model_copy(update={"file": ""})
        command._read = file
        return command

    def content(self) -> Any:
        """Return the request, with the file replaced by its hash."""
        return {**self.shown(), "file_sha256": self.as_read().sha256}

    def shown(self) -> dict[str, Any]:
        """Return the request without the file."""
        return self.model_dump(mode="json", exclude_none=True, exclude={"file"})
