"""The read model behind the reports: sums of measures over all services' journals, as known now or at any moment."""
