"""What is filed with an agency: prepared by one person, released by another, filed, acknowledged, or withdrawn."""
