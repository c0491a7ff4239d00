"""Tests, intervals, effect sizes, power: how sure can we be? `cranfield.stats` has the names."""
