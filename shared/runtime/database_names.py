"""The names of a service's role, schemas and sessions in PostgreSQL."""


def role_of(service: str) -> str:
    """Return the database role and schema of a service."""
    return service.replace("-", "_")


def application_name(role: str) -> str:
    """Return the application name of the database sessions of a role."""
    return f"pitledger {role}"


def schema_of_copy(schema: str) -> str:
    """Return the name of the schema that holds the second copy of a service's tables."""
    return f"{schema}_copy"
