"""What every service needs once: settings, the consume-commit-relay loop, HTTP shell, health, metrics, logging."""
