"""Builds the compiled part (`_kernel.c`) where there is a compiler.

Without one, or with CRANFIELD_KERNEL=off, the package is pure Python, and does the same slowly.
"""

from __future__ import annotations

import os
import sys
import tempfile

from setuptools import Distribution, Extension, setup

KERNEL = Extension(
    "cranfield.kernel._kernel",
    ["src/cranfield/kernel/_kernel.c"],
    define_macros=[("Py_LIMITED_API", "0x030B0000")],  # one for Python 3.11 and all that follow
    extra_compile_args=["-O3"],
    py_limited_api=True,
)


def compiles() -> bool:
    """Whether it can be built here; a wheel must know before it is."""
    with tempfile.TemporaryDirectory() as scratch:
        building = Distribution({"ext_modules": [KERNEL]}).get_command_obj("build_ext")
        building.build_lib = building.build_temp = scratch
        try:
            building.ensure_finalized()
            building.run()
        except Exception as error:  # no compiler, no headers, another machine than it is for
            print(f"without the compiled part: {error}", file=sys.stderr)
            return False
    return True


if os.environ.get("CRANFIELD_KERNEL") != "off" and compiles():
    setup(ext_modules=[KERNEL], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    setup()
