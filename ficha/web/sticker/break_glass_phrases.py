"""What the break-glass form says when something is missing."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "who_missing": Translated(
        "Escriba su nombre o su credencial.", "Write your name or badge.", "Escreva seu nome ou sua credencial."
    ),
    "reason_missing": Translated(
        "Escriba por qué necesita ver más.", "Write why you need to see more.", "Escreva por que precisa ver mais."
    ),
}
