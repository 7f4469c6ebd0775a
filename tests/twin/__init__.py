"""The twin: a stack on Apache Kafka and PostgreSQL that suffers one fault after the other: `python -m tests.twin`."""
