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
        "Es la ficha de emergencia de {person}.",
        "It is the emergency record of {person}.",
        "É a ficha de emergência de {person}.",
    ),
    "accept_ends": Translated(
        "El acceso termina el {ends}.", "The access ends on {ends}.", "O acesso termina em {ends}."
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
    "hint_mail": Translated(
        "De la cuenta con el correo {address}", "Of the account with {address}", "Da conta com o e-mail {address}"
    ),
    "correo": Translated("Correo de su cuenta", "E-mail of your account", "E-mail da sua conta"),
    "hint_number": Translated(
        "De la cuenta que tiene el número {address}",
        "Of the account that has the number {address}",
        "Da conta que tem o número {address}",
    ),
    "other_number": Translated(
        "Esa cuenta no tiene el número al que llegó la invitación. Póngalo en su cuenta y vuelva a abrir este enlace",
        "That account does not have the number to which the invitation came. Put it into your account and open this "
        "link again",
        "Essa conta não tem o número ao qual o convite chegou. Ponha-o na sua conta e abra este link de novo",
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
        "Si todavía no tiene una cuenta, regístrese con {address} y vuelva a abrir este enlace.",
        "If you have no account yet, register with {address} and open this link again.",
        "Se ainda não tem conta, registre-se com {address} e abra este link de novo.",
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
