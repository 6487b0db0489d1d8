"""What the break-glass form says when something is missing."""

from ficha.web.kit.language import Phrase, Phrases

PHRASES: Phrases = {
    "who_missing": Phrase(
        "Escriba su nombre o su credencial.", "Write your name or badge.", "Escreva seu nome ou sua credencial."
    ),
    "reason_missing": Phrase(
        "Escriba por qué necesita ver más.", "Write why you need to see more.", "Escreva por que precisa ver mais."
    ),
}
