"""What axe-core has to say against a page."""

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

# The rules of axe that the colours of a page decide, which are others in the dark.
COLOUR_RULES = ("color-contrast", "link-in-text-block")
# Contrast is most of axe's work, some milliseconds for each text. Texts that look alike on grounds that look alike have
# the same, so of those the first is judged, and each of them where axe cannot tell of one. At full size all are.
JUDGE_EACH_LOOK_ONCE = """() => {
  const grounds = new Map([[null, ""]]);
  const ground = (one) => {
    if (!grounds.has(one)) {
      const at = getComputedStyle(one);
      const own = [at.backgroundColor, at.backgroundImage, at.opacity, at.filter, at.mixBlendMode, at.position];
      grounds.set(one, ground(one.parentElement) + own.join());
    }
    return grounds.get(one);
  };
  const isField = (one) => one.matches("input, select, textarea, button");
  const isText = (one) => isField(one)
    || [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const isOff = (one) => !!one.closest(":disabled, [aria-disabled=true], [inert], label:has(:disabled)");
  const look = (one) => {
    const at = getComputedStyle(one);
    const kind = isField(one) ? [one.localName, one.type] : [];
    const own = [at.color, at.fontSize, at.fontWeight, at.textShadow, at.textDecorationLine, at.webkitTextStrokeWidth];
    return [...kind, isOff(one), one.getAttribute("aria-hidden"), ...own, ground(one)].join();
  };
  const seen = new Set();
  for (const one of document.querySelectorAll("body, body *")) {
    const its = isText(one) && one.checkVisibility({ visibilityProperty: true }) ? look(one) : "";
    one.toggleAttribute("data-judged", its !== "" && !seen.has(its));
    seen.add(its);
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-judged]" }] });
}"""
# Each fault as one line: the rule, the element, what would mend it.
ASK = """async (options) => {
  let found = await axe.run(document, options);
  if (found.incomplete.some((rule) => rule.id === "color-contrast")) {
    axe.configure({ rules: [{ id: "color-contrast", selector: "*" }] });
    found = await axe.run(document, options);
  }
  return found.violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}: ${node.failureSummary}`));
}"""
IS_STORM = "FICHA_STORM" in os.environ


def violations(page: "Page", *rules: str, colours: bool = True) -> list[str]:
    """By all its rules or by these. Without `colours`, a page is not judged by what was found good in another width or
    language, neither of which changes a colour."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    if page.evaluate("typeof window.axe") == "undefined":
        page.evaluate(axe.axe_script)
        page.add_init_script(axe.axe_script)  # Half a megabyte, which goes to the browser once and not for each page.
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    elif not colours:
        options["rules"] = {rule: {"enabled": False} for rule in COLOUR_RULES}
    if (colours or rules) and not IS_STORM:
        page.evaluate(JUDGE_EACH_LOOK_ONCE)
    found: list[str] = page.evaluate(ASK, options)
    return found
