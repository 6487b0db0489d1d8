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
    "hand_over_title": Translated(
        "Le entregan una ficha", "A record is handed over to you", "Entregam a você uma ficha"
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
    "hand_over_how": Translated(
        "Quien se la entrega verá su nombre y su correo, y lo confirmará. Desde entonces nadie más podrá abrirla: "
        "usted elige quién sigue.",
        "Whoever hands it over will see your name and e-mail address, and confirm it. From then on nobody else can "
        "open it: you choose who stays.",
        "Quem a entrega verá o seu nome e o seu e-mail, e confirmará. A partir daí ninguém mais poderá abri-la: você "
        "escolhe quem continua.",
    ),
    "number_why": Translated(
        "Antes de aceptar le enviamos un código por WhatsApp al número {address}.",
        "Before you accept, we send a code by WhatsApp to {address}.",
        "Antes de aceitar, enviamos um código por WhatsApp ao número {address}.",
    ),
    "send_code": Translated("Enviarme el código", "Send me the code", "Enviar o código"),
    "code_sent": Translated(
        "Enviamos un código por WhatsApp al número {address}. Sirve durante unos minutos.",
        "We sent a code by WhatsApp to {address}. It works for a few minutes.",
        "Enviamos um código por WhatsApp ao número {address}. Vale por alguns minutos.",
    ),
    "number_code": Translated("Código de seis cifras", "Six-digit code", "Código de seis dígitos"),
    "number_code_wrong": Translated(
        "El código no es correcto o ya venció. Revíselo, o pida uno nuevo",
        "The code is not right or is too old. Check it, or ask for a new one",
        "O código não está correto ou já venceu. Confira, ou peça um novo",
    ),
    "send_again": Translated("Enviar otro código", "Send another code", "Enviar outro código"),
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
    "no_account_number": Translated(
        "Si todavía no tiene una cuenta, regístrese y vuelva a abrir este enlace.",
        "If you have no account yet, register and open this link again.",
        "Se ainda não tem conta, registre-se e abra este link de novo.",
    ),
    "done_title": Translated("Ya tiene acceso", "You have access now", "Você já tem acesso"),
    "done_lead": Translated(
        "La ficha de {person} aparece ahora entre las suyas.",
        "The record of {person} is among yours now.",
        "A ficha de {person} agora está entre as suas.",
    ),
    "waiting_title": Translated("Falta que lo confirmen", "It waits for a confirmation", "Falta a confirmação"),
    "waiting_lead": Translated(
        "Aceptó recibir la ficha de {person}. Será suya cuando quien se la entrega confirme que es usted. Le "
        "escribiremos por correo.",
        "You accepted the record of {person}. It will be yours once whoever hands it over has confirmed that it is "
        "you. We will write to you by mail.",
        "Você aceitou receber a ficha de {person}. Ela será sua quando quem a entrega confirmar que é você. "
        "Escreveremos por e-mail.",
    ),
    "dead_title": Translated("Este enlace ya no sirve", "This link no longer works", "Este link não vale mais"),
    "dead_lead": Translated(
        "La invitación se usó, se retiró o venció. Pida otra a quien lo invitó.",
        "The invitation was used, withdrawn or is too old. Ask whoever invited you for another.",
        "O convite foi usado, retirado ou venceu. Peça outro a quem convidou você.",
    ),
}
