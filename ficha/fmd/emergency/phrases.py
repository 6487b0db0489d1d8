"""What the responder's view says in words of ours."""

from collections.abc import Mapping

from ficha.fmd.words import Words

# How old and how sure a fact is: «su médico, hace 12 días».
NO_DATE = Words("sin fecha", "no date", "sem data")
CONFIRM = Words("por confirmar", "to be confirmed", "a confirmar")
MAY_HAVE_CHANGED = Words("puede haber cambiado", "may have changed", "pode ter mudado")
SAVED = Words("guardado {}", "saved {}", "salvo {}")
SOURCES: Mapping[str, Words] = {
    "titular": Words("la persona", "the person", "a pessoa"),
    "representante": Words("su representante", "the guardian", "o responsável"),
    "institucion": Words("su institución", "the institution", "a instituição"),
    "medico": Words("su médico", "the doctor", "o médico"),
}

# Why there is nothing: four things that must not be taken for one another.
NONE_KNOWN = Words("Ninguna conocida.", "None known.", "Nenhuma conhecida.")
NOT_ASKED = Words("No se ha preguntado.", "Nobody has asked.", "Ninguém perguntou.")
NOT_RECORDED = Words("Sin registrar.", "Not recorded.", "Sem registro.")
NOT_READABLE = Words(
    "No se pudo leer. Puede faltar algo importante.",
    "It could not be read. Something important may be missing.",
    "Não foi possível ler. Pode faltar algo importante.",
)
ONE_LOST = Words(
    "Hay un dato que no se pudo leer.", "One entry could not be read.", "Há um dado que não foi possível ler."
)
SOME_LOST = Words(
    "Hay {} datos que no se pudieron leer.", "{} entries could not be read.", "Há {} dados que não foi possível ler."
)

# Titles.
MEDICINES = Words("Medicinas", "Medicines", "Medicamentos")
ALLERGIES = Words("Alergias", "Allergies", "Alergias")
TO_MEDICINES = Words("A medicinas: {}", "To medicines: {}", "A medicamentos: {}")
TO_OTHERS = Words("A alimentos y otras: {}", "To food and other things: {}", "A alimentos e outras: {}")
CONDITIONS = Words("Condiciones", "Conditions", "Condições")
DEVICES = Words("Dispositivos, implantes, cirugías", "Devices, implants, surgery", "Dispositivos, implantes, cirurgias")
WISHES = Words("Preferencias de tratamiento", "Treatment preferences", "Preferências de tratamento")
PEOPLE = Words("Seguro, representante, médicos", "Insurance, guardian, doctors", "Seguro, responsável, médicos")
GUARDIAN = Words("representante", "guardian", "responsável")
BODY = Words("Grupo sanguíneo y cuerpo", "Blood group and body", "Grupo sanguíneo e corpo")
VACCINES = Words("Vacunas", "Vaccines", "Vacinas")
IDENTITY = Words("Identidad y dirección", "Identity and address", "Identidade e endereço")
SCHOOL = Words("Estudios", "School", "Estudos")

# Details of facts.
SINCE = Words("desde", "since", "desde")
UNTIL = Words("hasta", "until", "até")
ENDED = Words("terminó en", "ended", "terminou em")
KEEP_TAKING = Words("no debe interrumpirse", "must not be interrupted", "não deve ser interrompido")
TAKES_ANTICOAGULANT = Words("Toma anticoagulantes", "Takes anticoagulants", "Usa anticoagulantes")
NO_ANTICOAGULANT = Words("No toma anticoagulantes", "Takes no anticoagulants", "Não usa anticoagulantes")
MAY_BE_FATAL = Words("grave: puede ser mortal", "severe: may be fatal", "grave: pode ser mortal")
LOW_RISK = Words("riesgo bajo", "low risk", "risco baixo")
UNKNOWN_RISK = Words("no se sabe si es grave", "not known how severe", "não se sabe se é grave")
AUTOINJECTOR = Words(
    "lleva autoinyector de adrenalina", "carries an adrenaline autoinjector", "leva autoinjetor de adrenalina"
)
HEART = Words("corazón", "heart", "coração")
PRESSURE = Words("Presión habitual", "Usual blood pressure", "Pressão habitual")
PREGNANCY = Words("Embarazo", "Pregnancy", "Gravidez")
DUE = Words("fecha probable de parto", "due", "data provável do parto")
LONG_PAST = Words("fecha ya pasada", "date has passed", "data já passada")
IMPLANTED = Words("implantado", "implanted", "implantado")
MRI_SAFE = Words("compatible con resonancia", "MRI safe", "compatível com ressonância")
MRI_UNSAFE = Words("no hacer resonancia", "not MRI safe", "não fazer ressonância")
MRI_UNKNOWN = Words(
    "no se sabe si admite resonancia", "not known whether MRI safe", "não se sabe se aceita ressonância"
)
OTHER_DEVICE = Words("Otro dispositivo", "Other device", "Outro dispositivo")
IMPLANT = Words("implante", "implant", "implante")
PROSTHESIS = Words("prótesis", "prosthesis", "prótese")
SURGERY = Words("cirugía", "surgery", "cirurgia")

# Wishes, with what they are worth.
SIGNED = Words("con documento firmado", "signed document attached", "com documento assinado")
STATED = Words(
    "preferencia declarada, sin documento firmado",
    "stated preference, no signed document",
    "preferência declarada, sem documento assinado",
)
DIRECTIVE = Words("Voluntad anticipada", "Advance directive", "Diretiva antecipada")
KEPT_AT = Words("el documento está en:", "the document is at:", "o documento está em:")
REFUSES_BLOOD = Words("Rechaza transfusiones", "Refuses transfusion", "Recusa transfusões")
ACCEPTS_BLOOD = Words("No rechaza transfusiones", "Does not refuse transfusion", "Não recusa transfusões")
DONOR = Words("Donante de órganos", "Organ donor", "Doador de órgãos")
NO_DONOR = Words("No es donante de órganos", "Not an organ donor", "Não é doador de órgãos")

# People and the body.
POLICY = Words("póliza", "policy", "apólice")
HOLDER = Words("titular", "holder", "titular")
HELPLINE = Words("Asistencia", "Helpline", "Assistência")
EXPIRED = Words("venció el", "expired", "venceu em")
CUSTODY = Words("custodia", "custody", "guarda")
HOSPITAL = Words("Hospital preferido", "Preferred hospital", "Hospital preferido")
CARDIOLOGIST = Words("cardiología", "cardiology", "cardiologia")
LICENCE = Words("registro", "licence", "registro")
POSITIVE = Words("positivo", "positive", "positivo")
NEGATIVE = Words("negativo", "negative", "negativo")
NOT_FOR_TRANSFUSION = Words(
    "no usar para transfundir: hay que determinarlo",
    "not for transfusion: it must be tested",
    "não usar para transfusão: é preciso determinar",
)
SIZE = Words("Peso y estatura", "Weight and height", "Peso e altura")
GLASSES = Words("usa lentes", "wears glasses", "usa óculos")
HEARING_AIDS = Words("usa audífonos", "wears hearing aids", "usa aparelho auditivo")
WEARS = Words("Lentes, audífonos", "Glasses, hearing aids", "Óculos, aparelho auditivo")
MARKS = Words("Señas particulares", "Distinguishing marks", "Sinais particulares")
DOSE_NUMBER = Words("dosis {}", "dose {}", "dose {}")
LOT = Words("lote", "lot", "lote")
DOCUMENT = Words("Documento", "Identity document", "Documento")
ADDRESS = Words("Dirección", "Address", "Endereço")
PHONE = Words("Teléfono", "Phone", "Telefone")
MAIL = Words("Correo", "E-mail", "E-mail")
CLASS = Words("sección", "class", "turma")
ENROLLED = Words("matrícula", "enrolment number", "matrícula")
TRANSPORT = Words("Transporte", "Transport", "Transporte")
MAY_COLLECT = Words("puede retirarla", "may collect her", "pode buscá-la")

# Whom to call.
MAY_DECIDE = Words("puede decidir por la persona", "may decide for the person", "pode decidir pela pessoa")
SPEAKS = Words("habla {}", "speaks {}", "fala {}")
NO_CONTACTS = Words("Sin contactos registrados.", "No contacts recorded.", "Sem contatos registrados.")
NO_PHONE = Words("sin teléfono", "no phone", "sem telefone")
OTHER_NEED = Words("Otra necesidad", "Another need", "Outra necessidade")
