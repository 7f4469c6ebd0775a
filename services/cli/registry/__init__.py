"""Commands on what is filed: properties, submissions, paybacks, signs, devices."""
