"""Excel files."""

from __future__ import annotations

import datetime
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.lengths import read_lengths

ROWS: list[list[Any]] = [
    ["qid", "docid", "level"],
    [301, "d1", 2],
    ["302", "d2", 0],
    [None, None, None],
    ["302", 7, 1.0],
]
JUDGMENTS = {"301": {"d1": 2.0}, "302": {"d2": 0.0, "7": 1.0}}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes an Excel file of rows, and changes its sheet."""
    openpyxl = pytest.importorskip("openpyxl")

    def write_file(rows: list[list[Any]], change: Callable[[Any], object] = lambda sheet: None) -> str:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        change(book.active)
        book.create_sheet("empty")
        book.save(tmp_path / "table.xlsx")
        return str(tmp_path / "table.xlsx")

    return write_file


def test_read_qrels_excel_equals_rows(write: Callable[..., str]) -> None:
    """Integers are ids, and empty rows and sheets are skipped."""
    path = write(ROWS)
    assert cf.read_qrels(path).to_dict() == JUDGMENTS
    other_name = Path(path).rename(Path(path).with_suffix(".table"))
    assert cf.read_qrels(other_name).to_dict() == JUDGMENTS


def test_read_excel_every_kind_of_table(write: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    path = write([["case", "system", "measure", "points"], ["c1", "a", "AP", 0.5], ["c2", "a", "AP", 0.25]])
    command = ["validate", "-v", "--kind", "scores", path, "--columns", "topic=case,value=points"]
    assert main(command) == 0
    assert "run in column system, topic in column case, measure in column measure" in capsys.readouterr().out
    path = write([["docid", "length"], ["d1", 100], ["d2", 2.5]])
    assert read_lengths(path).values[""].tolist() == [100.0, 2.5]


def _set_error(sheet: Any) -> None:
    sheet["A2"].value, sheet["A2"].data_type = "#N/A", "e"


def _add_sheet(sheet: Any) -> None:
    sheet.parent.create_sheet("more").append(["qid"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda sheet: sheet.merge_cells("A2:A3"),
            "table.xlsx: merged cells A2:A3. Unmerge them, and repeat the value",
        ),
        (_add_sheet, "table.xlsx: 2 sheets with data (Sheet, more). Save the sheet in a file of its own."),
        (
            lambda sheet: sheet.__setitem__("C3", "=1+1"),
            "xlsx:3: formula without a value in cell C3. Save",
        ),
        (
            lambda sheet: sheet.__setitem__("B3", datetime.date(2026, 1, 2)),
            "table.xlsx:3: found doc the date 2026-01-02",
        ),
        (_set_error, "table.xlsx:2: found topic the error #N/A"),
        (lambda sheet: sheet.__setitem__("C3", "high"), "table.xlsx:3: "),
        (lambda sheet: sheet.__setitem__("A3", None), "table.xlsx:3: "),
        (lambda sheet: sheet.__setitem__("D1", "qid"), "table.xlsx:1: duplicate column 'qid'"),
        (lambda sheet: sheet.delete_rows(1, 9), "table.xlsx: no cells in the Excel file"),
    ],
)
def test_read_excel_unreadable_cells_raise(
    change: Callable[[Any], object], message: str, write: Callable[..., str]
) -> None:
    with pytest.raises(cf.CranfieldError) as caught:
        cf.read_qrels(write(ROWS, change))
    assert message in str(caught.value)


def test_read_excel_unused_dates_are_ignored(write: Callable[..., str]) -> None:
    rows = [[*ROWS[0], "time"], *([*row, datetime.datetime(2026, 1, 2)] for row in ROWS[1:] if row[0])]
    assert cf.read_qrels(write(rows)).to_dict() == JUDGMENTS


def test_read_excel_corrupt_file_raises(write: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(cf.CranfieldError, match=r"x.xlsx: corrupt Excel file"):
        cf.read_qrels(path)


def test_read_excel_old_version_raises(tmp_path: Path) -> None:
    (tmp_path / "x.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(cf.CranfieldError, match=r"Excel file of an old version \(.xls\), or encrypted. Save it"):
        cf.read_qrels(tmp_path / "x.xls")


def test_read_excel_without_openpyxl_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(cf.CranfieldError, match=r'^Excel files need openpyxl \(cranfield\[excel\]\): .*"openpyxl'):
        cf.read_qrels(tmp_path / "x.xlsx")
