"""The domain of the meters: pools, their movements, and their accounting identities.

Pure; exact amounts are nanocents.
"""
