"""The texts that all pages share, and those of the error page."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "skip": Translated("Ir al contenido", "Skip to content", "Ir para o conteúdo"),
    "language": Translated("Idioma", "Language", "Idioma"),
    "trouble": Translated("Hay un problema", "There is a problem", "Há um problema"),
    "back_home": Translated("Volver al inicio", "Back to the start", "Voltar ao início"),
    "request_id": Translated(
        "Si pide ayuda, dé este número", "If you ask for help, give this number", "Se pedir ajuda, informe este número"
    ),
}

# By status; 0 stands for every other.
ERRORS: dict[int, tuple[Translated, Translated]] = {
    404: (
        Translated("No encontramos esa página", "We cannot find that page", "Não encontramos essa página"),
        Translated(
            "Revise la dirección: puede faltarle una letra. Si siguió un enlace, puede que ya no sirva.",
            "Check the address: a letter may be missing. If you followed a link, it may no longer work.",
            "Confira o endereço: pode faltar uma letra. Se você seguiu um link, talvez ele já não funcione.",
        ),
    ),
    405: (
        Translated("Esta página no se usa así", "This page is not used that way", "Esta página não se usa assim"),
        Translated(
            "Vuelva al inicio y empiece de nuevo.",
            "Go back to the start and try again.",
            "Volte ao início e comece de novo.",
        ),
    ),
    413: (
        Translated("Es demasiado grande", "That is too large", "É grande demais"),
        Translated(
            "Lo que envió pasa del límite. Envíe algo más pequeño.",
            "What you sent is over the limit. Send something smaller.",
            "O que você enviou passa do limite. Envie algo menor.",
        ),
    ),
    403: (
        Translated("Su cuenta no puede abrir esto", "Your account cannot open this", "A sua conta não pode abrir isto"),
        Translated(
            "Entre con otra cuenta, o pida permiso a quien administra el servicio.",
            "Log in with another account, or ask whoever runs the service for permission.",
            "Entre com outra conta, ou peça permissão a quem administra o serviço.",
        ),
    ),
    419: (
        Translated("La página venció", "The page is too old", "A página venceu"),
        Translated(
            "No se cambió nada. Vuelva atrás, recárguela y envíela otra vez.",
            "Nothing was changed. Go back, reload it and send it again.",
            "Nada foi mudado. Volte, recarregue-a e envie outra vez.",
        ),
    ),
    429: (
        Translated("Demasiados intentos seguidos", "Too many attempts in a row", "Muitas tentativas seguidas"),
        Translated(
            "Espere unos minutos y vuelva a probar.",
            "Wait a few minutes and try again.",
            "Espere alguns minutos e tente de novo.",
        ),
    ),
    500: (
        Translated("Algo falló de nuestro lado", "Something failed on our side", "Algo falhou do nosso lado"),
        Translated(
            "Quedó registrado. Vuelva a probar en un momento.",
            "We have a note of it. Try again in a moment.",
            "Ficou registrado. Tente de novo em um momento.",
        ),
    ),
    503: (
        Translated("Volvemos en un momento", "Back in a moment", "Voltamos em um momento"),
        Translated(
            "El servicio se está preparando. Vuelva a probar en unos segundos.",
            "The service is getting ready. Try again in a few seconds.",
            "O serviço está se preparando. Tente de novo em alguns segundos.",
        ),
    ),
    0: (
        Translated("No pudimos hacerlo", "We could not do that", "Não conseguimos fazer isso"),
        Translated(
            "La petición no se entendió o no está permitida. Vuelva al inicio y pruebe otra vez.",
            "The request was not understood or is not allowed. Go back to the start and try again.",
            "O pedido não foi entendido ou não é permitido. Volte ao início e tente outra vez.",
        ),
    ),
}
