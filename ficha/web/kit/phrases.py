"""What every page says: its frame, and what it says when something went wrong."""

from ficha.web.kit.language import Phrase, Phrases

PHRASES: Phrases = {
    "skip": Phrase("Ir al contenido", "Skip to content", "Ir para o conteúdo"),
    "language": Phrase("Idioma", "Language", "Idioma"),
    "trouble": Phrase("Hay un problema", "There is a problem", "Há um problema"),
    "back_home": Phrase("Volver al inicio", "Back to the start", "Voltar ao início"),
    "request_id": Phrase(
        "Si pide ayuda, dé este número", "If you ask for help, give this number", "Se pedir ajuda, informe este número"
    ),
}

# By status; 0 stands for every other.
ERRORS: dict[int, tuple[Phrase, Phrase]] = {
    404: (
        Phrase("No encontramos esa página", "We cannot find that page", "Não encontramos essa página"),
        Phrase(
            "Revise la dirección: puede faltarle una letra. Si siguió un enlace, puede que ya no sirva.",
            "Check the address: a letter may be missing. If you followed a link, it may no longer work.",
            "Confira o endereço: pode faltar uma letra. Se você seguiu um link, talvez ele já não funcione.",
        ),
    ),
    405: (
        Phrase("Esta página no se usa así", "This page is not used that way", "Esta página não se usa assim"),
        Phrase(
            "Vuelva al inicio y empiece de nuevo.",
            "Go back to the start and try again.",
            "Volte ao início e comece de novo.",
        ),
    ),
    413: (
        Phrase("Es demasiado grande", "That is too large", "É grande demais"),
        Phrase(
            "Lo que envió pasa del límite. Envíe algo más pequeño.",
            "What you sent is over the limit. Send something smaller.",
            "O que você enviou passa do limite. Envie algo menor.",
        ),
    ),
    429: (
        Phrase("Demasiados intentos seguidos", "Too many attempts in a row", "Muitas tentativas seguidas"),
        Phrase(
            "Espere unos minutos y vuelva a probar.",
            "Wait a few minutes and try again.",
            "Espere alguns minutos e tente de novo.",
        ),
    ),
    500: (
        Phrase("Algo falló de nuestro lado", "Something failed on our side", "Algo falhou do nosso lado"),
        Phrase(
            "Quedó registrado. Vuelva a probar en un momento.",
            "We have a note of it. Try again in a moment.",
            "Ficou registrado. Tente de novo em um momento.",
        ),
    ),
    503: (
        Phrase("Volvemos en un momento", "Back in a moment", "Voltamos em um momento"),
        Phrase(
            "El servicio se está preparando. Vuelva a probar en unos segundos.",
            "The service is getting ready. Try again in a few seconds.",
            "O serviço está se preparando. Tente de novo em alguns segundos.",
        ),
    ),
    0: (
        Phrase("No pudimos hacerlo", "We could not do that", "Não conseguimos fazer isso"),
        Phrase(
            "La petición no se entendió o no está permitida. Vuelva al inicio y pruebe otra vez.",
            "The request was not understood or is not allowed. Go back to the start and try again.",
            "O pedido não foi entendido ou não é permitido. Volte ao início e tente outra vez.",
        ),
    ),
}
