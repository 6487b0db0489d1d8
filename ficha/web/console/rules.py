"""/admin/consejos: the stop signs and the advice that strangers are shown; an administrator withdraws them, and has
them shown again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

from fastapi import Path, Query
from starlette.responses import Response

from ficha.administration.rule_switch import SwitchReason, is_rule, switch_rule
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.fmd.rules.advice import all_advice, dont_word
from ficha.fmd.rules.signs import all_signs
from ficha.fmd.rules.withdrawn_rules import RuleChange, RuleKind, WithdrawnRules, changes_of, withdrawn_rules
from ficha.fmd.translations import Translated
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, Visit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import RowAction, Search, code
from ficha.web.kit.model_forms import ModelField, read_model
from ficha.web.kit.sections import Columns, faults_in, go_on, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "rules")

section = MenuSection("rules", PHRASES)
routes, PATH = section.routes, section.path

REASON = ModelField("motivo", "paragraph")
STATES = ("shown", "withdrawn")
RuleName = Annotated[str, Path(pattern=r"^[a-z0-9_]{1,80}$")]
# Of a withdrawal, and of what ended it where that has happened.
INTERVALS: Columns[Sequence[RuleChange]] = {
    "from": lambda _t, both: both[0].at,
    "until": lambda _t, both: both[1].at if both[1:] else None,
    "changes_numbered": lambda _t, both: " – ".join(str(one.id) for one in both),
    "why": lambda _t, both: " · ".join(one.reason for one in both),
    "who": lambda _t, both: code(" · ".join(dict.fromkeys(one.actor for one in both))),
}


class ListedRule(NamedTuple):
    kind: RuleKind
    rule: str
    parts: Sequence[Translated]

    @property
    def path(self) -> str:
        return f"{PATH}/{self.kind}/{self.rule}"

    def words(self, language: str) -> list[str]:
        """Of a line of advice three: when it helps, what to do, what not to do."""
        words = [part.in_language(language) for part in self.parts]
        return words if self.kind is RuleKind.SIGN else [*words[:2], f"{dont_word().in_language(language)} {words[2]}"]

    def text(self, language: str) -> str:
        return " · ".join(self.words(language))


def _all_rules() -> Iterator[ListedRule]:
    for rule, words in all_signs().items():
        yield ListedRule(RuleKind.SIGN, rule, (words,))
    for one in all_advice().values():
        yield ListedRule(RuleKind.ADVICE, one.id, (one.title, one.do, one.dont))


def _is_withdrawn(withdrawn: WithdrawnRules, one: ListedRule) -> bool:
    return one.rule in (withdrawn.signs if one.kind is RuleKind.SIGN else withdrawn.advice)


@routes.page(PATH)
def rules_page(
    reading: Reading,
    visit: AdminVisit,
    q: Search = "",
    tipo: Annotated[RuleKind | Literal[""], Query()] = "",
    estado: Annotated[Literal["", "shown", "withdrawn"], Query()] = "",
) -> Response:
    """All on one page, for there are some dozens; what is withdrawn stands first."""
    t, language, withdrawn = section.translate(visit), language_of(visit.request), withdrawn_rules(reading)

    def state_of(one: ListedRule) -> str:
        return STATES[_is_withdrawn(withdrawn, one)]

    def is_asked_for(one: ListedRule) -> bool:
        is_of_choice = tipo in ("", one.kind) and estado in ("", state_of(one))
        return is_of_choice and q.casefold() in f"{one.rule} {one.text(language)}".casefold()

    columns: Columns[ListedRule] = {
        "kind": lambda t, one: t(f"kind_{one.kind}"),
        "rule": lambda _t, one: code(one.rule, one.path),
        "words": lambda _t, one: one.text(language),
        "state": lambda t, one: t(f"state_{state_of(one)}"),
    }
    rows = sorted(filter(is_asked_for, _all_rules()), key=lambda one: not _is_withdrawn(withdrawn, one))
    table = table_of(
        t,
        PATH,
        columns,
        rows,
        "rules_none",
        lambda one: [RowAction(t("restore" if _is_withdrawn(withdrawn, one) else "withdraw"), one.path, one.rule)],
    )
    filters = [
        section.filter(visit, "tipo", "kind", RuleKind, tipo),
        section.filter(visit, "estado", "state", STATES, estado),
    ]
    return section.show_table(
        visit, replace(table, search_label=t("rules_search"), search=q, filters=filters), section.name
    )


@routes.page(PATH + "/{kind}/{rule}")
def rule_page(reading: Reading, visit: AdminVisit, kind: RuleKind, rule: RuleName) -> Response:
    return _show_rule(reading, visit, kind, rule, {})


@routes.post(PATH + "/{kind}/{rule}")
def switch(db: Db, visit: AdminVisit, now: Now, kind: RuleKind, rule: RuleName, form: PostedForm) -> Response:
    """The form says which of both it asks for: sent by somebody who looks at an old page, it changes nothing."""
    is_withdrawn, has_changed = form.get("do") != "restore", False

    def save() -> None:
        nonlocal has_changed
        why = read_model(SwitchReason, [REASON], form)
        has_changed = switch_rule(db, kind, rule, is_withdrawn=is_withdrawn, why=why, actor=visit.actor, now=now)

    if not is_rule(kind, rule):
        raise NotFound
    if faults := faults_in(db, REASON.name, save):
        return _show_rule(db, visit, kind, rule, form, faults)
    done = "unchanged" if not has_changed else "withdrawn" if is_withdrawn else "restored"
    return go_on(visit, f"{PATH}/{kind}/{rule}", done)


def _show_rule(
    tx: Transaction,
    visit: Visit,
    kind: RuleKind,
    rule: str,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
) -> Response:
    """Its words, when it was withdrawn and why, and the form. What a release took away has only its history."""
    found = next((one for one in _all_rules() if (one.kind, one.rule) == (kind, rule)), None)
    changes = changes_of(tx, kind, rule)
    if found is None and not changes:
        raise NotFound
    t = section.translate(visit)
    is_withdrawn = bool(changes and changes[-1].is_withdrawn)
    return section.show(
        visit,
        "console/rule.html",
        faults=faults,
        title=rule,
        kind=t(f"kind_{kind}"),
        words=found.words(language_of(visit.request)) if found else [],
        state="unknown" if found is None else STATES[is_withdrawn],
        do="restore" if is_withdrawn else "withdraw",
        action=f"{PATH}/{kind}/{rule}",
        back=PATH,
        fields=section.fields(visit, [REASON], texts),
        history=table_of(t, PATH, INTERVALS, _intervals(changes)),
    )


def _intervals(changes: Sequence[RuleChange]) -> list[Sequence[RuleChange]]:
    """Pairs of a withdrawal and what ended it, if anything did, the newest first. They take turns: a second one
    changes nothing."""
    return [changes[first : first + 2] for first in range(0, len(changes), 2)][::-1]
