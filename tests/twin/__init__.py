"""The twin: a stack on real Apache Kafka and PostgreSQL that suffers one fault after the other: `python -m tests.twin`."""
