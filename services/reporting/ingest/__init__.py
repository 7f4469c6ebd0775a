"""What reporting reads: the journals of all services, properties and rules submissions, and how far it has read."""
