"""The front page."""

from ficha.web.kit.language import Phrase, Phrases

PHRASES: Phrases = {
    "title": Phrase(
        "La ficha médica de emergencia detrás de un código QR",
        "The emergency medical record behind a QR code",
        "A ficha médica de emergência por trás de um código QR",
    ),
    "clave": Phrase("Olvidé mi clave", "I forgot my password", "Esqueci minha senha"),
    "clave_why": Phrase(
        "Le enviamos un enlace para elegir otra",
        "We send you a link to choose another",
        "Enviamos um link para escolher outra",
    ),
    "docs": Phrase("Para ingenieros", "For engineers", "Para engenheiros"),
    "docs_why": Phrase(
        "La API, con ejemplos que se pueden probar",
        "The API, with examples you can try",
        "A API, com exemplos que se podem testar",
    ),
    "health": Phrase("Estado del servicio", "Service status", "Estado do serviço"),
    "health_why": Phrase("Cada parte y si responde", "Each part and whether it answers", "Cada parte e se responde"),
    "dev": Phrase("Modo de desarrollo", "Development mode", "Modo de desenvolvimento"),
    "dev_why": Phrase(
        "Esto solo se ve en su equipo, nunca en producción.",
        "Only seen on your machine, never in production.",
        "Só se vê no seu computador, nunca em produção.",
    ),
    "sandbox": Phrase("Banco de pruebas", "Sandbox", "Banco de testes"),
    "sandbox_why": Phrase(
        "Lo que se envió a las personas: nada sale de aquí",
        "What was sent to people: nothing leaves this place",
        "O que se enviou às pessoas: nada sai daqui",
    ),
    "demo": Phrase(
        "Para entrar como alguien, escriba `ficha demo` en la terminal: dice qué correos y claves hay.",
        "To log in as somebody, type `ficha demo` in a terminal: it tells which accounts there are.",
        "Para entrar como alguém, digite `ficha demo` no terminal: ele diz quais contas existem.",
    ),
}
