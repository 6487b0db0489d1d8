"""What the doors of the responder's pages say when something is missing."""

from ficha.web.language import Phrases, Said

PHRASES: Phrases = {
    "who_missing": Said(
        "Escriba su nombre o su credencial.", "Write your name or badge.", "Escreva seu nome ou sua credencial."
    ),
    "reason_missing": Said(
        "Escriba por qué necesita ver más.", "Write why you need to see more.", "Escreva por que precisa ver mais."
    ),
}
