"""The texts of the page of an alerted contact."""

from ficha.web.kit.language import Phrase, Phrases, texts_by_language

PHRASES: Phrases = {
    "language": Phrase("Idioma", "Language", "Idioma"),
    "title": Phrase("{name} puede necesitar ayuda", "{name} may need help", "{name} pode precisar de ajuda"),
    "title_nameless": Phrase(
        "Alguien de su familia puede necesitar ayuda",
        "Somebody in your family may need help",
        "Alguém da sua família pode precisar de ajuda",
    ),
    "drill": Phrase("Simulacro: es una prueba.", "Drill: this is a test.", "Simulação: é um teste."),
    "since": Phrase("Desde", "Since", "Desde"),
    "where": Phrase("Dónde", "Where", "Onde"),
    "where_unknown": Phrase(
        "Quien escaneó no envió la ubicación.",
        "Whoever scanned did not send the position.",
        "Quem escaneou não enviou a localização.",
    ),
    "map": Phrase("Abrir el mapa", "Open the map", "Abrir o mapa"),
    "with_whom": Phrase("Con quién está", "Who is with the person", "Quem está com a pessoa"),
    "with_somebody": Phrase(
        "Con alguien que escaneó su etiqueta.",
        "With somebody who scanned the tag.",
        "Com alguém que escaneou a etiqueta.",
    ),
    "question": Phrase("¿Puede ir?", "Can you go?", "Você pode ir?"),
    "coming": Phrase("Voy en camino", "I am on my way", "Estou a caminho"),
    "cannot": Phrase("No puedo", "I cannot", "Não posso"),
    "said_coming": Phrase("Dijo que va en camino", "You said you are on your way", "Você disse que está a caminho"),
    "said_coming_why": Phrase(
        "Quien está con la persona ya lo ve. Si algo cambia, puede decirlo aquí.",
        "Whoever is with the person can see it. If something changes, say so here.",
        "Quem está com a pessoa já vê isso. Se algo mudar, diga aqui.",
    ),
    "said_cannot": Phrase("Dijo que no puede", "You said you cannot", "Você disse que não pode"),
    "said_cannot_why": Phrase(
        "Estamos avisando a otra persona. Si puede ir después de todo, dígalo aquí.",
        "We are alerting somebody else. If you can go after all, say so here.",
        "Estamos avisando outra pessoa. Se puder ir, afinal, diga aqui.",
    ),
    "closed": Phrase("Este aviso terminó", "This alert is over", "Este aviso terminou"),
    "closed_why": Phrase(
        "La emergencia se cerró. No hace falta que haga nada más.",
        "The emergency was closed. There is nothing more you need to do.",
        "A emergência foi encerrada. Não é preciso fazer mais nada.",
    ),
    "expired": Phrase("Este enlace ya no sirve", "This link no longer works", "Este link já não funciona"),
    "expired_why": Phrase(
        "Venció o se usó con otra emergencia. Si recibió un aviso nuevo, abra ese enlace.",
        "It expired or belonged to another emergency. If you got a newer alert, open that link.",
        "Venceu ou era de outra emergência. Se recebeu um aviso mais novo, abra esse link.",
    ),
    "news": Phrase("Lo último", "Latest", "Últimas notícias"),
    "call": Phrase("Llamar", "Call", "Ligar"),
    "call_emergency": Phrase("Llamar a emergencias", "Call emergency services", "Ligar para a emergência"),
    "call_responder": Phrase("Llamar a quien está allí", "Call whoever is there", "Ligar para quem está lá"),
}

TEXTS = texts_by_language(PHRASES)
