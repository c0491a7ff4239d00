"""Drop-in replacements for packages: existing code changes one import.

import pytrec_eval       ->  from cranfield.compat import pytrec_eval

import ir_measures       ->  from cranfield.compat import ir_measures

The packages are not needed. docs/migrate.md lists the differences. `cranfield.compat.provider`
works in the other direction: cranfield's measures in ir_measures.
"""

from cranfield.compat import ir_measures, pytrec_eval

__all__ = ["ir_measures", "pytrec_eval"]
