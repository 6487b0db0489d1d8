"""Devices, implants, prostheses and surgery."""

from ficha.fmd.models.body import TipoDispositivo
from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import Item, RecordReader, present, stripped_text
from ficha.fmd.responder.sections import section, term_line, unreadable_sentence
from ficha.fmd.responder.view import FactLine, Section, ShownText


def devices(record: RecordReader) -> Section:
    """An empty section does not say so: the stop signs already show the dangerous devices."""
    lines = [_device(record, item) for item in record.items("cardiologico", "dispositivos")]
    others = (("implantes", phrases.IMPLANT), ("protesis", phrases.PROSTHESIS))
    lines += [
        term_line(record, item, "cuerpo", kind) for field, kind in others for item in record.items("cuerpo", field)
    ]
    lines += [term_line(record, item, "salud", phrases.SURGERY) for item in record.items("salud", "cirugias")]
    lists = (("cardiologico", "dispositivos"), ("cuerpo", "implantes"), ("cuerpo", "protesis"), ("salud", "cirugias"))
    return section("devices", record.translate(phrases.DEVICES), lines, [unreadable_sentence(record, lines, *lists)])


def _device(record: RecordReader, item: Item) -> FactLine | None:
    kind = record.choice_of(TipoDispositivo, item.get("tipo"))
    if kind is None:
        return None
    safe = item.get("compatible_rm")
    mri = phrases.MRI_SAFE if safe is True else phrases.MRI_UNSAFE
    maker = " ".join(part for part in (stripped_text(item, "fabricante"), stripped_text(item, "modelo")) if part)
    details = present(
        record.phrase(mri, strong=safe is not True),
        ShownText(maker) if maker else None,
        record.labelled_date(phrases.IMPLANTED, item.get("fecha_implante")),
    )
    title = phrases.OTHER_DEVICE if kind is TipoDispositivo.OTRO else kind.words
    return FactLine(record.phrase(title), details, confirmed=record.confirmation(item, "cardiologico"))
