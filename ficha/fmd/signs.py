"""Stop signs: at most six lines that a stranger must read before touching the person, most dangerous first.

The rules are data (`signs.json`), published with a version of their own and their own test cases. They look at codes
and flags, never at free text; free text is at most repeated as the name of what a code or a flag found.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from ficha.fmd.findings import RecordFindings
from ficha.fmd.sign_conditions import Hit, hits_of, phrase, sign_table
from ficha.fmd.translations import Translated

SIGNS_VERSION = "1.0.0"

MAX_NAMES = 6

# The lines of a rule that have hits.
Found = list[tuple[Mapping[str, Any], list[Hit]]]


@dataclass(frozen=True)
class Sign:
    """`label` is short, for the sticker; `text` names what was found; `detail` is the small line below it."""

    rule: str
    label: Translated
    text: Translated
    detail: Translated | None = None


def stop_signs(documents: Mapping[str, Any], today: date) -> list[Sign]:
    """The signs of a record, of which `documents` is what the reader may see. Damaged parts are left out."""
    table, record = sign_table(), RecordFindings(documents, today)
    matched = [(rule, found) for rule in table["rules"] if (found := _found(rule, record))]
    signs = [sign for rule, found in matched for sign in _signs(rule, found, record)]
    if len(signs) > table["max_signs"]:
        # All allergies in one line, so that they do not displace the anticoagulant.
        signs = [_sign(rule, found, record) for rule, found in matched]
    return signs[: table["max_signs"]]


def _found(rule: Mapping[str, Any], record: RecordFindings) -> Found:
    lines = [(line, [hit for when in line["any"] for hit in hits_of(when, record)]) for line in rule["lines"]]
    return [(line, hits) for line, hits in lines if hits]


def _signs(rule: Mapping[str, Any], found: Found, record: RecordFindings) -> list[Sign]:
    if not rule.get("line_each"):
        return [_sign(rule, found, record)]
    return [_sign(rule, [(line, [hit])], record) for line, hits in found for hit in hits]


def _sign(rule: Mapping[str, Any], found: Found, record: RecordFindings) -> Sign:
    notes = [note for _, hits in found for hit in hits for note in hit.notes]
    if "signed_by" in rule:
        notes.append(phrase("signed" if record.value(rule["signed_by"]) else "stated"))
    return Sign(
        rule=rule["id"],
        label=_joined(" · ", (Translated(**line["words"]) for line, _ in found)),
        text=_joined(" · ", (_text(line, hits) for line, hits in found)),
        detail=_joined(" · ", notes) if notes else None,
    )


def _text(line: Mapping[str, Any], hits: list[Hit]) -> Translated:
    """`names` says whether what was found is named after the words, instead of them (`alone`), or not at all."""
    words = Translated(**line["words"])
    names = list(dict.fromkeys(hit.name for hit in hits if hit.name))
    if not names or not line["names"]:
        return words
    more = [Translated(*[f"+{len(names) - MAX_NAMES}"] * 3)] if len(names) > MAX_NAMES else []
    listed = _joined(", ", [*names[:MAX_NAMES], *more])
    return listed if line["names"] == "alone" else _joined(": ", [words, listed])


def _joined(separator: str, parts: Iterable[Translated]) -> Translated:
    once = list(dict.fromkeys(parts))
    return Translated(*(separator.join(part) for part in zip(*once, strict=True)))
