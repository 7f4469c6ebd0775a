"""The thinking of the wagering accounts: values, decisions about settlements, and what a fact changes. Pure."""
