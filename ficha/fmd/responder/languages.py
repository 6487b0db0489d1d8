"""The names of the languages that people speak."""

from collections.abc import Mapping

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


def language_name(tag: str) -> Translated | None:
    return LANGUAGES.get(tag.partition("-")[0].lower())
