"""``python -m cranfield``."""

from cranfield.cli.main import entry

if __name__ == "__main__":
    entry()
