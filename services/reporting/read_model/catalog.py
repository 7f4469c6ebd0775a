"""Import every module that declares measures, so that all are registered."""

from services.reporting.read_model import accounts, cage, contests, inventory, meters, rounds, vigorish

MODULES = (accounts, cage, contests, inventory, meters, rounds, vigorish)
