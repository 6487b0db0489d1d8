"""What the break-glass form says when something is missing."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "who_missing": Translated(
        "Escriba su nombre o su credencial.", "Write your name or badge.", "Escreva seu nome ou sua credencial."
    ),
    "too_many": Translated(
        "Ya se pidió ver más demasiadas veces. Espere unos minutos; lo de esta página y el aviso siguen funcionando.",
        "More was asked for too many times. Wait some minutes; this page and the alert go on working.",
        "Já se pediu para ver mais vezes demais. Espere alguns minutos; esta página e o aviso continuam funcionando.",
    ),
    "reason_missing": Translated(
        "Escriba por qué necesita ver más.", "Write why you need to see more.", "Escreva por que precisa ver mais."
    ),
}
