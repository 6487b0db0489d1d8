"""The texts of the pages about projects and subscriptions."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PROJECTS: Phrases = {
    "lead": Translated(
        "Adónde llevan los enlaces firmados que damos a otros.",
        "Where the signed links lead that we give to others.",
        "Aonde levam os links assinados que damos a outros.",
    ),
    "none": Translated("Todavía no hay proyectos.", "There are no projects yet.", "Ainda não há projetos."),
    "search_name": Translated("Nombre", "Name", "Nome"),
    "new": Translated("Nuevo proyecto", "New project", "Novo projeto"),
    "change": Translated("Cambiar el proyecto", "Change the project", "Alterar o projeto"),
    "number": Translated("Número", "Number", "Número"),
    "field_slug": Translated("Nombre para direcciones", "Name for addresses", "Nome para endereços"),
    "hint_slug": Translated(
        "Letras minúsculas, cifras y guiones: campana-2026.",
        "Small letters, digits and hyphens: campana-2026.",
        "Letras minúsculas, números e hifens: campana-2026.",
    ),
    "field_name": Translated("Nombre", "Name", "Nome"),
    "field_description": Translated("Descripción", "Description", "Descrição"),
    "field_url": Translated("Adónde llevan sus enlaces", "Where its links lead", "Aonde levam seus links"),
    "hint_url": Translated(
        "Una dirección completa: https://ejemplo.com/campana.",
        "A whole address: https://ejemplo.com/campana.",
        "Um endereço completo: https://ejemplo.com/campana.",
    ),
    "field_is_active": Translated("Sus enlaces sirven", "Its links work", "Seus links funcionam"),
    "get_link": Translated("Enlace firmado", "Signed link", "Link assinado"),
    "link_to": Translated("Enlace firmado a {name}", "Signed link to {name}", "Link assinado para {name}"),
    "link_how": Translated(
        "Cópielo y entréguelo: sirve hasta {until}, a cualquiera que lo tenga.",
        "Copy it and hand it over: it works until {until}, for anybody who has it.",
        "Copie e entregue: serve até {until}, para quem o tiver.",
    ),
}

SUBSCRIPTIONS: Phrases = {
    "lead": Translated(
        "Quién está suscrito, con qué plan y en qué estado.",
        "Who is subscribed, with which plan and in which state.",
        "Quem está inscrito, com qual plano e em que estado.",
    ),
    "none": Translated("Nadie está suscrito.", "Nobody is subscribed.", "Ninguém está inscrito."),
    "account": Translated("Cuenta", "Account", "Conta"),
    "name": Translated("Nombre", "Name", "Nome"),
    "plan": Translated("Plan", "Plan", "Plano"),
    "state": Translated("Estado", "State", "Estado"),
    "started": Translated("Desde", "Since", "Desde"),
    "changed": Translated("Cambió", "Changed", "Mudou"),
    "ends": Translated("Fin de la prueba", "End of the trial", "Fim do teste"),
    "state_trial": Translated("prueba", "trial", "teste"),
    "state_active": Translated("activa", "active", "ativa"),
    "state_past_due": Translated("pago pendiente", "past due", "pagamento pendente"),
    "state_canceled": Translated("cancelada", "canceled", "cancelada"),
    "state_expired": Translated("vencida", "expired", "vencida"),
    "change": Translated("Suscripción de {name}", "Subscription of {name}", "Assinatura de {name}"),
    "end_ask": Translated(
        "¿Terminar la suscripción de {name}?", "End the subscription of {name}?", "Encerrar a assinatura de {name}?"
    ),
    "end": Translated("Terminarla", "End it", "Encerrar"),
    "field_state": Translated("Estado", "State", "Estado"),
    "field_plan": Translated("Plan", "Plan", "Plano"),
    "hint_state": Translated(
        "Cancelada o vencida no se puede deshacer: la persona se suscribe de nuevo.",
        "Canceled or expired cannot be undone: the person subscribes anew.",
        "Cancelada ou vencida não se desfaz: a pessoa se inscreve de novo.",
    ),
}
