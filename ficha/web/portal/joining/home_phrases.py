"""The texts of the front page."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "title": Translated(
        "La ficha médica de emergencia detrás de un código QR",
        "The emergency medical record behind a QR code",
        "A ficha médica de emergência por trás de um código QR",
    ),
    "code": Translated("Código de la etiqueta", "Code of the sticker", "Código da etiqueta"),
    "code_hint": Translated(
        "Seis letras y números, junto al QR",
        "Six letters and digits, beside the QR",
        "Seis letras e números, ao lado do QR",
    ),
    "code_missing": Translated(
        "Escriba el código de la etiqueta", "Type the code of the sticker", "Digite o código da etiqueta"
    ),
    "code_wrong": Translated(
        "El código tiene seis letras y números, como K7M2QX",
        "The code has six letters and digits, like K7M2QX",
        "O código tem seis letras e números, como K7M2QX",
    ),
    "mine": Translated("Es mía: empezar", "It is mine: begin", "É minha: começar"),
    "found": Translated("Encontré a alguien", "I found somebody", "Encontrei alguém"),
    "register": Translated("No tengo etiqueta", "I have no sticker", "Não tenho etiqueta"),
    "register_why": Translated(
        "Cree una ficha ahora; la etiqueta puede venir después",
        "Create a record now; the sticker can come later",
        "Crie uma ficha agora; a etiqueta pode vir depois",
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
