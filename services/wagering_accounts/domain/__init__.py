"""The domain of the wagering accounts: values, settlement, and applying facts. Pure."""
