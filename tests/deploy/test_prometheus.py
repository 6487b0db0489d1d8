"""Rules and dashboard: judged by Prometheus' own tool, and held against what /metrics has."""

import json
import re
from typing import Any

import pytest
import yaml

from tests.deploy.test_files import DEPLOY, judge, tool
from tests.world import World

FOLDER = DEPLOY / "prometheus"
RULES = FOLDER / "ficha.rules.yml"
PACKAGE = "apt-get install prometheus"
METRIC = re.compile(r"\bficha_[a-z_]+")
ENDINGS = ("_bucket", "_sum", "_count")


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def test_the_rules_and_the_configuration() -> None:
    judge(tool("promtool", PACKAGE), "check", "rules", RULES)
    judge(tool("promtool", PACKAGE), "check", "config", FOLDER / "prometheus.yml")


def test_each_rule_fires_for_its_cause_and_none_on_a_quiet_day() -> None:
    judge(tool("promtool", PACKAGE), "test", "rules", FOLDER / "ficha.rules.test.yml")


def test_each_rule_is_tested_both_ways_and_says_how_urgent_it_is() -> None:
    tests = [
        one for test in yaml.safe_load((FOLDER / "ficha.rules.test.yml").read_text())["tests"]
        for one in test["alert_rule_test"]
    ]  # fmt: skip
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names))
    for rule in rules():
        expected = [bool(test["exp_alerts"]) for test in tests if test["alertname"] == rule["alert"]]
        assert set(expected) == {True, False}, rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket") and rule["annotations"].keys() >= {"summary"}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_rules_and_dashboard_name_metrics_that_there_are(world: World) -> None:
    names = {family.name for family in world.app.state.metrics.registry.collect()}
    there = names | {f"{name}_total" for name in names} | {name + ending for name in names for ending in ENDINGS}
    dashboard = json.loads((DEPLOY / "grafana" / "ficha.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [rule["expr"] for rule in rules()]
    assert {name for text in asked for name in METRIC.findall(text)} - there == set()


def test_the_dashboard_is_whole() -> None:
    dashboard = json.loads((DEPLOY / "grafana" / "ficha.json").read_text())
    panels = dashboard["panels"]
    assert dashboard["uid"] and dashboard["schemaVersion"] and len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in panels
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24  # None lies upon another.
