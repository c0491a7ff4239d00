"""The tests: a folder for each room of the package, and some for what rooms do together."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
