"""The texts of reminders: how often, and the page behind their link."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "reminders_title": Translated("Mantenerla al día", "Keep it true", "Mantê-la em dia"),
    "reminders_lead": Translated(
        "Le preguntamos si lo más antiguo sigue igual. El mensaje no dice nada de su salud; responde con un toque.",
        "We ask whether what is oldest is still right. The message says nothing about health; one tap answers it.",
        "Perguntamos se o mais antigo continua certo. A mensagem não diz nada de saúde; responde-se com um toque.",
    ),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "saved": Translated("Guardado", "Saved", "Salvo"),
    "save": Translated("Guardar", "Save", "Salvar"),
    "every": Translated("¿Cada cuánto preguntamos?", "How often shall we ask?", "Com que frequência perguntamos?"),
    "every_": Translated("Nunca", "Never", "Nunca"),
    "every_mensual": Translated("Cada mes", "Every month", "Todo mês"),
    "every_trimestral": Translated("Cada tres meses", "Every three months", "A cada três meses"),
    "channel": Translated("¿Por dónde?", "By which way?", "Por onde?"),
    "channel_correo": Translated("Correo", "E-mail", "E-mail"),
    "channel_whatsapp": Translated(
        "WhatsApp (si su número está verificado; si no, correo)",
        "WhatsApp (if your number is verified; else e-mail)",
        "WhatsApp (se o seu número está verificado; senão, e-mail)",
    ),
    "next": Translated("La próxima vez: {day}", "Next time: {day}", "Próxima vez: {day}"),
    "oldest": Translated(
        "Lo más antiguo ahora: {section}, {age}.",
        "Oldest now: {section}, {age}.",
        "O mais antigo agora: {section}, {age}.",
    ),
    "no_date": Translated("sin fecha", "without a date", "sem data"),
    "rule": Translated(
        "Un dato es reciente mientras no pase el plazo de su sección; hasta el doble se ve en ámbar, después en rojo.",
        "A fact is fresh within the time of its section; up to twice that it shows amber, then red.",
        "Um dado é recente dentro do prazo da sua seção; até o dobro aparece em âmbar, depois em vermelho.",
    ),
    "ask_title": Translated(
        "¿Sigue igual «{section}» de {name}?",
        "Is “{section}” of {name} still right?",
        "“{section}” de {name} continua certo?",
    ),
    "ask_lead": Translated(
        "Si todo sigue igual, la sección queda confirmada hoy. Si algo cambió, la abrimos para corregirla.",
        "If all is still right, the section is confirmed today. If something changed, we open it to correct it.",
        "Se tudo continua certo, a seção fica confirmada hoje. Se algo mudou, abrimos para corrigir.",
    ),
    "yes": Translated("Sí, sigue igual", "Yes, still right", "Sim, continua certo"),
    "no": Translated("No, algo cambió", "No, something changed", "Não, algo mudou"),
    "stop": Translated("No me pregunten más", "Do not ask me again", "Não me perguntem mais"),
    "person": Translated("la ficha", "the record", "a ficha"),
    "done_si": Translated("Gracias: confirmado hoy", "Thank you: confirmed today", "Obrigado: confirmado hoje"),
    "done_basta": Translated("No preguntaremos más", "We will not ask again", "Não perguntaremos mais"),
    "done_lead": Translated(
        "Puede cambiarlo cuando quiera en su cuenta.",
        "You can change it in your account at any time.",
        "Pode mudar quando quiser na sua conta.",
    ),
    "dead_title": Translated("Ese enlace ya no sirve", "That link no longer works", "Esse link já não vale"),
    "dead_lead": Translated(
        "Venció o se usó. Puede confirmar los datos dentro de su cuenta.",
        "It is too old or was used. You can confirm the facts in your account.",
        "Venceu ou foi usado. Pode confirmar os dados na sua conta.",
    ),
    "to_account": Translated("Ir a mi cuenta", "Go to my account", "Ir à minha conta"),
}
