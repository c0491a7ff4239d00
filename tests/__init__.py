"""The tests: a folder for each room of the package, and papers, peers, properties and docs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
