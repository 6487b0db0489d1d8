"""The texts of the page behind an institution's invitation: version 2026-11 of what a person agrees to.

New sentences about what is seen are a new version: `ficha/institutions/consents.py`.
"""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.joining import account_proof

PHRASES: Phrases = {
    **account_proof.PHRASES,
    "somebody": Translated("una persona", "somebody", "uma pessoa"),
    "accept_title": Translated(
        "Una ficha que preparó {institution}",
        "A record that {institution} has prepared",
        "Uma ficha que {institution} preparou",
    ),
    "accept_lead": Translated(
        "Es la ficha de emergencia de {person}. Si la acepta, será suya: usted la completa, la cambia y la borra.",
        "It is the emergency record of {person}. If you accept it, it is yours to fill in, change and erase.",
        "É a ficha de emergência de {person}. Se aceitar, será sua: você a completa, muda e apaga.",
    ),
    "sees_nothing": Translated(
        "{institution} no ve nada de la ficha si usted no lo permite. Puede cambiar de opinión cuando quiera.",
        "{institution} sees nothing of the record unless you allow it. You can change your mind at any time.",
        "{institution} não vê nada da ficha se você não permitir. Você pode mudar de ideia quando quiser.",
    ),
    "sees": Translated(
        "Permito que {institution} vea lo que la ficha muestra en una emergencia",
        "I allow {institution} to see what the record shows in an emergency",
        "Permito que {institution} veja o que a ficha mostra em uma emergência",
    ),
    "edits": Translated(
        "Permito además que cambie lo que ve",
        "I also allow it to change what it sees",
        "Permito também que mude o que vê",
    ),
    "correo": Translated("Correo de su cuenta", "E-mail of your account", "E-mail da sua conta"),
    "clave_wrong": Translated(
        "El correo o la clave no son correctos",
        "The e-mail or the password is not right",
        "O e-mail ou a senha não estão corretos",
    ),
    "too_many_records": Translated(
        "Su cuenta llegó al máximo de fichas. Borre o entregue una antes de aceptar esta",
        "Your account has as many records as it may. Erase or hand over one before you accept this one",
        "A sua conta chegou ao máximo de fichas. Apague ou entregue uma antes de aceitar esta",
    ),
    "accept_button": Translated("Aceptar la ficha", "Accept the record", "Aceitar a ficha"),
    "no_account": Translated(
        "Si todavía no tiene una cuenta, regístrese y vuelva a abrir este enlace.",
        "If you have no account yet, register and open this link again.",
        "Se ainda não tem conta, registre-se e abra este link de novo.",
    ),
    "done_title": Translated("La ficha es suya", "The record is yours", "A ficha é sua"),
    "done_sees": Translated(
        "{institution} puede ver lo que usted permitió.",
        "{institution} can see what you allowed.",
        "{institution} pode ver o que você permitiu.",
    ),
    "done_sees_nothing": Translated(
        "{institution} no ve nada de ella.", "{institution} sees nothing of it.", "{institution} não vê nada dela."
    ),
    "dead_title": Translated("Este enlace ya no sirve", "This link no longer works", "Este link não vale mais"),
    "dead_lead": Translated(
        "Se usó o venció. Pida otro a la institución.",
        "It was used or is too old. Ask the institution for another.",
        "Foi usado ou venceu. Peça outro à instituição.",
    ),
}
