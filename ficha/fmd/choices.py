"""Choices that more than one model offers."""

from ficha.fmd.translations import Choice


class Criticidad(Choice):
    ALTA = "alta", "Alta: puede ser mortal", "High: may be fatal", "Alta: pode ser mortal"
    BAJA = "baja", "Baja", "Low", "Baixa"
    DESCONOCIDA = "desconocida", "No se sabe", "Not known", "Não se sabe"


class Canal(Choice):
    WHATSAPP = "whatsapp", "WhatsApp", "WhatsApp", "WhatsApp"
    CORREO = "correo", "Correo", "E-mail", "E-mail"
    PUSH = "push", "Notificación", "Notification", "Notificação"
