"""`cf.spark`: runs evaluated on many machines; see docs/scale.md.

`evaluate` gives the scores of topics as a Spark DataFrame, `scores` as `Scores`, with notices.
"""

from cranfield.spark.engine import evaluate, scores

__all__ = ["evaluate", "scores"]
