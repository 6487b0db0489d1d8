"""The texts of the page of an alerted contact."""

from ficha.fmd.responder.phrases import NUMBER_UNKNOWN
from ficha.fmd.translations import Translated
from ficha.web.kit.alert_headlines import ENDED
from ficha.web.kit.language import Phrases, texts_by_language

PHRASES: Phrases = {
    "language": Translated("Idioma", "Language", "Idioma"),
    "title": Translated("{name} puede necesitar ayuda", "{name} may need help", "{name} pode precisar de ajuda"),
    "title_nameless": Translated(
        "Alguien de su familia puede necesitar ayuda",
        "Somebody in your family may need help",
        "Alguém da sua família pode precisar de ajuda",
    ),
    "drill": Translated("Simulacro: es una prueba.", "Drill: this is a test.", "Simulação: é um teste."),
    "title_drill": Translated("Una prueba: {name} está bien", "A test: {name} is fine", "Um teste: {name} está bem"),
    "title_drill_nameless": Translated(
        "Una prueba: no pasa nada", "A test: nothing has happened", "Um teste: não aconteceu nada"
    ),
    "question_drill": Translated(
        "Quiere saber si este mensaje le llega. ¿Le llegó?",
        "They want to know whether this message reaches you. Did it?",
        "Querem saber se esta mensagem chega até você. Chegou?",
    ),
    "reached": Translated("Sí, me llegó", "Yes, it reached me", "Sim, chegou"),
    "declines_drill": Translated(
        "No quiero recibir avisos de esta persona",
        "I want no alerts about this person",
        "Não quero receber avisos desta pessoa",
    ),
    "drill_coming": Translated(
        "Gracias: en una emergencia le avisaremos así.",
        "Thank you: in an emergency we will alert you like this.",
        "Obrigado: em uma emergência avisaremos assim.",
    ),
    "drill_cannot": Translated(
        "Entendido: no le enviaremos avisos de esta persona por aquí.",
        "Understood: we will send you no alerts about this person here.",
        "Entendido: não enviaremos avisos desta pessoa por aqui.",
    ),
    "since": Translated("Desde", "Since", "Desde"),
    "where": Translated("Dónde", "Where", "Onde"),
    "where_unknown": Translated(
        "Quien avisó no envió la ubicación.",
        "Whoever raised the alert sent no position.",
        "Quem avisou não enviou a localização.",
    ),
    "map": Translated("Abrir el mapa", "Open the map", "Abrir o mapa"),
    "with_whom": Translated("Con quién está", "Who is with the person", "Quem está com a pessoa"),
    "with_somebody": Translated(
        "Con alguien que escaneó la etiqueta de {name}.",
        "With somebody who scanned the tag of {name}.",
        "Com alguém que escaneou a etiqueta de {name}.",
    ),
    "with_somebody_nameless": Translated(
        "Con alguien que escaneó su etiqueta.",
        "With somebody who scanned the tag.",
        "Com alguém que escaneou a etiqueta.",
    ),
    "who_alerted": Translated("Quién avisó", "Who raised the alert", "Quem avisou"),
    "alerted_typed": Translated(
        "Alguien que escribió el código de la etiqueta.",
        "Somebody who typed the code of the tag.",
        "Alguém que digitou o código da etiqueta.",
    ),
    "alerted_bearer": Translated(
        "Alguien que puede abrir su ficha, con una cuenta de Ficha.",
        "Somebody who may open the record, with an account of Ficha.",
        "Alguém que pode abrir a ficha, com uma conta da Ficha.",
    ),
    "question": Translated("¿Puede ir?", "Can you go?", "Você pode ir?"),
    "coming": Translated("Voy en camino", "I am on my way", "Estou a caminho"),
    "cannot": Translated("No puedo", "I cannot", "Não posso"),
    "declines": Translated(
        "No puedo, y no quiero más avisos de esta persona",
        "I cannot, and want no more alerts about this person",
        "Não posso, e não quero mais avisos desta pessoa",
    ),
    "said_coming": Translated("Usted avisó que va", "You said that you are going", "Você avisou que vai"),
    "said_coming_tag": Translated(
        "Quien está con la persona lo ve en su página. Si algo cambia, puede decirlo aquí.",
        "Whoever is with the person sees it on their page. If something changes, say so here.",
        "Quem está com a pessoa vê isso na sua página. Se algo mudar, diga aqui.",
    ),
    # Whoever typed a code or has an account reads no page of the sticker.
    "said_coming_why": Translated(
        "Ya no avisamos a nadie más. Si algo cambia, puede decirlo aquí.",
        "We are alerting nobody else. If something changes, say so here.",
        "Já não avisamos mais ninguém. Se algo mudar, diga aqui.",
    ),
    "said_cannot": Translated("Usted avisó que no puede", "You said that you cannot", "Você avisou que não pode"),
    "said_declined": Translated(
        "Usted no quiere más avisos de esta persona",
        "You want no more alerts about this person",
        "Você não quer mais avisos desta pessoa",
    ),
    "said_declined_how": Translated(
        "No le enviaremos más avisos de esta persona {how}.",
        "We will send you no more alerts about this person {how}.",
        "Não enviaremos mais avisos desta pessoa {how}.",
    ),
    "go_after_all": Translated(
        "Si puede ir después de todo, dígalo aquí.",
        "If you can go after all, say so here.",
        "Se puder ir, afinal, diga aqui.",
    ),
    "closed": ENDED,
    "closed_why": Translated(
        "La emergencia se cerró. No hace falta que haga nada más.",
        "The emergency was closed. There is nothing more you need to do.",
        "A emergência foi encerrada. Não é preciso fazer mais nada.",
    ),
    "expired": Translated("Este enlace ya no sirve", "This link no longer works", "Este link já não funciona"),
    "expired_why": Translated(
        "Venció o se usó con otra emergencia. Si recibió un aviso nuevo, abra ese enlace.",
        "It expired or belonged to another emergency. If you got a newer alert, open that link.",
        "Venceu ou era de outra emergência. Se recebeu um aviso mais novo, abra esse link.",
    ),
    "relay": Translated("Hablar con quien está allí", "Talk to whoever is there", "Falar com quem está lá"),
    "relay_why": Translated(
        "Lo leerá quien está con la persona. No ve su número, ni usted el suyo, salvo que lo deje.",
        "Whoever is with the person will read it. Neither sees the other's number, unless they leave theirs.",
        "Quem está com a pessoa vai ler. Não vê o seu número, nem você o dela, a menos que o deixe.",
    ),
    "relay_words": Translated("Su mensaje", "Your message", "Sua mensagem"),
    "relay_send": Translated("Enviar", "Send", "Enviar"),
    "relay_again": Translated("Ver si hay mensajes nuevos", "See new messages", "Ver se há mensagens novas"),
    "relay_full": Translated(
        "Ya no caben más mensajes. Llame por teléfono.",
        "There is no room for more messages. Please call.",
        "Não cabem mais mensagens. Ligue por telefone.",
    ),
    "news": Translated("Lo último", "Latest", "Últimas notícias"),
    "call": Translated("Llamar", "Call", "Ligar"),
    "call_emergency": Translated("Llamar a emergencias", "Call emergency services", "Ligar para a emergência"),
    "number_unknown": NUMBER_UNKNOWN,
    "call_responder": Translated("Llamar a quien está allí", "Call whoever is there", "Ligar para quem está lá"),
}

TEXTS = texts_by_language(PHRASES)
