"""Import every module that declares measures, so that all are registered."""

from services.reporting.read_model import accounts, cage, cage_locations, contests, inventory, meters, rounds, vigorish

MODULES = (accounts, cage, cage_locations, contests, inventory, meters, rounds, vigorish)
