"""Commands about filed documents: properties, submissions, paybacks, signs, devices."""
