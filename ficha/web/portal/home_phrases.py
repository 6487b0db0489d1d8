"""The texts of the front page."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "title": Translated(
        "La ficha médica de emergencia detrás de un código QR",
        "The emergency medical record behind a QR code",
        "A ficha médica de emergência por trás de um código QR",
    ),
    "login": Translated("Entrar", "Log in", "Entrar"),
    "login_why": Translated(
        "A su ficha y las de su familia", "To your record and your family's", "Na sua ficha e nas da sua família"
    ),
    "clave": Translated("Olvidé mi clave", "I forgot my password", "Esqueci minha senha"),
    "clave_why": Translated(
        "Le enviamos un enlace para elegir otra",
        "We send you a link to choose another",
        "Enviamos um link para escolher outra",
    ),
    "docs": Translated("Para ingenieros", "For engineers", "Para engenheiros"),
    "docs_why": Translated(
        "La API, con ejemplos que se pueden probar",
        "The API, with examples you can try",
        "A API, com exemplos que se podem testar",
    ),
    "health": Translated("Estado del servicio", "Service status", "Estado do serviço"),
    "health_why": Translated(
        "Cada parte y si responde", "Each part and whether it answers", "Cada parte e se responde"
    ),
    "dev": Translated("Modo de desarrollo", "Development mode", "Modo de desenvolvimento"),
    "dev_why": Translated(
        "Esto solo se ve en su equipo, nunca en producción.",
        "Only seen on your machine, never in production.",
        "Só se vê no seu computador, nunca em produção.",
    ),
    "sandbox": Translated("Banco de pruebas", "Sandbox", "Banco de testes"),
    "sandbox_why": Translated(
        "Lo que se envió a las personas: nada sale de aquí",
        "What was sent to people: nothing leaves this place",
        "O que se enviou às pessoas: nada sai daqui",
    ),
    "demo": Translated(
        "Para entrar como alguien, escriba `ficha demo` en la terminal: dice qué correos y claves hay.",
        "To log in as somebody, type `ficha demo` in a terminal: it tells which accounts there are.",
        "Para entrar como alguém, digite `ficha demo` no terminal: ele diz quais contas existem.",
    ),
}
