"""The read model behind the reports: sums of measures over all services' journals, as of any time."""
