"""Alembic's entry point."""

from shared.runtime.service.migrations import run_environment

run_environment()
