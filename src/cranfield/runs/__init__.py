"""Runs combined, without judgments."""
