"""Measures: each with its equation, parameters and citation."""
