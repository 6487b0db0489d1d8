"""The texts of the page behind an invitation to see a record."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.joining import account_proof

PHRASES: Phrases = {
    **account_proof.PHRASES,
    "somebody": Translated("una persona", "somebody", "uma pessoa"),
    "accept_title": Translated(
        "Le ofrecen acceso a una ficha", "You are offered access to a record", "Oferecem a você acesso a uma ficha"
    ),
    "accept_lead": Translated(
        "Es la ficha de emergencia de {person}. El acceso termina el {ends}.",
        "It is the emergency record of {person}. The access ends on {ends}.",
        "É a ficha de emergência de {person}. O acesso termina em {ends}.",
    ),
    "may_delegate": Translated("Usted podrá verla.", "You will be able to see it.", "Você poderá vê-la."),
    "may_delegate_edits": Translated(
        "Usted podrá verla y cambiarla.", "You will be able to see and change it.", "Você poderá vê-la e mudá-la."
    ),
    "may_guardian": Translated(
        "Usted podrá hacer todo lo que puede la persona titular.",
        "You will be able to do all that its owner can do.",
        "Você poderá fazer tudo o que a pessoa titular pode fazer.",
    ),
    "may_owner": Translated("La ficha pasará a ser suya.", "The record will be yours.", "A ficha passará a ser sua."),
    "clave_hint": Translated(
        "De la cuenta con el correo {correo}", "Of the account with {correo}", "Da conta com o e-mail {correo}"
    ),
    "clave_wrong": Translated(
        "La clave no es correcta, o todavía no hay una cuenta con ese correo",
        "The password is not right, or there is no account with that address yet",
        "A senha não está correta, ou ainda não há conta com esse e-mail",
    ),
    "too_many_records": Translated(
        "Su cuenta llegó al máximo de fichas. Borre o entregue una antes de aceptar esta",
        "Your account has as many records as it may. Erase or hand over one before you accept this one",
        "A sua conta chegou ao máximo de fichas. Apague ou entregue uma antes de aceitar esta",
    ),
    "accept_button": Translated("Aceptar", "Accept", "Aceitar"),
    "no_account": Translated(
        "Si todavía no tiene una cuenta, regístrese con {correo} y vuelva a abrir este enlace.",
        "If you have no account yet, register with {correo} and open this link again.",
        "Se ainda não tem conta, registre-se com {correo} e abra este link de novo.",
    ),
    "done_title": Translated("Ya tiene acceso", "You have access now", "Você já tem acesso"),
    "done_lead": Translated(
        "La ficha de {person} aparece ahora entre las suyas.",
        "The record of {person} is among yours now.",
        "A ficha de {person} agora está entre as suas.",
    ),
    "dead_title": Translated("Este enlace ya no sirve", "This link no longer works", "Este link não vale mais"),
    "dead_lead": Translated(
        "La invitación se usó, se retiró o venció. Pida otra a quien lo invitó.",
        "The invitation was used, withdrawn or is too old. Ask whoever invited you for another.",
        "O convite foi usado, retirado ou venceu. Peça outro a quem convidou você.",
    ),
}
