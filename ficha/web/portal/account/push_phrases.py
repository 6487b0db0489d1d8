"""The texts of the page of notifications."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "push_title": Translated("Notificaciones", "Notifications", "Notificações"),
    "back_account": Translated("Volver a mi cuenta", "Back to my account", "Voltar à minha conta"),
    "push_lead": Translated(
        "Un aviso en la pantalla cuando alguien que lo eligió como contacto puede necesitar ayuda.",
        "A notice on the screen when somebody who chose you as a contact may need help.",
        "Um aviso na tela quando alguém que escolheu você como contato pode precisar de ajuda.",
    ),
    "push_proven": Translated(
        "Llegan si su correo o su teléfono está verificado y es el que esa persona anotó.",
        "They arrive if your e-mail or phone is verified and is the one that person wrote down.",
        "Chegam se o seu e-mail ou telefone está verificado e é o que essa pessoa anotou.",
    ),
    "done_activado": Translated("Activadas", "Turned on", "Ativadas"),
    "done_quitado": Translated("Desactivadas", "Turned off", "Desativadas"),
    "done_no": Translated(
        "No se pudo activar en este navegador. Pruebe otra vez.",
        "They could not be turned on in this browser. Try again.",
        "Não foi possível ativar neste navegador. Tente de novo.",
    ),
    "turn_on": Translated("Activar en este dispositivo", "Turn on on this device", "Ativar neste dispositivo"),
    "turn_off": Translated("Desactivar en este dispositivo", "Turn off on this device", "Desativar neste dispositivo"),
    "denied": Translated(
        "El navegador no lo permite. Cámbielo en sus ajustes, en los permisos de esta página.",
        "The browser does not allow it. Change that in its settings, among this page's permissions.",
        "O navegador não permite. Mude nas configurações, nas permissões desta página.",
    ),
    "not_here": Translated(
        "Este navegador no puede mostrar notificaciones, o tiene los scripts apagados.",
        "This browser cannot show notifications, or has scripts turned off.",
        "Este navegador não pode mostrar notificações, ou está com os scripts desligados.",
    ),
    "devices": Translated("Sus dispositivos", "Your devices", "Os seus dispositivos"),
    "no_devices": Translated("Ninguno todavía.", "None yet.", "Nenhum ainda."),
    "device_since": Translated("Activado {day}", "Turned on {day}", "Ativado {day}"),
    "remove": Translated("Quitar el activado {day}", "Remove the one turned on {day}", "Remover o ativado {day}"),
}
