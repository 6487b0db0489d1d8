"""The texts of the page about what the administration changed."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "changes_lead": Translated(
        "Todo lo que cambió la administración, por la consola, la API o la terminal.",
        "All that the administration changed, by the console, the API or the terminal.",
        "Tudo o que a administração mudou, pela console, pela API ou pelo terminal.",
    ),
    "changes_none": Translated("Nadie ha cambiado nada.", "Nobody has changed anything.", "Ninguém mudou nada."),
    "changes_search": Translated("Número o nombre", "Number or name", "Número ou nome"),
    "when": Translated("Cuándo", "When", "Quando"),
    "who": Translated("Quién", "Who", "Quem"),
    "kind": Translated("Qué", "What", "O quê"),
    "target": Translated("Cuál", "Which", "Qual"),
    "action": Translated("Acción", "Action", "Ação"),
    "difference": Translated("Antes → después", "Before → after", "Antes → depois"),
    "kind_service": Translated("servicio", "service", "serviço"),
    "kind_navigation_button": Translated("botón", "button", "botão"),
    "kind_project": Translated("proyecto", "project", "projeto"),
    "kind_subscription": Translated("suscripción", "subscription", "assinatura"),
    "kind_institution": Translated("institución", "institution", "instituição"),
    "kind_institution_token": Translated("token de institución", "institution's token", "token de instituição"),
    "kind_institution_role": Translated("rol en una institución", "role in an institution", "papel em uma instituição"),
    "kind_role": Translated("rol", "role", "papel"),
    "kind_job": Translated("trabajo", "job", "tarefa"),
    "kind_sign": Translated("señal de alto", "stop sign", "sinal de alerta"),
    "kind_advice": Translated("consejo", "advice", "conselho"),
    "action_created": Translated("creado", "created", "criado"),
    "action_changed": Translated("cambiado", "changed", "mudado"),
    "action_granted": Translated("dado", "granted", "dado"),
    "action_withdrawn": Translated("retirado", "withdrawn", "retirado"),
    "action_restored": Translated("mostrado otra vez", "shown again", "mostrado de novo"),
    "action_revoked": Translated("revocado", "revoked", "revogado"),
    "action_retried": Translated("reintentado", "tried again", "tentado de novo"),
    "action_discarded": Translated("descartado", "discarded", "descartado"),
}
