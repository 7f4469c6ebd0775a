"""The books behind the reports: what the journals of all services add to measures, as known now and at any moment."""
