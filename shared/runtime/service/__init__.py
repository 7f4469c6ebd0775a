"""A service as a whole: its manifest, its life as a process, its health, its journal under guard, rebuild."""
