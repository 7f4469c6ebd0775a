"""Input of reporting: journals of all services, properties and rules submissions, and the read progress."""
