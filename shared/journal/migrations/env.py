"""Run the migrations of the journal and of one service, on the connection that `upgrade` opened."""

from alembic import context

attributes = context.config.attributes
context.configure(connection=attributes["connection"], version_table_schema=attributes["schema"])
with context.begin_transaction():
    context.run_migrations()
