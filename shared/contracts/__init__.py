"""The messages between table systems and services: CloudEvents 1.0 in structured JSON, one class per event type."""
