"""The general ledger: the journals of sealed gaming days, under the mapping of the property."""
