"""The texts of seeing a record as others see it."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "see_title": Translated("Ver como la ven otros", "See as others see", "Ver como os outros veem"),
    "see_lead": Translated(
        "Es la página de verdad, como está ahora. Aquí sus botones no hacen nada y nadie recibe avisos.",
        "This is the real page, as it is now. Here its buttons do nothing and nobody is told.",
        "É a página de verdade, como está agora. Aqui os botões não fazem nada e ninguém é avisado.",
    ),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "who": Translated("Quién la ve", "Who sees it", "Quem vê"),
    "in_which": Translated("En qué idioma", "In which language", "Em que idioma"),
    "view_responder": Translated("Quien escanea", "Whoever scans", "Quem escaneia"),
    "view_identificado": Translated(
        "Quien escanea y se identifica", "Whoever scans and gives a name", "Quem escaneia e se identifica"
    ),
    "view_codigo": Translated("Quien escribe el código", "Whoever types the code", "Quem digita o código"),
    "view_delegado": Translated("Quien tiene acceso", "Who was given access", "Quem tem acesso"),
    "view_institucion": Translated("La institución", "The institution", "A instituição"),
    "view_contacto": Translated("Un contacto avisado", "A contact who is alerted", "Um contato avisado"),
    "whole_page": Translated("Abrirla sola", "Open it alone", "Abrir sozinha"),
    "change_who": Translated("Cambiar quién ve qué", "Change who sees what", "Mudar quem vê o quê"),
    "let_in_delegate": Translated(
        "Lo que ve quien tiene acceso", "What somebody with access sees", "O que vê quem tem acesso"
    ),
    "let_in_institution": Translated(
        "Lo que ve la institución, si usted lo acepta",
        "What the institution sees, if you agree to it",
        "O que a instituição vê, se você aceitar",
    ),
    "nothing_seen": Translated("No ve nada.", "Nothing is seen.", "Não vê nada."),
}
