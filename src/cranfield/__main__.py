"""``python -m cranfield``, and what the installed command calls."""

import os


def start() -> None:
    """Run the command; who stops it while it is still being imported sees no traceback."""
    try:
        from cranfield.cli.main import entry

        entry()
    except KeyboardInterrupt:
        os._exit(130)


if __name__ == "__main__":
    start()
