"""Other packages' interfaces over cranfield, so that existing code changes one import.

import pytrec_eval       ->  from cranfield.compat import pytrec_eval
import ir_measures       ->  from cranfield.compat import ir_measures

The packages themselves are not needed. What is not the same is in docs/migrate.md. The other way
round, `cranfield.compat.provider` brings our measures to ir_measures and all that calls it.
"""

from cranfield.compat import ir_measures, pytrec_eval

__all__ = ["ir_measures", "pytrec_eval"]
