"""The services as processes of one machine: start, supervise, drain, stop."""
