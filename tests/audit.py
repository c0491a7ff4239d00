"""Known vulnerabilities in what cranfield needs with all its extras: `make audit` runs it.

pip says which packages these are, in the versions that users get today, and installs none of them.
pip-audit asks PyPI about each. What could not be asked is no good news, and ends with 1, too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests import ROOT

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
RESOLVE = [*PIP, "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-", ".[all]"]
AUDIT = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json"]


def needed() -> list[str]:
    """A line such as ``numpy==2.3.5`` for each package that is installed with cranfield."""
    done = subprocess.run(RESOLVE, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit("pip, which says why above, could not choose the packages")
    return pinned(json.loads(done.stdout))


def pinned(report: dict[str, Any]) -> list[str]:
    """All that pip would install, but cranfield."""
    named = {each["metadata"]["name"]: each["metadata"]["version"] for each in report["install"]}
    return [f"{name}=={named[name]}" for name in sorted(named, key=str.lower) if name != "cranfield"]


def audited(lines: list[str]) -> subprocess.CompletedProcess[str]:
    """What pip-audit says of these packages."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "needed.txt")
        path.write_text("\n".join(lines), encoding="utf-8")
        asked = [*AUDIT, "--progress-spinner", "off", "--requirement", str(path)]
        return subprocess.run(asked, capture_output=True, text=True, check=False)


def told(out: str, err: str) -> list[str]:
    """A line for each vulnerability, and one for what could not be asked, if there is any."""
    try:
        packages = json.loads(out)["dependencies"]
    except ValueError:
        said = (err.strip().splitlines() or ["it says nothing"])[-1]
        return [f"pip-audit could not ask: {said}"]
    lines = [
        f"{row['name']} {row['version']}: {bug['id']}, mended in {', '.join(bug['fix_versions']) or 'no version'}"
        for row in packages
        for bug in row.get("vulns", ())
    ]
    if skipped := [row for row in packages if "skip_reason" in row]:
        lines.append(f"{len(skipped)} of {len(packages)} packages not audited: {skipped[0]['skip_reason']}")
    return lines


def main() -> int:
    """Ask, and tell."""
    lines = needed()
    done = audited(lines)
    found = told(done.stdout, done.stderr)
    print("\n".join(found or [f"no known vulnerabilities in {len(lines)} packages"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
