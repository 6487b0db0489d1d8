"""Stop signs: at most six lines that a stranger must read before touching the person, most dangerous first, and the
names of those for which there is no room; then one line for all allergies of which nobody said how severe they are,
and what no rule has judged.

The rules are data (`data/signs/`), published with a version of their own and their own test cases. They look at codes
and flags, never at free text; free text is at most repeated as the name of what a code or a flag found, or as the
place where its medicine is kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ficha.fmd.rules.judged_codes import is_written, unjudged_facts
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.rule_files import sign_table
from ficha.fmd.rules.sign_conditions import (
    Check,
    Hit,
    compiled,
    is_allergic_to,
    marks_of,
    phrase,
    unknown_allergies,
    with_kept_in,
)
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules
from ficha.fmd.translations import Translated

SIGNS_VERSION = "3.3.0"

MAX_NAMES = 6
# The rule whose advice and medicines also go with allergies of unknown severity.
UNKNOWN_OF = "alergia"


class Sign(NamedTuple):
    """`label` is short, for the sticker; `text` names what was found; `detail` is the small line below it. `short`
    names its lines where there is no room for the sign. `advice` are ids of lines of advice."""

    rule: str
    label: Translated
    text: Translated
    detail: Translated | None = None
    short: tuple[Translated, ...] = ()
    advice: tuple[str, ...] = ()


class FoundSigns(NamedTuple):
    """In the order in which they are read. `unknown` is the line of allergies of unknown severity. `unjudged` are names
    of facts that no rule has judged: nobody may say that there is nothing serious while there are any, or while
    somebody has written something in words (`is_written`), which no rule reads."""

    shown: Sequence[Sign]
    rest: Sequence[Sign]
    unknown: Sign | None
    unjudged: Sequence[Translated]
    is_written: bool

    @property
    def all(self) -> list[Sign]:
        return [*self.shown, *self.rest, *([self.unknown] if self.unknown else [])]


@dataclass(frozen=True)
class _Line:
    """`names` says whether what was found is named after the words, instead of them (`alone`), or not at all."""

    words: Translated
    names: bool | str
    advice: str
    is_directive: bool
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class _Rule:
    """`rescue` are the ATC groups of medicines that help: where one is kept stands with the sign. `directive` is where
    the kind of an advance directive is, which stands with the sign for professionals, and `signed_by` its document."""

    id: str
    line_each: bool
    signed_by: str
    directive: str
    rescue: tuple[str, ...]
    lines: tuple[_Line, ...]


# The lines of a rule that have hits.
Found = list[tuple[_Line, list[Hit]]]


def found_signs(record: RecordForRules, withdrawn: WithdrawnRules = NONE_WITHDRAWN) -> FoundSigns:
    most = sign_table()["max_signs"]
    matched = [(rule, found) for rule in _rules_for(record) if (found := _found(rule, record))]
    gone = [found for rule, found in matched if rule.id in withdrawn.signs]
    if gone:
        matched = [(rule, found) for rule, found in matched if rule.id not in withdrawn.signs]
    lines = [(rule, part) for rule, found in matched for part in _parts(rule, found)]
    if len(lines) > most:
        # All allergies in one line, so that they do not displace the anticoagulant.
        lines = [(rule, _medicines_first(found)) for rule, found in matched]
    rest = [_sign(rule, found, record)._replace(short=_short_names(found)) for rule, found in lines[most:]]
    shown = [_sign(rule, found, record) for rule, found in lines[:most]]
    unknown, withdrawn_facts = _unknown(record), _names_of(gone)
    if unknown is not None and UNKNOWN_OF in withdrawn.signs:
        withdrawn_facts.insert(0, unknown.text)
        unknown = None
    fired = {rule.id for rule, _ in matched} | ({unknown.rule} if unknown else set())
    unjudged = dict.fromkeys([*withdrawn_facts, *unjudged_facts(record, fired)])
    # Asked only where nothing else is said.
    only_written = not (shown or unknown or unjudged) and is_written(record)
    return FoundSigns(shown, rest, unknown, list(unjudged), only_written)


def all_signs() -> Mapping[str, Translated]:
    """The words of each rule, by its id."""
    return {rule.id: _joined(" · ", [line.words for line in rule.lines]) for rule in _rules()}


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            rule["id"],
            rule.get("line_each", False),
            rule.get("signed_by", ""),
            rule.get("directive", ""),
            tuple(rule.get("rescue", ())),
            tuple(
                _Line(
                    Translated(**line["words"]),
                    line["names"],
                    line["advice"],
                    line.get("is_directive", False),
                    tuple(map(compiled, line["any"])),
                )
                for line in rule["lines"]
            ),
        )
        for rule in sign_table()["rules"]
    )


@cache
def _rules_by_mark() -> Mapping[str, Sequence[int]]:
    """The indexes of the rules that something in a record can make fire."""
    indexes: dict[str, list[int]] = {}
    for index, rule in enumerate(sign_table()["rules"]):
        conditions = [condition for line in rule["lines"] for condition in line["any"]]
        for mark in frozenset().union(*map(marks_of, conditions)):
            indexes.setdefault(mark, []).append(index)
    return indexes


def _rules_for(record: RecordForRules) -> list[_Rule]:
    """In their order, those that can fire."""
    by_mark, rules = _rules_by_mark(), _rules()
    found = {index for mark in by_mark.keys() & record.marks for index in by_mark[mark]}
    return [rules[index] for index in sorted(found)]


def _found(rule: _Rule, record: RecordForRules) -> Found:
    found = []
    for line in rule.lines:
        hits: list[Hit] = []
        for check in line.checks:
            hits += check(record)
        if hits:
            found.append((line, hits))
    return found


def _names_of(gone: Sequence[Found]) -> list[Translated]:
    """What withdrawn rules found: no rule judges it now."""
    return [hit.name or line.words for found in gone for line, hits in found for hit in hits]


def _unknown(record: RecordForRules) -> Sign | None:
    """One line for all of them, medicines first, however many there are."""
    hits = unknown_allergies(record)
    if not hits:
        return None
    (rule,) = (rule for rule in _rules() if rule.id == UNKNOWN_OF)
    words = phrase("unknown_allergy")
    line = _Line(words, True, rule.lines[0].advice, False, ())
    return _sign(rule, _medicines_first([(line, hits)]), record)


def _medicines_first(found: Found) -> Found:
    return [(line, sorted(hits, key=lambda hit: hit.is_other)) for line, hits in found]


def _parts(rule: _Rule, found: Found) -> list[Found]:
    """What was found, one part for each sign."""
    return [[(line, [hit])] for line, hits in found for hit in hits] if rule.line_each else [found]


def _short_names(found: Found) -> tuple[Translated, ...]:
    return tuple(_short(line, hits) for line, hits in found)


def _sign(rule: _Rule, found: Found, record: RecordForRules) -> Sign:
    notes: list[Translated] = []
    advice: dict[str, None] = {}
    for line, hits in found:
        for hit in hits:
            notes += hit.notes
            advice[hit.advice or line.advice] = None
    if rule.directive:
        notes += _directive(record.value(rule.directive))
    if rule.signed_by:
        notes.append(_worth(rule, found, record))
    if rule.rescue:
        notes += _where_kept(rule.rescue, record)
    return Sign(
        rule=rule.id,
        label=_joined(" · ", [line.words for line, _ in found]),
        text=_joined(" · ", [_text(line, hits) for line, hits in found]),
        detail=_joined(" · ", notes) if notes else None,
        advice=tuple(advice),
    )


def _directive(kind: object) -> list[Translated]:
    """Named to professionals: everybody else helps all the same. A kind that nobody named says nothing."""
    name = f"directive_{kind}"
    return [phrase(name)] if name in sign_table()["phrases"] else []


def _worth(rule: _Rule, found: Found, record: RecordForRules) -> Translated:
    """Whether what was found is signed or stated. A document is that of the directive whose kind is named: whether it
    speaks of the other lines too, the record does not say."""
    if not record.value(rule.signed_by):
        return phrase("stated")
    directives = [line.words for line, _ in found if line.is_directive and record.value(rule.directive)]
    return _joined(": ", [*directives, phrase("signed")]) if 0 < len(directives) < len(found) else phrase("signed")


def _where_kept(groups: tuple[str, ...], record: RecordForRules) -> Iterable[Translated]:
    for finding in record.medicines:
        where = finding.item.get("guardado_en")
        is_meant = finding.sistema == "atc" and finding.codigo.startswith(groups)
        if where and is_meant and finding.name and not is_allergic_to(finding, record):
            yield with_kept_in(finding.name, where)


def _text(line: _Line, hits: list[Hit]) -> Translated:
    if not line.names:
        return line.words
    listed = hits[0].name if len(hits) == 1 else _names(hits)
    if listed is None:
        return line.words
    is_alone = line.names == "alone" and not any(hit.as_typed for hit in hits)
    return listed if is_alone else _joined(": ", [line.words, listed])


def _names(hits: list[Hit]) -> Translated | None:
    names = list(dict.fromkeys(hit.name for hit in hits if hit.name))
    if not names:
        return None
    more = [Translated(*[f"+{len(names) - MAX_NAMES}"] * 3)] if len(names) > MAX_NAMES else []
    return _joined(", ", [*names[:MAX_NAMES], *more])


def _short(line: _Line, hits: list[Hit]) -> Translated:
    """The first name without what stands in brackets, or the words; not as the beginning of a sentence."""
    named = [hit.name for hit in hits if hit.name and not hit.as_typed] if line.names else []
    words = named[0] if named else line.words
    return Translated(*(_within_sentence(word.partition(" (")[0]) for word in words))


def _within_sentence(words: str) -> str:
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]


def _joined(separator: str, parts: Sequence[Translated]) -> Translated:
    if len(parts) == 1:
        return parts[0]
    es, en, pt = zip(*dict.fromkeys(parts), strict=True)
    return Translated(separator.join(es), separator.join(en), separator.join(pt))
