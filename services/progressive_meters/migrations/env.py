"""Alembic's entry point."""

from shared.runtime.migrations import run_environment

run_environment()
