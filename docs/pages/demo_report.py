"""The HTML report on the start page of the site, from the collection of README.md.

`python docs/pages/demo_report.py` also writes its screenshot, docs/figures/report.png. This needs
Chromium and Pillow.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import cranfield as cf

FILE = "demo-report.html"
SCREENSHOT = Path(__file__).parent.parent / "figures" / "report.png"
WIDTH, HEIGHT = 1000, 620


def write_demo_report(folder: Path) -> Path:
    """Write the report to a folder and return its path."""
    collection = cf.simulate(topics=50, runs=5, depth=1000, levels=3, seed=7)
    page = cf.report_page(collection.qrels, collection.runs, "nDCG@10 AP", title="A simulated collection")
    path = folder / FILE
    page.save(path)
    return path


def write_screenshot() -> None:
    """Write the first screen of the report as a PNG of at most 256 colours."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        path, image = write_demo_report(Path(folder)), Path(folder, "report.png")
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={image}", path.as_uri()]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        Image.open(image).convert("RGB").quantize(256).save(SCREENSHOT, optimize=True)


if __name__ == "__main__":
    write_screenshot()
