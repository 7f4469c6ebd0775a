"""Commands on properties: file, approve and return a version."""

from typing import Final

from services.paytable_registry.commands.documents import ApproveVersion, ReturnVersion, document_commands
from services.paytable_registry.domain.properties import PROPERTIES
from services.paytable_registry.queries.properties import VERSIONS
from shared.contracts.properties import PropertyDocument
from shared.runtime.commands.command import Command

PATH: Final = "/properties"


class FileProperty(Command, PropertyDocument):
    """File the next version of a property.

    Another person approves it before it takes effect.
    """


class ApproveProperty(ApproveVersion):
    """Approve a version of a property.

    The version is in effect from `effective_from`.
    """


class ReturnProperty(ReturnVersion):
    """Return a version of a property to its filer.

    The version never takes effect.
    """


COMMANDS = document_commands(
    PROPERTIES, VERSIONS, PATH, file=FileProperty, approve=ApproveProperty, give_back=ReturnProperty
)
