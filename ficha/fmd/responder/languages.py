"""How the languages that people speak are called, and how relations between people are."""

from collections.abc import Callable, Mapping

from ficha.fmd.spelling import folded
from ficha.fmd.translations import Translated

LANGUAGES: Mapping[str, Translated] = {
    "es": Translated("español", "Spanish", "espanhol"),
    "en": Translated("inglés", "English", "inglês"),
    "pt": Translated("portugués", "Portuguese", "português"),
    "ar": Translated("árabe", "Arabic", "árabe"),
    "ase": Translated("lengua de señas americana", "American Sign Language", "língua de sinais americana"),
    "ay": Translated("aimara", "Aymara", "aimará"),
    "bzs": Translated("lengua de señas brasileña (Libras)", "Brazilian Sign Language", "Libras"),
    "ca": Translated("catalán", "Catalan", "catalão"),
    "de": Translated("alemán", "German", "alemão"),
    "eu": Translated("euskera", "Basque", "basco"),
    "fr": Translated("francés", "French", "francês"),
    "gl": Translated("gallego", "Galician", "galego"),
    "gn": Translated("guaraní", "Guarani", "guarani"),
    "guc": Translated("wayuu", "Wayuu", "wayuu"),
    "he": Translated("hebreo", "Hebrew", "hebraico"),
    "hi": Translated("hindi", "Hindi", "hindi"),
    "ht": Translated("criollo haitiano", "Haitian Creole", "crioulo haitiano"),
    "it": Translated("italiano", "Italian", "italiano"),
    "ja": Translated("japonés", "Japanese", "japonês"),
    "ko": Translated("coreano", "Korean", "coreano"),
    "nah": Translated("náhuatl", "Nahuatl", "náuatle"),
    "nl": Translated("neerlandés", "Dutch", "holandês"),
    "pl": Translated("polaco", "Polish", "polonês"),
    "qu": Translated("quechua", "Quechua", "quíchua"),
    "ru": Translated("ruso", "Russian", "russo"),
    "uk": Translated("ucraniano", "Ukrainian", "ucraniano"),
    "vsl": Translated("lengua de señas venezolana", "Venezuelan Sign Language", "língua de sinais venezuelana"),
    "zh": Translated("chino", "Chinese", "chinês"),
}

RELATIONS = (
    Translated("madre", "mother", "mãe"),
    Translated("padre", "father", "pai"),
    Translated("mamá", "mum", "mamãe"),
    Translated("papá", "dad", "papai"),
    Translated("hija", "daughter", "filha"),
    Translated("hijo", "son", "filho"),
    Translated("hermana", "sister", "irmã"),
    Translated("hermano", "brother", "irmão"),
    Translated("esposa", "wife", "esposa"),
    Translated("esposo", "husband", "marido"),
    Translated("pareja", "partner", "companheiro(a)"),
    Translated("abuela", "grandmother", "avó"),
    Translated("abuelo", "grandfather", "avô"),
    Translated("nieta", "granddaughter", "neta"),
    Translated("nieto", "grandson", "neto"),
    Translated("tía", "aunt", "tia"),
    Translated("tío", "uncle", "tio"),
    Translated("prima", "cousin", "prima"),
    Translated("primo", "cousin", "primo"),
    Translated("amiga", "friend", "amiga"),
    Translated("amigo", "friend", "amigo"),
    Translated("vecina", "neighbour", "vizinha"),
    Translated("vecino", "neighbour", "vizinho"),
    Translated("tutora", "guardian", "tutora"),
    Translated("tutor", "guardian", "tutor"),
    Translated("cuidadora", "carer", "cuidadora"),
    Translated("cuidador", "carer", "cuidador"),
    Translated("docente", "teacher", "docente"),
    Translated("maestra", "teacher", "professora"),
    Translated("maestro", "teacher", "professor"),
)


def _unmistakable(spelt: Callable[[str], str]) -> dict[str, Translated]:
    """A friend may be an amiga or an amigo: such a word is left as it was written."""
    found: dict[str, set[Translated]] = {}
    for words in RELATIONS:
        for word in words:
            found.setdefault(spelt(word), set()).add(words)
    return {word: next(iter(meanings)) for word, meanings in found.items() if len(meanings) == 1}


_SPELT = _unmistakable(str.lower)
_FOLDED = _unmistakable(folded)


def language_name(tag: str) -> Translated | None:
    return LANGUAGES.get(tag.partition("-")[0].lower())


def relation(written: str) -> Translated | None:
    """A relation that people write as one common word can be said in another language; anything else stays."""
    word = written.strip().lower()
    return _SPELT.get(word) or _FOLDED.get(folded(word))
