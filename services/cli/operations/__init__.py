"""Commands of operators: databases, topics, schemas, keys, settings, quarantine, intake."""
