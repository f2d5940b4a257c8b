"""Rules in words, for the terminal."""

from __future__ import annotations

from foregone.rules.rule import Rule, Totals

TOTALS = {
    Totals.OWN: "Totals are treated like any other cell.",
    Totals.GRAND_EXACT: "The total of everything is exact; other totals are treated like any other cell.",
    Totals.SUM: "Totals are sums of the shown values, so they tell nothing more.",
}


def rule_text(rule: Rule) -> str:
    """Everything about one rule: what is shown, and which counts it can stand for."""
    lines = [f"{rule.name}: {rule.title}", "", f"  {'shown':<14}true count"]
    lines += [f"  {shown:<14}{meant}" for shown, meant in rule.examples()]
    lines += ["", rule.note] if rule.note else [""]
    lines.append(TOTALS[rule.totals])
    if rule.chance:
        lines.append("Chance decides what is shown: `tabulate --rule` takes a --seed.")
    if rule.source:
        lines.append(f"Source: {rule.source}.")
    return "\n".join(lines)


def rule_list(rules: dict[str, Rule]) -> str:
    width = max(map(len, rules)) + 2
    lines = [f"{name:<{width}}{rule.title}" for name, rule in rules.items()]
    made = [
        ("round:N", "nearest multiple of N, half up"),
        ("below:N", "1 to N - 1 shown as <N"),
        ("random:N", "random rounding to base N"),
    ]
    lines += [f"{name:<{width}}{what}" for name, what in made]
    return "\n".join([*lines, "", "`foregone rules NAME` shows what each shown value can mean."])
