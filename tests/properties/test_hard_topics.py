"""Whatever the measure: why runs fail can be told, and scores are within their bounds."""

from __future__ import annotations

import cranfield as cf
from cranfield.evaluation.failures import BUCKETS
from tests.made import each
from tests.properties.made import EACH, LENGTHS, QRELS, RUN, collection

_, OTHER = collection(seed=2, n_topics=24, depth=30)
RUNS = {"x": RUN, "y": OTHER}


@each("measure", [m for m in EACH if m.better != "neither" and len(m.names()) == 1])
def test_every_measure(measure: cf.Measure) -> None:
    found = cf.hard_topics(QRELS, RUNS, measure, lengths=LENGTHS)
    scores = cf.evaluate(QRELS, RUNS, measure, lengths=LENGTHS)
    sign = -1 if measure.better == "lower" else 1
    for one in found.results:
        assert one.score == scores[one.run, one.topic, found.measure]
        assert one.ties_low <= one.score <= one.ties_high
        assert one.bucket in (None, *BUCKETS)
        if one.unjudged_low is not None and one.unjudged_high is not None:
            assert one.unjudged_low <= one.score <= one.unjudged_high
        if one.difference is None:
            assert one.other is None
            continue
        assert sign * one.difference < 0
        assert one.bucket is not None
        if one.difference_low is not None and one.difference_high is not None:
            assert one.difference_low <= one.difference <= one.difference_high
    assert sum(found.tally()["x"].values()) == len(found.topics) > 20
