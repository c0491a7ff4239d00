"""How tests call a drop-in: what it prints, what it says beside that, and why it refuses."""

from __future__ import annotations

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]


def printed(tool: str, capsys: Capture, command: str = "qrels run") -> str:
    """What a command prints."""
    assert main([tool, *command.split()]) == 0
    return capsys.readouterr().out


def told(tool: str, capsys: Capture, command: str = "qrels run") -> str:
    """What a command says beside its results."""
    assert main([tool, *command.split()]) == 0
    return capsys.readouterr().err


def refused(tool: str, capsys: Capture, command: str = "qrels run") -> str:
    """Why a command prints nothing."""
    assert main([tool, *command.split()]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    return found.err.rstrip("\n")
