"""The process of a service: migration, start, health and shutdown."""
