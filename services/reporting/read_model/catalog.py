"""Every module that declares what facts add to measures: import this, and all of them are declared."""

from services.reporting.read_model import accounts, cage, contests, inventory, meters, rounds, vigorish

MODULES = (accounts, cage, contests, inventory, meters, rounds, vigorish)
