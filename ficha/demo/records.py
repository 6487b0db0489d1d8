"""The records of the demo people: six that show the range of what a sticker may open."""

from typing import Any

Document = dict[str, Any]

CONFIRMED = {"confirmado_en": "2026-10-20", "fuente": "titular"}
BY_DOCTOR = {"confirmado_en": "2026-09-02", "fuente": "medico"}
BY_GUARDIAN = {"confirmado_en": "2026-10-20", "fuente": "representante"}


def _personal(nombres: str, apellidos: str, born: str, sexo: str, idiomas: list[str], country: str = "VE") -> Document:
    names = {"nombres": nombres, "apellidos": apellidos}
    return {**names, "fecha_nacimiento": born, "sexo": sexo, "idiomas": idiomas, "nacionalidad": country}


def _snomed(texto: str, codigo: str) -> Document:
    return {"texto": texto, "sistema": "snomed", "codigo": codigo}


def _atc(texto: str, codigo: str) -> Document:
    return {"texto": texto, "sistema": "atc", "codigo": codigo}


def _condition(texto: str, codigo: str, estado: str, **more: Any) -> Document:
    return {"condicion": _snomed(texto, codigo), "estado": estado, **more}


def _medicine(texto: str, codigo: str, dosis: str, via: str, frecuencia: str, **more: Any) -> Document:
    return {"medicamento": _atc(texto, codigo), "dosis": dosis, "via": via, "frecuencia": frecuencia, **more}


def _allergy(texto: str, codigo: str, categoria: str, criticidad: str, **more: Any) -> Document:
    return {"agente": _snomed(texto, codigo), "categoria": categoria, "criticidad": criticidad, **more}


def _contact(nombre: str, relacion: str, telefono: str, prioridad: int, **more: Any) -> Document:
    return {
        "nombre": nombre,
        "relacion": relacion,
        "cod_telefono": "+58",
        "telefono": telefono,
        "correo": f"{nombre.split(maxsplit=1)[0].lower()}@demo.example",
        "prioridad": prioridad,
        "canales": ["whatsapp", "correo"],
        "idioma": "es",
        **CONFIRMED,
        **more,
    }


MOTHER = _contact("María Rojas", "madre", "4125551111", 1, puede_decidir=True)
FATHER = _contact("Luis Pérez", "padre", "4125552222", 2)
ANAPHYLAXIS = _snomed("Anafilaxia", "39579001")
NONE_KNOWN = {"ausencia": "ninguna_conocida"}

PUPIL: Document = {
    "personal": _personal("Ana Lucía", "Pérez Rojas", "2012-05-03", "femenino", ["es", "en"]),
    "alergiasa": {
        "alergias": [
            _allergy(
                "Maní",
                "762952008",
                "alimento",
                "alta",
                reacciones=[ANAPHYLAXIS],
                autoinyector=True,
                notas="El autoinyector está en el bolsillo rojo de la mochila.",
                **BY_DOCTOR,
            ),
            _allergy("Látex", "111088007", "latex", "baja", **CONFIRMED),
        ]
    },
    "alergiasm": {
        "alergias": [
            {
                "medicamento": _atc("Penicilina", "J01C"),
                "criticidad": "alta",
                "reacciones": [ANAPHYLAXIS],
                **BY_DOCTOR,
            }
        ]
    },
    "salud": {
        "condiciones": [
            _condition(
                "Asma",
                "195967001",
                "controlada",
                desde="2018",
                plan="Dos inhalaciones de salbutamol; si no mejora en diez minutos, llamar.",
                **BY_DOCTOR,
            )
        ]
    },
    "medicacion": {
        "medicamentos": [
            _medicine(
                "Salbutamol inhalado", "R03AC02", "2 inhalaciones", "inhalada", "si le falta el aire", **CONFIRMED
            )
        ]
    },
    "estudiante": {"institucion": "Colegio San Luis", "grado": "3.er año", "seccion": "B", "turno": "mañana"},
    "emergencia": {"contactos": [MOTHER, FATHER], "instrucciones": "Avisen también a la enfermera del colegio."},
    "cuerpo": {"grupo_sanguineo": "O-", "estatura_cm": 158, "peso_kg": 47.5},
}

GRANDFATHER: Document = {
    "personal": _personal("Luis Alberto", "Molina", "1944-02-11", "masculino", ["es"]),
    "medicacion": {
        "medicamentos": [
            _medicine("Warfarina", "B01AA03", "5 mg", "oral", "cada tarde", critico=True, **BY_DOCTOR),
            _medicine("Bisoprolol", "C07AB07", "2,5 mg", "oral", "cada mañana", **CONFIRMED),
        ]
    },
    "cardiologico": {
        "dispositivos": [
            {
                "tipo": "marcapasos",
                "fabricante": "Medtronic",
                "modelo": "W1SR01",
                "fecha_implante": "2020-06",
                "compatible_rm": True,
                **BY_DOCTOR,
            }
        ],
        "antecedentes": [{**_snomed("Fibrilación auricular", "49436004"), **BY_DOCTOR}],
        "anticoagulado": True,
        "presion_habitual": "130/80",
        "cardiologo": "Dr. Iván Soto",
    },
    "alergiasm": NONE_KNOWN,
    "emergencia": {
        "contactos": [_contact("Carmen Molina", "hija", "4125555001", 1, puede_decidir=True)],
        "hospital_preferido": "Hospital Coromoto, Maracaibo",
    },
    "cuerpo": {"grupo_sanguineo": "A+", "usa_lentes": True, "usa_audifonos": True},
}

TRAVELLER: Document = {
    "personal": _personal("Beatriz", "Silva", "1993-08-19", "femenino", ["pt", "en"], "BR"),
    "salud": {
        "condiciones": [_condition("Preeclampsia", "398254007", "activa", desde="2026-10", **BY_DOCTOR)],
        "embarazo": {"estado": "embarazada", "fecha_probable_parto": "2027-02-01"},
    },
    "alergiasa": NONE_KNOWN,
    "alergiasm": NONE_KNOWN,
    "poliza": {
        "polizas": [
            {
                "aseguradora": "Viagem Segura",
                "numero": "BR-20-7781",
                "vigente_desde": "2026-11-01",
                "vigente_hasta": "2027-01-31",
                "telefono_asistencia": "+55 11 5550-0000",
                **CONFIRMED,
            }
        ]
    },
    "emergencia": {"contactos": [_contact("Rafael Silva", "esposo", "4125555002", 1, idioma="pt", puede_decidir=True)]},
    "cuerpo": {"grupo_sanguineo": "B-"},
}

CYCLIST: Document = {
    "personal": _personal("Tomás", "Vera", "1998-12-01", "masculino", ["es"]),
    "salud": {
        "condiciones": [
            _condition(
                "Epilepsia",
                "84757009",
                "controlada",
                desde="2010",
                plan="Si convulsiona más de 5 minutos: midazolam bucal 10 mg, en la bolsa del asiento.",
                confirmado_en="2025-08-01",
                fuente="titular",
            )
        ]
    },
    "medicacion": {
        "medicamentos": [
            _medicine(
                "Levetiracetam",
                "N03AX14",
                "500 mg",
                "oral",
                "cada 12 horas",
                critico=True,
                confirmado_en="2026-06-10",
                fuente="titular",
            )
        ]
    },
    "emergencia": {
        "contactos": [
            _contact("Elena Vera", "hermana", "4125555003", 1),
            _contact("Jorge Díaz", "amigo", "4125555004", 2, canales=["whatsapp"]),
        ],
        "instrucciones": "No me quiten el casco hasta que llegue la ambulancia.",
    },
}

CHILD: Document = {
    "personal": _personal("Mateo", "Rojas", "2019-04-22", "masculino", ["es"]),
    "consideracion": {
        "consideraciones": [
            {
                "tipo": "no_verbal",
                "descripcion": "No habla. Le asustan las sirenas y que lo toquen sin avisar.",
                "como_ayudar": "Hablarle despacio, mostrarle lo que se va a hacer, dejarle sus auriculares.",
                **BY_GUARDIAN,
            }
        ]
    },
    "salud": {"condiciones": [_condition("Autismo", "408856003", "activa", **BY_GUARDIAN)]},
    "alergiasa": {"alergias": [_allergy("Proteína de la leche de vaca", "264295007", "alimento", "alta", **BY_DOCTOR)]},
    "emergencia": {"contactos": [MOTHER], "instrucciones": "Llámenlo Teo y canten despacio: se calma."},
}

ALMOST_EMPTY: Document = {"personal": {"nombres": "Pedro", "apellidos": "Gil"}}
