"""What the page of a batch asks before it is printed: which sheet, on what."""

from ficha.cards.stickers import Paper, StickerFormat
from ficha.core.transaction import Transaction
from ficha.products.batches import Batch
from ficha.products.sealed_tags import parts_of
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import FilterChoice
from ficha.web.kit.model_forms import ShownField


def printing_fields(t: Translate, tx: Transaction, batch: Batch) -> list[ShownField]:
    """None once its tags are destroyed."""
    if not batch.has_tags:
        return []
    parts = len(parts_of(tx, batch.id))
    formats = [FilterChoice(each.value, t(f"format_{each}")) for each in StickerFormat]
    papers = [FilterChoice(each.value, each.value.capitalize()) for each in Paper]
    return [
        ShownField("pliego", "text", t("field_pliego", parts=parts), "1"),
        ShownField("formato", "choice", t("field_formato"), StickerFormat.ROUND, choices=formats),
        ShownField("papel", "choice", t("field_papel"), Paper.A4, choices=papers),
    ]
