"""The names by which a service is known in PostgreSQL."""


def role_of(service: str) -> str:
    """Return the database role and schema of a service."""
    return service.replace("-", "_")


def application_name(role: str) -> str:
    """Return the application name of a role's sessions in PostgreSQL."""
    return f"pitledger {role}"


def schema_of_copy(schema: str) -> str:
    """Return the schema with the copy of a service's tables."""
    return f"{schema}_copy"
