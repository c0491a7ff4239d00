"""`cf.spark`: evaluation of runs on many machines, see docs/scale.md.

`evaluate` returns the scores of topics as a Spark DataFrame, `scores` returns `Scores`, with notes.
"""

from cranfield.spark.engine import evaluate, scores

__all__ = ["evaluate", "scores"]
