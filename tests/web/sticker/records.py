"""Records as people keep them: the fullest that is plausible, and one with next to nothing."""

from copy import deepcopy
from typing import Any

from tests.fmd.documents import example_of, model_named, stored_form


def term(texto: str, sistema: str = "", codigo: str = "") -> dict[str, str]:
    return {"texto": texto} | ({"sistema": sistema, "codigo": codigo} if codigo else {})


def medicine(name: dict[str, str], dose: str, often: str, why: str, confirmed: str, **more: Any) -> dict[str, Any]:
    known = {"medicamento": name, "dosis": dose, "frecuencia": often, "motivo": why, "confirmado_en": confirmed}
    return {"via": "oral", "fuente": "titular"} | known | more


MEDICINES = [
    medicine(term("Insulina glargina", "atc", "A10AE04"), "18 U", "cada noche", "diabetes tipo 1", "2026-11-03",
             via="subcutánea", critico=True, desde="2019", fuente="representante"),
    medicine(term("Insulina asparta", "atc", "A10AB05"), "4 a 8 U", "antes de cada comida", "diabetes tipo 1",
             "2026-11-03", via="subcutánea", critico=True, fuente="representante"),
    medicine(term("Levetiracetam", "atc", "N03AX14"), "500 mg", "cada 12 horas", "epilepsia", "2026-07-02",
             desde="2021-03"),
    medicine(term("Apixabán", "atc", "B01AF02"), "5 mg", "cada 12 horas", "fibrilación auricular", "2026-11-03",
             fuente="medico", critico=True),
    medicine(term("Bisoprolol", "atc", "C07AB07"), "2,5 mg", "cada mañana", "ritmo del corazón", "2026-09-20"),
    medicine(term("Levotiroxina", "atc", "H03AA01"), "75 mcg", "en ayunas", "tiroides", "2026-03-01"),
    medicine(term("Salbutamol inhalado", "atc", "R03AC02"), "2 inhalaciones", "si le falta el aire", "asma",
             "2026-10-11", via="inhalada"),
    medicine(term("Vitamina D de la farmacia del barrio"), "1 cápsula", "los domingos", "huesos", "2025-02-14"),
]  # fmt: skip
DRUG_ALLERGIES = [
    {"medicamento": term("Penicilina", "atc", "J01C"), "criticidad": "alta",
     "reacciones": [term("Anafilaxia", "snomed", "39579001"), term("Urticaria", "snomed", "126485001")],
     "notas": "A los seis años, en el hospital. Estuvo dos días ingresada.", "confirmado_en": "2026-08-01",
     "fuente": "medico"},
    {"medicamento": term("Contraste yodado", "atc", "V08A"), "criticidad": "baja",
     "reacciones": [term("Urticaria", "snomed", "126485001")], "confirmado_en": "2026-08-01", "fuente": "medico"},
    {"medicamento": term("Ibuprofeno", "atc", "M01AE01"), "criticidad": "desconocida",
     "reacciones": [term("Broncoespasmo", "snomed", "4386001")], "confirmado_en": "2024-01-10",
     "fuente": "representante"},
]  # fmt: skip
OTHER_ALLERGIES = [
    {"agente": term("Maní", "snomed", "762952008"), "categoria": "alimento", "criticidad": "alta",
     "reacciones": [term("Anafilaxia", "snomed", "39579001")], "autoinyector": True,
     "notas": "El autoinyector está en el bolsillo rojo de la mochila; hay otro en la enfermería.",
     "confirmado_en": "2026-08-01", "fuente": "medico"},
    {"agente": term("Látex", "snomed", "111088007"), "categoria": "latex", "criticidad": "baja",
     "reacciones": [term("Urticaria", "snomed", "126485001")], "confirmado_en": "2026-08-01", "fuente": "medico"},
    {"agente": term("Picadura de hormiga roja"), "categoria": "insecto", "criticidad": "desconocida",
     "reacciones": [term("se le hincha el pie")], "confirmado_en": "2023-05-01", "fuente": "titular"},
]  # fmt: skip
CONDITIONS = [
    {"condicion": term("Diabetes tipo 1", "snomed", "46635009"), "estado": "activa", "gravedad": "moderada",
     "desde": "2019-04", "plan": "Si está confundida o suda frío: jugo o azúcar, y medir la glucosa.",
     "confirmado_en": "2026-08-01", "fuente": "medico"},
    {"condicion": term("Epilepsia", "snomed", "84757009"), "estado": "controlada", "desde": "2021",
     "plan": "Si convulsiona más de 5 minutos: midazolam bucal 10 mg, en el bolsillo rojo.",
     "confirmado_en": "2025-09-15", "fuente": "medico"},
    {"condicion": term("Asma", "snomed", "195967001"), "estado": "controlada", "gravedad": "leve",
     "confirmado_en": "2026-08-01", "fuente": "titular"},
    {"condicion": term("Hipotiroidismo", "snomed", "40930008"), "estado": "controlada", "desde": "2022",
     "confirmado_en": "2026-08-01", "fuente": "medico"},
    {"condicion": term("Enfermedad renal crónica", "snomed", "709044004"), "estado": "activa", "gravedad": "leve",
     "confirmado_en": "2026-08-01", "fuente": "medico"},
    {"condicion": term("Migraña con aura, sobre todo en época de exámenes"), "estado": "resuelta", "desde": "2018",
     "confirmado_en": "2023-02-01", "fuente": "titular"},
]  # fmt: skip
CONTACTS = [
    {"nombre": "Luis Pérez", "relacion": "padre", "cod_telefono": "+58", "telefono": "4145552222", "prioridad": 2,
     "canales": ["whatsapp"], "confirmado_en": "2026-10-01", "fuente": "titular"},
    {"nombre": "María Rojas", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111", "prioridad": 1,
     "correo": "maria@ejemplo.com", "canales": ["whatsapp", "correo", "push"], "puede_decidir": True,
     "idioma": "es-VE", "confirmado_en": "2026-10-01", "fuente": "titular"},
    {"nombre": "Carmen Rojas de Villalobos", "relacion": "abuela", "cod_telefono": "+57", "telefono": "3005551234",
     "prioridad": 3, "canales": ["whatsapp"], "confirmado_en": "2025-06-01", "fuente": "titular"},
    {"nombre": "João Pereira", "relacion": "vecino del piso 3", "cod_telefono": "+55", "telefono": "11987654321",
     "canales": ["whatsapp"], "idioma": "pt-BR", "fuente": "titular"},
]  # fmt: skip
DOCTORS = [
    {"nombre": "Dra. Inés Molina", "especialidad": "endocrinología", "cod_telefono": "+58", "telefono": "2615553333",
     "institucion": "Hospital Coromoto", "registro": "MPPS 55.123", "confirmado_en": "2026-03-01",
     "fuente": "titular"},
    {"nombre": "Dr. Andrés Quintero", "especialidad": "neurología infantil", "cod_telefono": "+58",
     "telefono": "2615554444", "institucion": "Clínica Falcón", "confirmado_en": "2026-03-01", "fuente": "titular"},
]  # fmt: skip
NEEDS = [
    {"tipo": "autismo", "descripcion": "Le asustan las sirenas y que la toquen sin avisar.",
     "como_ayudar": "Hablar despacio y mostrarle lo que se va a hacer.", "confirmado_en": "2026-03-01",
     "fuente": "representante"},
]  # fmt: skip
VACCINES = [
    {"vacuna": term(name, system, code), "fecha": day, "dosis_numero": dose, "lugar": "Ambulatorio Norte",
     "confirmado_en": "2026-03-01", "fuente": "institucion"}
    for name, system, code, day, dose in (
        ("Fiebre amarilla", "atc", "J07BL01", "2018-07-20", 1),
        ("Tétanos y difteria, adultos (Td)", "cvx", "113", "2022-05", 1),
        ("Triple viral", "cvx", "03", "2013-06-02", 1),
        ("Triple viral", "cvx", "03", "2017-06-11", 2),
        ("COVID-19, ARN mensajero", "atc", "J07BN01", "2021-11-30", 2),
    )
]  # fmt: skip


def _full() -> dict[str, Any]:
    documents: dict[str, Any] = {
        wire: example_of(model_named(wire))
        for wire in ("personal", "cardiologico", "cuerpo", "representante", "estudiante", "poliza", "preferencia")
    }
    documents["modulo"] = example_of(model_named("modulo"))
    consent = example_of(model_named("consentimiento")) | {"visibilidad": {}, "rechaza_transfusion": True}
    documents |= {
        "medicacion": {"medicamentos": MEDICINES},
        "alergiasm": {"alergias": DRUG_ALLERGIES},
        "alergiasa": {"alergias": OTHER_ALLERGIES},
        "salud": example_of(model_named("salud")) | {"condiciones": CONDITIONS},
        "emergencia": {
            "contactos": CONTACTS,
            "instrucciones": "No la sujeten; háblenle despacio. Lleva una pulsera azul con su peluche.",
            "hospital_preferido": "Hospital Coromoto, Maracaibo",
        },
        "consideracion": {"consideraciones": NEEDS},
        "personalsermed": {"medicos": DOCTORS},
        "vacuna": {"vacunas": VACCINES},
        "consentimiento": consent,
    }
    return {wire: stored_form(wire, document) for wire, document in documents.items()}


_FULL = _full()


def full_record() -> dict[str, Any]:
    """Eight medicines, six allergies, six conditions, four contacts, and something in every other model."""
    return deepcopy(_FULL)


def small_record() -> dict[str, Any]:
    """What somebody types on the first evening."""
    return {
        "personal": stored_form("personal", {"nombres": "Luis", "apellidos": "Pérez"}),
        "emergencia": stored_form(
            "emergencia",
            {"contactos": [{"nombre": "Ana", "relacion": "hija", "cod_telefono": "+58", "telefono": "4125551111"}]},
        ),
    }
