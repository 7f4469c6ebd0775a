"""The services as processes on one machine: start, supervise, drain, stop."""
