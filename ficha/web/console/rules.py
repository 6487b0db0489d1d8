"""/admin/consejos: the stop signs and the advice that strangers are shown; an administrator withdraws them, and has
them shown again."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Annotated, Literal, NamedTuple

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.rule_switch import SwitchReason, is_rule, switch_rule
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.fmd.rules.advice import all_advice, dont_word
from ficha.fmd.rules.signs import all_signs
from ficha.fmd.rules.withdrawn_rules import RuleChange, RuleKind, WithdrawnRules, changes_of, withdrawn_rules
from ficha.fmd.translations import Translated
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.door import AdminVisit, Visit
from ficha.web.console.forms import faults_in
from ficha.web.console.frame import go_on, show_console, show_list, translate_for
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import Translate, language_of
from ficha.web.kit.lists import Cell, Filter, FilterChoice, Row, RowAction, Search, Table, code, moment
from ficha.web.kit.model_forms import ModelField, ShownField, read_model
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "rules")

routes = signed_in_routes()

PATH = "/admin/consejos"
REASON = ModelField("motivo", "paragraph")
STATES = ("shown", "withdrawn")
RuleName = Annotated[str, Path(pattern=r"^[a-z0-9_]{1,80}$")]


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


def _all_rules() -> Iterator[ListedRule]:
    for rule, words in all_signs().items():
        yield ListedRule(RuleKind.SIGN, rule, (words,))
    for one in all_advice().values():
        yield ListedRule(RuleKind.ADVICE, one.id, (one.title, one.do, one.dont))


def _is_withdrawn(withdrawn: WithdrawnRules, one: ListedRule) -> bool:
    return one.rule in (withdrawn.signs if one.kind is RuleKind.SIGN else withdrawn.advice)


@routes.page(PATH)
def rules_page(
    request: Request,
    reading: Reading,
    visit: AdminVisit,
    q: Search = "",
    tipo: Annotated[RuleKind | Literal[""], Query()] = "",
    estado: Annotated[Literal["", "shown", "withdrawn"], Query()] = "",
) -> Response:
    """All on one page, for there are some dozens; what is withdrawn stands first."""
    t, language, withdrawn = translate_for(request, PHRASES), language_of(request), withdrawn_rules(reading)
    rows = []
    for one in sorted(_all_rules(), key=lambda one: not _is_withdrawn(withdrawn, one)):
        is_withdrawn = _is_withdrawn(withdrawn, one)
        words = " · ".join(one.words(language))
        if tipo not in ("", one.kind) or estado not in ("", STATES[is_withdrawn]):
            continue
        if q.casefold() not in f"{one.rule} {words}".casefold():
            continue
        cells = [
            Cell(t(f"kind_{one.kind}")),
            code(one.rule, one.path),
            Cell(words),
            Cell(t(f"state_{STATES[is_withdrawn]}")),
        ]
        rows.append(Row(cells, [RowAction(t("restore" if is_withdrawn else "withdraw"), one.path, one.rule)]))
    table = Table(
        PATH,
        [t(key) for key in ("kind", "rule", "words", "state")],
        rows,
        t("rules_none"),
        search_label=t("rules_search"),
        search=q,
        filters=[
            Filter("tipo", t("kind"), _choices(t, "kind", RuleKind), tipo),
            Filter("estado", t("state"), _choices(t, "state", STATES), estado),
        ],
    )
    return show_list(request, visit, "rules", PHRASES, table, lead=t("rules_lead"))


@routes.page(PATH + "/{kind}/{rule}")
def rule_page(request: Request, reading: Reading, visit: AdminVisit, kind: RuleKind, rule: RuleName) -> Response:
    return _show_rule(request, reading, visit, kind, rule)


@routes.post(PATH + "/{kind}/{rule}")
def switch(
    request: Request, db: Db, visit: AdminVisit, now: Now, kind: RuleKind, rule: RuleName, form: PostedForm
) -> Response:
    """The form says which of both it asks for: sent by somebody who looks at an old page, it changes nothing."""
    is_withdrawn, has_changed = form.get("do") != "restore", False

    def save() -> None:
        nonlocal has_changed
        why = read_model(SwitchReason, [REASON], form)
        has_changed = switch_rule(db, kind, rule, is_withdrawn=is_withdrawn, why=why, actor=visit.actor, now=now)

    if not is_rule(kind, rule):
        raise NotFound
    if faults := faults_in(db, REASON.name, save):
        return _show_rule(request, db, visit, kind, rule, form.get(REASON.name, ""), faults)
    done = "unchanged" if not has_changed else "withdrawn" if is_withdrawn else "restored"
    return go_on(request, f"{PATH}/{kind}/{rule}", done)


def _show_rule(
    request: Request,
    tx: Transaction,
    visit: Visit,
    kind: RuleKind,
    rule: str,
    typed: str = "",
    faults: Sequence[FieldFault] = (),
) -> Response:
    """Its words, when it was withdrawn and why, and the form. What a release took away has only its history."""
    found = next((one for one in _all_rules() if (one.kind, one.rule) == (kind, rule)), None)
    changes = changes_of(tx, kind, rule)
    if found is None and not changes:
        raise NotFound
    t = translate_for(request, PHRASES)
    is_withdrawn = bool(changes and changes[-1].is_withdrawn)
    columns = [t(key) for key in ("from", "until", "changes_numbered", "why", "who")]
    return show_console(
        request,
        visit,
        "console/rule.html",
        "rules",
        PHRASES,
        status=422 if faults else 200,
        title=rule,
        kind=t(f"kind_{kind}"),
        words=found.words(language_of(request)) if found else [],
        state="unknown" if found is None else STATES[is_withdrawn],
        do="restore" if is_withdrawn else "withdraw",
        action=f"{PATH}/{kind}/{rule}",
        back=PATH,
        fields=[ShownField(REASON.name, REASON.kind, t("field_motivo"), typed, t("hint_motivo"))],
        faults=list(faults),
        history=Table(PATH, columns, [_interval(*pair) for pair in _intervals(changes)], ""),
    )


def _intervals(changes: Sequence[RuleChange]) -> list[tuple[RuleChange, RuleChange | None]]:
    """Pairs of a withdrawal and what ended it, the newest first. They take turns: a second one changes nothing."""
    return list(zip_longest(changes[::2], changes[1::2]))[::-1]


def _interval(first: RuleChange, last: RuleChange | None) -> Row:
    both = [first] if last is None else [first, last]
    return Row(
        [
            moment(first.at),
            moment(last.at if last else None),
            Cell(" – ".join(str(one.id) for one in both)),
            Cell(" · ".join(one.reason for one in both)),
            code(" · ".join(dict.fromkeys(one.actor for one in both))),
        ]
    )


def _choices(t: Translate, prefix: str, values: Sequence[str] | type[RuleKind]) -> list[FilterChoice]:
    return [FilterChoice("", t("all")), *(FilterChoice(value, t(f"{prefix}_{value}")) for value in values)]
