"""Routes of properties."""

from services.paytable_registry.api.access import APPROVE_PROPERTIES, FILE_PROPERTIES, PROPERTIES_READER
from services.paytable_registry.api.documents import Described, DocumentChanges, DocumentRoutes
from services.paytable_registry.commands.properties import PATH, ApproveProperty, FileProperty, ReturnProperty
from services.paytable_registry.domain.properties import PROPERTIES, PropertyVersion
from services.paytable_registry.queries.properties import VERSIONS
from shared.runtime.http import Page


class PropertyChanges(DocumentChanges):
    """The differences between a version of a property and an earlier version, if there is one."""


routes = DocumentRoutes(
    kind=PROPERTIES,
    versions=VERSIONS,
    path=PATH,
    tag="properties",
    file=FileProperty,
    approve=ApproveProperty,
    give_back=ReturnProperty,
    filer=FILE_PROPERTIES,
    approver=APPROVE_PROPERTIES,
    reader=PROPERTIES_READER,
    page=Page[PropertyVersion],
    changes=PropertyChanges,
    listed=Described(
        "list_versions",
        "List versions",
        "List all versions of all properties, or of one: filed, approved and returned.",
    ),
    in_effect=Described("read_in_effect", "Read the version in effect", "Return the property as of that moment."),
    one=Described("read_version", "Read a version"),
    compared=Described("read_changes", "Compare a version with the one before"),
).routes
