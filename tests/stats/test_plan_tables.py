"""The picture of power against topics."""

from __future__ import annotations

import json

import pytest

from cranfield.errors import CranfieldError
from cranfield.stats.plan_tables import draw_power_curves
from cranfield.stats.power import (
    topics_for_anova,
    topics_for_interval,
    topics_for_t,
)


class TestPicture:
    DESIGNS = [topics_for_t(d, 0.08) for d in (0.1, 0.2)] + [topics_for_anova(0.2, 0.04, 5)]

    def test_its_numbers(self) -> None:
        data = draw_power_curves(self.DESIGNS).data
        needed = data.filter("needed")
        assert needed["topics"].to_list() == [design.topics for design in self.DESIGNS]
        assert needed["power"].to_list() == [design.achieved for design in self.DESIGNS]
        assert data["test"].unique(maintain_order=True).to_list() == [
            "paired t-test",
            "one-way ANOVA of 5 systems",
        ]
        assert data["topics"].min() == 2
        assert data["topics"].max() == 2 * max(design.topics for design in self.DESIGNS)

    def test_its_panels_lines_and_rule(self) -> None:
        spec = json.loads(draw_power_curves(self.DESIGNS, heading="Plan").render("json"))
        assert [panel["title"]["text"] for panel in spec["vconcat"]] == [
            "paired t-test",
            "one-way ANOVA of 5 systems",
        ]
        marks = [layer["mark"]["type"] for layer in spec["vconcat"][0]["layer"]]
        assert {"rule", "line", "point", "text"} <= set(marks)
        rule = spec["vconcat"][0]["layer"][marks.index("rule")]
        values = rule.get("data", {}).get("values") or spec["datasets"][rule["data"]["name"]]
        assert values == [{"asked": 0.8}]

    def test_refused(self) -> None:
        with pytest.raises(CranfieldError, match="found no design with a power"):
            draw_power_curves([topics_for_interval(0.1, 0.08)])
        with pytest.raises(CranfieldError, match=r"found 2 designs for a difference of 0\.1"):
            draw_power_curves([topics_for_t(0.1, 0.08), topics_for_t(0.1, 0.09)])
        with pytest.raises(CranfieldError, match="found 9 lines to draw"):
            draw_power_curves([topics_for_t(d / 10, 0.08) for d in range(1, 10)])
