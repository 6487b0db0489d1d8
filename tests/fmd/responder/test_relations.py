"""Relations between people in three languages."""

from ficha.fmd.responder.relations import relation
from ficha.fmd.translations import Translated


def test_a_relation_that_could_mean_two_people_is_left_as_written() -> None:
    assert relation("friend") is None
    assert relation("avo") is None
    assert relation("Mãe") == relation("MADRE") == Translated("madre", "mother", "mãe")
    assert relation("avô") == Translated("abuelo", "grandfather", "avô")
