"""Documents that are filed with an agency: prepared, released by another person, filed, acknowledged, or withdrawn."""
