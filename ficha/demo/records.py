"""The records of the demo people: six that show the range of what a sticker may open."""

from typing import Any

CONFIRMED = {"confirmado_en": "2026-10-20", "fuente": "titular"}
BY_DOCTOR = {"confirmado_en": "2026-09-02", "fuente": "medico"}


def _contact(nombre: str, relacion: str, telefono: str, prioridad: int, **more: Any) -> dict[str, Any]:
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

PUPIL: dict[str, Any] = {
    "personal": {
        "nombres": "Ana Lucía",
        "apellidos": "Pérez Rojas",
        "fecha_nacimiento": "2012-05-03",
        "sexo": "femenino",
        "idiomas": ["es", "en"],
        "nacionalidad": "VE",
    },
    "alergiasa": {
        "alergias": [
            {
                "agente": {"texto": "Maní", "sistema": "snomed", "codigo": "762952008"},
                "categoria": "alimento",
                "criticidad": "alta",
                "reacciones": [{"texto": "Anafilaxia", "sistema": "snomed", "codigo": "39579001"}],
                "autoinyector": True,
                "notas": "El autoinyector está en el bolsillo rojo de la mochila.",
                **BY_DOCTOR,
            },
            {
                "agente": {"texto": "Látex", "sistema": "snomed", "codigo": "111088007"},
                "categoria": "latex",
                "criticidad": "baja",
                **CONFIRMED,
            },
        ]
    },
    "alergiasm": {
        "alergias": [
            {
                "medicamento": {"texto": "Penicilina", "sistema": "atc", "codigo": "J01C"},
                "criticidad": "alta",
                "reacciones": [{"texto": "Anafilaxia", "sistema": "snomed", "codigo": "39579001"}],
                **BY_DOCTOR,
            }
        ]
    },
    "salud": {
        "condiciones": [
            {
                "condicion": {"texto": "Asma", "sistema": "snomed", "codigo": "195967001"},
                "estado": "controlada",
                "desde": "2018",
                "plan": "Dos inhalaciones de salbutamol; si no mejora en diez minutos, llamar.",
                **BY_DOCTOR,
            }
        ]
    },
    "medicacion": {
        "medicamentos": [
            {
                "medicamento": {"texto": "Salbutamol inhalado", "sistema": "atc", "codigo": "R03AC02"},
                "dosis": "2 inhalaciones",
                "via": "inhalada",
                "frecuencia": "si le falta el aire",
                **CONFIRMED,
            }
        ]
    },
    "estudiante": {"institucion": "Colegio San Luis", "grado": "3.er año", "seccion": "B", "turno": "mañana"},
    "emergencia": {"contactos": [MOTHER, FATHER], "instrucciones": "Avisen también a la enfermera del colegio."},
    "cuerpo": {"grupo_sanguineo": "O-", "estatura_cm": 158, "peso_kg": 47.5},
}

GRANDFATHER: dict[str, Any] = {
    "personal": {
        "nombres": "Luis Alberto",
        "apellidos": "Molina",
        "fecha_nacimiento": "1944-02-11",
        "sexo": "masculino",
        "idiomas": ["es"],
        "nacionalidad": "VE",
    },
    "medicacion": {
        "medicamentos": [
            {
                "medicamento": {"texto": "Warfarina", "sistema": "atc", "codigo": "B01AA03"},
                "dosis": "5 mg",
                "via": "oral",
                "frecuencia": "cada tarde",
                "critico": True,
                **BY_DOCTOR,
            },
            {
                "medicamento": {"texto": "Bisoprolol", "sistema": "atc", "codigo": "C07AB07"},
                "dosis": "2,5 mg",
                "via": "oral",
                "frecuencia": "cada mañana",
                **CONFIRMED,
            },
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
        "antecedentes": [{"texto": "Fibrilación auricular", "sistema": "snomed", "codigo": "49436004", **BY_DOCTOR}],
        "anticoagulado": True,
        "presion_habitual": "130/80",
        "cardiologo": "Dr. Iván Soto",
    },
    "alergiasm": {"ausencia": "ninguna_conocida"},
    "emergencia": {
        "contactos": [_contact("Carmen Molina", "hija", "4125555001", 1, puede_decidir=True)],
        "hospital_preferido": "Hospital Coromoto, Maracaibo",
    },
    "cuerpo": {"grupo_sanguineo": "A+", "usa_lentes": True, "usa_audifonos": True},
}

TRAVELLER: dict[str, Any] = {
    "personal": {
        "nombres": "Beatriz",
        "apellidos": "Silva",
        "fecha_nacimiento": "1993-08-19",
        "sexo": "femenino",
        "idiomas": ["pt", "en"],
        "nacionalidad": "BR",
    },
    "salud": {
        "condiciones": [
            {
                "condicion": {"texto": "Preeclampsia", "sistema": "snomed", "codigo": "398254007"},
                "estado": "activa",
                "desde": "2026-10",
                **BY_DOCTOR,
            }
        ],
        "embarazo": {"estado": "embarazada", "fecha_probable_parto": "2027-02-01"},
    },
    "alergiasa": {"ausencia": "ninguna_conocida"},
    "alergiasm": {"ausencia": "ninguna_conocida"},
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

CYCLIST: dict[str, Any] = {
    "personal": {
        "nombres": "Tomás",
        "apellidos": "Vera",
        "fecha_nacimiento": "1998-12-01",
        "sexo": "masculino",
        "idiomas": ["es"],
        "nacionalidad": "VE",
    },
    "salud": {
        "condiciones": [
            {
                "condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"},
                "estado": "controlada",
                "desde": "2010",
                "plan": "Si convulsiona más de 5 minutos: midazolam bucal 10 mg, en la bolsa del asiento.",
                "confirmado_en": "2025-08-01",
                "fuente": "titular",
            }
        ]
    },
    "medicacion": {
        "medicamentos": [
            {
                "medicamento": {"texto": "Levetiracetam", "sistema": "atc", "codigo": "N03AX14"},
                "dosis": "500 mg",
                "via": "oral",
                "frecuencia": "cada 12 horas",
                "critico": True,
                "confirmado_en": "2026-06-10",
                "fuente": "titular",
            }
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

CHILD: dict[str, Any] = {
    "personal": {
        "nombres": "Mateo",
        "apellidos": "Rojas",
        "fecha_nacimiento": "2019-04-22",
        "sexo": "masculino",
        "idiomas": ["es"],
        "nacionalidad": "VE",
    },
    "consideracion": {
        "consideraciones": [
            {
                "tipo": "no_verbal",
                "descripcion": "No habla. Le asustan las sirenas y que lo toquen sin avisar.",
                "como_ayudar": "Hablarle despacio, mostrarle lo que se va a hacer, dejarle sus auriculares.",
                "confirmado_en": "2026-10-20",
                "fuente": "representante",
            }
        ]
    },
    "salud": {
        "condiciones": [
            {
                "condicion": {"texto": "Autismo", "sistema": "snomed", "codigo": "408856003"},
                "estado": "activa",
                "confirmado_en": "2026-10-20",
                "fuente": "representante",
            }
        ]
    },
    "alergiasa": {
        "alergias": [
            {
                "agente": {"texto": "Proteína de la leche de vaca", "sistema": "snomed", "codigo": "264295007"},
                "categoria": "alimento",
                "criticidad": "alta",
                **BY_DOCTOR,
            }
        ]
    },
    "emergencia": {"contactos": [MOTHER], "instrucciones": "Llámenlo Teo y canten despacio: se calma."},
}

ALMOST_EMPTY: dict[str, Any] = {"personal": {"nombres": "Pedro", "apellidos": "Gil"}}
