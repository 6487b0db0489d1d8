"""How the languages that people speak are called, and how relations between people are."""

from collections.abc import Callable, Mapping

from ficha.fmd.spelling import folded
from ficha.fmd.words import Words

LANGUAGES: Mapping[str, Words] = {
    "es": Words("español", "Spanish", "espanhol"),
    "en": Words("inglés", "English", "inglês"),
    "pt": Words("portugués", "Portuguese", "português"),
    "ar": Words("árabe", "Arabic", "árabe"),
    "ase": Words("lengua de señas americana", "American Sign Language", "língua de sinais americana"),
    "ay": Words("aimara", "Aymara", "aimará"),
    "bzs": Words("lengua de señas brasileña (Libras)", "Brazilian Sign Language", "Libras"),
    "ca": Words("catalán", "Catalan", "catalão"),
    "de": Words("alemán", "German", "alemão"),
    "eu": Words("euskera", "Basque", "basco"),
    "fr": Words("francés", "French", "francês"),
    "gl": Words("gallego", "Galician", "galego"),
    "gn": Words("guaraní", "Guarani", "guarani"),
    "guc": Words("wayuu", "Wayuu", "wayuu"),
    "he": Words("hebreo", "Hebrew", "hebraico"),
    "hi": Words("hindi", "Hindi", "hindi"),
    "ht": Words("criollo haitiano", "Haitian Creole", "crioulo haitiano"),
    "it": Words("italiano", "Italian", "italiano"),
    "ja": Words("japonés", "Japanese", "japonês"),
    "ko": Words("coreano", "Korean", "coreano"),
    "nah": Words("náhuatl", "Nahuatl", "náuatle"),
    "nl": Words("neerlandés", "Dutch", "holandês"),
    "pl": Words("polaco", "Polish", "polonês"),
    "qu": Words("quechua", "Quechua", "quíchua"),
    "ru": Words("ruso", "Russian", "russo"),
    "uk": Words("ucraniano", "Ukrainian", "ucraniano"),
    "vsl": Words("lengua de señas venezolana", "Venezuelan Sign Language", "língua de sinais venezuelana"),
    "zh": Words("chino", "Chinese", "chinês"),
}

RELATIONS = (
    Words("madre", "mother", "mãe"),
    Words("padre", "father", "pai"),
    Words("mamá", "mum", "mamãe"),
    Words("papá", "dad", "papai"),
    Words("hija", "daughter", "filha"),
    Words("hijo", "son", "filho"),
    Words("hermana", "sister", "irmã"),
    Words("hermano", "brother", "irmão"),
    Words("esposa", "wife", "esposa"),
    Words("esposo", "husband", "marido"),
    Words("pareja", "partner", "companheiro(a)"),
    Words("abuela", "grandmother", "avó"),
    Words("abuelo", "grandfather", "avô"),
    Words("nieta", "granddaughter", "neta"),
    Words("nieto", "grandson", "neto"),
    Words("tía", "aunt", "tia"),
    Words("tío", "uncle", "tio"),
    Words("prima", "cousin", "prima"),
    Words("primo", "cousin", "primo"),
    Words("amiga", "friend", "amiga"),
    Words("amigo", "friend", "amigo"),
    Words("vecina", "neighbour", "vizinha"),
    Words("vecino", "neighbour", "vizinho"),
    Words("tutora", "guardian", "tutora"),
    Words("tutor", "guardian", "tutor"),
    Words("cuidadora", "carer", "cuidadora"),
    Words("cuidador", "carer", "cuidador"),
    Words("docente", "teacher", "docente"),
    Words("maestra", "teacher", "professora"),
    Words("maestro", "teacher", "professor"),
)


def _unmistakable(spelt: Callable[[str], str]) -> dict[str, Words]:
    """A friend may be an amiga or an amigo: such a word is left as it was written."""
    found: dict[str, set[Words]] = {}
    for words in RELATIONS:
        for word in words:
            found.setdefault(spelt(word), set()).add(words)
    return {word: next(iter(meanings)) for word, meanings in found.items() if len(meanings) == 1}


_SPELT = _unmistakable(str.lower)
_FOLDED = _unmistakable(folded)


def language_name(tag: str) -> Words | None:
    return LANGUAGES.get(tag.partition("-")[0].lower())


def relation(written: str) -> Words | None:
    """A relation that people write as one common word can be said in another language; anything else stays."""
    word = written.strip().lower()
    return _SPELT.get(word) or _FOLDED.get(folded(word))
