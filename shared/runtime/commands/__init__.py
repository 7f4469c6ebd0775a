"""People and systems in: commands are decided together, recorded once, and answered the same when sent again."""
