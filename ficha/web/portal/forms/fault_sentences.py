"""What is wrong with a fact, in the reader's language. The API says the same in Spanish (http/errors.py)."""

from collections.abc import Mapping
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.fmd.translations import Translated

OTHER = Translated("Revise este valor", "Check this value", "Confira este valor")
NEEDED = Translated("Falta este dato", "This is missing", "Falta este dado")
SHORT = Translated("Falta este dato", "This is missing", "Falta este dado")
NUMBER = Translated("Escriba un número", "Type a number", "Digite um número")
DATE = Translated(
    "Escriba la fecha como 2019, 2019-03 o 2019-03-31",
    "Type the date as 2019, 2019-03 or 2019-03-31",
    "Digite a data como 2019, 2019-03 ou 2019-03-31",
)
SENTENCES: Mapping[str, Translated] = {
    "missing": NEEDED,
    "string_too_short": SHORT,
    "string_too_long": Translated(
        "Son como máximo {max_length} letras", "At most {max_length} letters", "São no máximo {max_length} letras"
    ),
    "string_pattern_mismatch": Translated(
        "No tiene la forma esperada", "It does not have the expected form", "Não tem a forma esperada"
    ),
    "float_type": NUMBER,
    "int_type": NUMBER,
    "int_from_float": Translated("Escriba un número entero", "Type a whole number", "Digite um número inteiro"),
    "greater_than_equal": Translated("Debe ser {ge} o más", "It must be {ge} or more", "Deve ser {ge} ou mais"),
    "less_than_equal": Translated("Debe ser {le} o menos", "It must be {le} or less", "Deve ser {le} ou menos"),
    "too_long": Translated("Son como máximo {max_length}", "At most {max_length}", "São no máximo {max_length}"),
    "fecha_invalida": DATE,
    "fecha_fuera_de_rango": Translated(
        "Esa fecha no puede ser", "That date is not possible", "Essa data não é possível"
    ),
    "fechas_al_reves": Translated(
        "Esta fecha es anterior al comienzo", "This date is before the beginning", "Esta data é anterior ao início"
    ),
    "telefono_incompleto": Translated(
        "El prefijo y el teléfono van juntos", "Prefix and phone go together", "O prefixo e o telefone vão juntos"
    ),
    "telefono_invalido": Translated(
        "Ese número no existe en ese país. Revíselo",
        "That number does not exist in that country. Check it",
        "Esse número não existe nesse país. Confira-o",
    ),
    "correo_invalido": Translated(
        "Escriba un correo completo, como ana@ejemplo.com",
        "Type a whole e-mail address, like ana@example.com",
        "Digite um e-mail completo, como ana@exemplo.com",
    ),
    "ausencia_con_datos": Translated(
        "Solo puede decirse que no hay ninguna si la lista está vacía",
        "One can only say that there are none while the list is empty",
        "Só se pode dizer que não há nenhuma se a lista está vazia",
    ),
    "repetido": Translated("Está dos veces", "It is there twice", "Está duas vezes"),
}


def fault_sentence(fault: Mapping[str, Any], language: Idioma) -> str:
    known = SENTENCES.get(fault["type"], OTHER).in_language(language)
    return known.format(**fault.get("ctx") or {})
