"""The search for the conventions behind a published score."""
