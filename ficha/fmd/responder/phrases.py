"""The texts of the responder's view in three languages, and the names of the languages that people speak."""

from collections.abc import Mapping

from ficha.fmd.terms import folded
from ficha.fmd.translations import Translated

# How old and how sure a fact is: «su médico, hace 12 días».
NO_DATE = Translated("sin fecha", "no date", "sem data")
CONFIRM = Translated("por confirmar", "to be confirmed", "a confirmar")
MAY_HAVE_CHANGED = Translated("puede haber cambiado", "may have changed", "pode ter mudado")
BORN = Translated("nac. {}", "born {}", "nasc. {}")
SAVED = Translated("guardado {}", "saved {}", "registrado {}")
SOURCES: Mapping[str, Translated] = {
    "titular": Translated("la persona", "the person", "a pessoa"),
    "representante": Translated("su representante", "the guardian", "o responsável"),
    "institucion": Translated("su institución", "the institution", "a instituição"),
    "medico": Translated("su médico", "the doctor", "o médico"),
}
CONFIRMED = Translated("✓ confirmado", "✓ confirmed", "✓ confirmado")
CONFIRMED_BY: Mapping[str, Translated] = {
    "titular": Translated("✓ confirmado por la persona", "✓ confirmed by the person", "✓ confirmado pela pessoa"),
    "representante": Translated(
        "✓ confirmado por su representante", "✓ confirmed by the guardian", "✓ confirmado pelo responsável"
    ),
    "institucion": Translated(
        "✓ confirmado por su institución", "✓ confirmed by the institution", "✓ confirmado pela instituição"
    ),
    "medico": Translated("✓ confirmado por su médico", "✓ confirmed by the doctor", "✓ confirmado pelo médico"),
}

# Why there is nothing: four things that must not be taken for one another.
NONE_KNOWN = Translated("Ninguna conocida.", "None known.", "Nenhuma conhecida.")
NOT_ASKED = Translated("No se ha preguntado.", "Not asked.", "Não foi perguntado.")
NOT_RECORDED = Translated("Sin registrar.", "Not recorded.", "Sem registro.")
RESERVED = Translated(
    "Reservado. El personal de salud lo abre con «Ver más datos».",
    "Reserved. Health staff open it with “See more data”.",
    "Reservado. Profissionais de saúde abrem com “Ver mais dados”.",
)
RESERVED_PRIVATE = Translated("Reservado por la persona.", "Reserved by the person.", "Reservado pela pessoa.")
NOT_READABLE = Translated(
    "No se pudo leer. Puede faltar algo importante.",
    "It could not be read. Something important may be missing.",
    "Não foi possível ler. Pode faltar algo importante.",
)
ONE_LOST = Translated(
    "Hay un dato que no se pudo leer.", "One entry could not be read.", "Há um dado que não foi possível ler."
)
SOME_LOST = Translated(
    "Hay {} datos que no se pudieron leer.", "{} entries could not be read.", "Há {} dados que não foi possível ler."
)

YES = Translated("sí", "yes", "sim")
NO = Translated("no", "no", "não")

# Titles.
MEDICINES = Translated("Medicinas", "Medicines", "Medicamentos")
ALLERGIES = Translated("Alergias", "Allergies", "Alergias")
TO_MEDICINES = Translated("A medicinas: {}", "To medicines: {}", "A medicamentos: {}")
TO_OTHERS = Translated("A alimentos y otras: {}", "To food and other things: {}", "A alimentos e outras: {}")
CONDITIONS = Translated("Condiciones", "Conditions", "Condições")
DEVICES = Translated(
    "Dispositivos, implantes, cirugías", "Devices, implants, surgery", "Dispositivos, implantes, cirurgias"
)
WISHES = Translated("Preferencias de tratamiento", "Treatment preferences", "Preferências de tratamento")
PEOPLE = Translated("Seguro, representante, médicos", "Insurance, guardian, doctors", "Seguro, responsável, médicos")
GUARDIAN = Translated("representante", "guardian", "responsável")
BODY = Translated("Grupo sanguíneo y cuerpo", "Blood group and body", "Grupo sanguíneo e corpo")
VACCINES = Translated("Vacunas", "Vaccines", "Vacinas")
IDENTITY = Translated("Identidad y dirección", "Identity and address", "Identidade e endereço")
SCHOOL = Translated("Estudios", "School", "Estudos")

# Details of facts.
SINCE = Translated("desde", "since", "desde")
UNTIL = Translated("hasta", "until", "até")
ENDED = Translated("terminó en", "ended", "terminou em")
KEEP_TAKING = Translated("no suspender sin consultar", "do not stop without asking", "não suspender sem consultar")
KEPT_IN = Translated("está en:", "kept in:", "está em:")
TAKES_ANTICOAGULANT = Translated("Toma anticoagulante", "Takes an anticoagulant", "Usa anticoagulante")
NO_ANTICOAGULANT = Translated("No toma anticoagulantes", "Takes no anticoagulants", "Não usa anticoagulantes")
MAY_BE_FATAL = Translated("grave: puede ser mortal", "severe: may be fatal", "grave: pode ser mortal")
LOW_RISK = Translated("reacción de bajo riesgo", "low-risk reaction", "reação de baixo risco")
UNKNOWN_RISK = Translated("no se sabe si es grave", "not known how severe", "não se sabe se é grave")
AUTOINJECTOR = Translated(
    "lleva autoinyector de adrenalina",
    "carries an adrenaline autoinjector",
    "tem consigo autoinjetor de adrenalina",
)
HEART = Translated("corazón", "heart", "coração")
PRESSURE = Translated("Presión habitual", "Usual blood pressure", "Pressão habitual")
PREGNANCY = Translated("Embarazo", "Pregnancy", "Gravidez")
DUE = Translated("fecha probable de parto", "due", "data provável do parto")
LONG_PAST = Translated("fecha ya pasada", "date has passed", "data já passada")
IMPLANTED = Translated("implantado", "implanted", "implantado")
MRI_SAFE = Translated(
    "resonancia condicional: compruebe el modelo",
    "MRI conditional: check the model",
    "ressonância condicional: verifique o modelo",
)
MRI_UNSAFE = Translated(
    "resonancia: no hasta comprobar el modelo",
    "no MRI until the model is checked",
    "ressonância: não até verificar o modelo",
)
DIFFICULT_AIRWAY = Translated("Vía aérea difícil", "Difficult airway", "Via aérea difícil")
HYPERTHERMIA = Translated("Hipertermia maligna", "Malignant hyperthermia", "Hipertermia maligna")
WEEKS = Translated("semanas", "weeks", "semanas")
DUE_AROUND = Translated("parto hacia el", "due around", "parto por volta de")
OTHER_DEVICE = Translated("Otro dispositivo", "Other device", "Outro dispositivo")
IMPLANT = Translated("implante", "implant", "implante")
PROSTHESIS = Translated("prótesis", "prosthesis", "prótese")
SURGERY = Translated("cirugía", "surgery", "cirurgia")

# Wishes, with what they are worth.
SIGNED = Translated("con documento firmado", "signed document attached", "com documento assinado")
STATED = Translated(
    "preferencia declarada, sin documento firmado",
    "stated preference, no signed document",
    "preferência declarada, sem documento assinado",
)
STATED_APART = Translated(
    "preferencia declarada, no consta si está en el documento",
    "stated preference, not known whether it is in the document",
    "preferência declarada, não consta se está no documento",
)
# Where the document is, but not here: nobody but who goes there knows whether it is signed.
DECLARED = Translated(
    "documento declarado, no adjunto: está en {where}",
    "document stated, not attached: it is at {where}",
    "documento declarado, não anexado: está em {where}",
)
DIRECTIVE = Translated("Voluntad anticipada", "Advance directive", "Diretiva antecipada")
KEPT_AT = Translated("el documento está en:", "the document is at:", "o documento está em:")
REFUSES_BLOOD = Translated("Rechaza transfusiones", "Refuses transfusion", "Recusa transfusões")
ACCEPTS_BLOOD = Translated("No rechaza transfusiones", "Does not refuse transfusion", "Não recusa transfusões")
DONOR = Translated("Donante de órganos", "Organ donor", "Doa órgãos")
NO_DONOR = Translated("No es donante de órganos", "Not an organ donor", "Não doa órgãos")

# People and the body.
POLICY = Translated("póliza", "policy", "apólice")
HOLDER = Translated("titular", "holder", "titular")
HELPLINE = Translated("Asistencia", "Helpline", "Assistência")
EXPIRED = Translated("venció el", "expired", "venceu em")
CUSTODY = Translated("custodia", "custody", "guarda")
HOSPITAL = Translated("Hospital preferido", "Preferred hospital", "Hospital preferido")
CARDIOLOGIST = Translated("cardiología", "cardiology", "cardiologia")
LICENCE = Translated("registro", "licence", "registro")
POSITIVE = Translated("positivo", "positive", "positivo")
NEGATIVE = Translated("negativo", "negative", "negativo")
NOT_FOR_TRANSFUSION = Translated(
    "no usar para transfundir: hay que determinarlo",
    "not for transfusion: it must be tested",
    "não usar para transfusão: é preciso determinar",
)
SIZE = Translated("Peso y estatura", "Weight and height", "Peso e altura")
GLASSES = Translated("usa lentes", "wears glasses", "usa óculos")
HEARING_AIDS = Translated("usa audífonos", "wears hearing aids", "usa aparelho auditivo")
WEARS = Translated("Lentes, audífonos", "Glasses, hearing aids", "Óculos, aparelho auditivo")
MARKS = Translated("Señas particulares", "Distinguishing marks", "Sinais particulares")
DOSE_NUMBER = Translated("dosis {}", "dose {}", "dose {}")
LOT = Translated("lote", "lot", "lote")
DOCUMENT = Translated("Documento", "Identity document", "Documento")
ADDRESS = Translated("Dirección", "Address", "Endereço")
PHONE = Translated("Teléfono", "Phone", "Telefone")
MAIL = Translated("Correo", "E-mail", "E-mail")
CLASS = Translated("sección", "class", "turma")
ENROLLED = Translated("matrícula", "enrolment number", "matrícula")
TRANSPORT = Translated("Transporte", "Transport", "Transporte")
MAY_COLLECT = Translated("puede retirar", "may collect", "pode buscar")

# Whom to call.
MAY_DECIDE = Translated("puede decidir por la persona", "may decide for the person", "pode decidir pela pessoa")
SPEAKS = Translated("habla {}", "speaks {}", "fala {}")
NO_CONTACTS = Translated("Sin contactos registrados.", "No contacts recorded.", "Sem contatos registrados.")
NO_PHONE = Translated("sin teléfono", "no phone", "sem telefone")
HELP_TO_MOVE = Translated(
    "Puede necesitar ayuda para moverse", "May need help to move", "Pode precisar de ajuda para se mover"
)
OTHER_NEED = Translated("Otra necesidad", "Another need", "Outra necessidade")


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


# As people call it where most of our words are read.
_TAGS = {folded(name): tag for tag, words in LANGUAGES.items() for name in words} | {"castellano": "es"}


def language_tag(name: str) -> str:
    """By a language's name in any of ours: `Inglés` is `en`. Empty if it is none of these."""
    return _TAGS.get(folded(name), "")
