"""The texts of the API reference, except the descriptions of operations, which are in `descriptions.json`."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "title": Translated("La API de Ficha", "The Ficha API", "A API do Ficha"),
    "lead": Translated(
        "Todo lo que se puede pedir, con ejemplos. Se lee sin conexión y sin JavaScript.",
        "Everything you can ask for, with examples. It reads well offline and without JavaScript.",
        "Tudo o que se pode pedir, com exemplos. Lê-se sem conexão e sem JavaScript.",
    ),
    "version": Translated("Versión", "Version", "Versão"),
    "document": Translated("Documento OpenAPI", "OpenAPI document", "Documento OpenAPI"),
    "contents": Translated("Contenido", "Contents", "Conteúdo"),
    "filter": Translated("Buscar una operación", "Find an operation", "Buscar uma operação"),
    "filter_count": Translated("Operaciones: {count}", "Operations: {count}", "Operações: {count}"),
    "start": Translated("Empezar", "Start", "Começar"),
    "conventions": Translated("Convenciones", "Conventions", "Convenções"),
    "errors": Translated("Códigos de error", "Error codes", "Códigos de erro"),
    # Areas and doors, by the words of the document.
    "area_accounts": Translated("Cuentas", "Accounts", "Contas"),
    "area_fmd": Translated("Ficha médica", "Medical record", "Ficha médica"),
    "area_products": Translated("Productos y códigos", "Products and codes", "Produtos e códigos"),
    "area_emergencies": Translated("Emergencias", "Emergencies", "Emergências"),
    "area_messaging": Translated("Mensajes", "Messaging", "Mensagens"),
    "area_conversations": Translated("Conversaciones", "Conversations", "Conversas"),
    "area_administration": Translated("Administración", "Administration", "Administração"),
    "area_utilities": Translated("Utilidades", "Utilities", "Utilidades"),
    "door_public": Translated("Cualquiera.", "Anybody.", "Qualquer um."),
    "door_bearer": Translated(
        "Quien presenta su token en `Authorization: Bearer`, o la sesión de un sitio nuestro.",
        "Whoever presents a token in `Authorization: Bearer`, or the session of a front end of ours.",
        "Quem apresenta o token em `Authorization: Bearer`, ou a sessão de um site nosso.",
    ),
    "door_staff": Translated(
        "Un token de alguien del equipo.", "A token of somebody on the staff.", "Um token de alguém da equipe."
    ),
    "door_admin": Translated("Un token de administración.", "An administrator's token.", "Um token de administração."),
    "door_institution": Translated(
        "Un token de una institución; ve solo a su gente.",
        "A token of an institution; it sees only its own people.",
        "Um token de uma instituição; vê só a sua gente.",
    ),
    "door_signed": Translated(
        "La plataforma, con su firma HMAC sobre el cuerpo.",
        "The platform, with its HMAC over the body.",
        "A plataforma, com a sua assinatura HMAC sobre o corpo.",
    ),
    "door_platform": Translated(
        "El token de la propia plataforma, que se le pasa tal cual.",
        "The outside platform's own token, passed through to it.",
        "O token da própria plataforma, repassado tal como chega.",
    ),
    "door_tag": Translated("La etiqueta del QR.", "The tag in the QR.", "A etiqueta do QR."),
    "door_tag or bearer": Translated(
        "La etiqueta del QR, o un token.", "The tag in the QR, or a token.", "A etiqueta do QR, ou um token."
    ),
    # Limits, by the name of their setting.
    "limit_login": Translated(
        "Intentos de entrar, por dirección", "Login attempts, per address", "Tentativas de entrar, por endereço"
    ),
    "limit_login_account": Translated(
        "Intentos de entrar, por correo y dirección o dispositivo",
        "Login attempts, per correo and address or device",
        "Tentativas de entrar, por correo e endereço ou dispositivo",
    ),
    "limit_login_unknown": Translated(
        "Intentos de entrar con un correo, entre todos los dispositivos desconocidos",
        "Login attempts per correo, of all unknown devices",
        "Tentativas de entrar com um correo, de todos os dispositivos desconhecidos",
    ),
    "limit_registration": Translated(
        "Registros, por dirección", "Registrations, per address", "Registros, por endereço"
    ),
    "limit_code": Translated(
        "Códigos enviados a un correo o teléfono",
        "Codes sent to one mailbox or phone",
        "Códigos enviados a um e-mail ou telefone",
    ),
    "limit_token": Translated("Peticiones, por token", "Requests, per token", "Pedidos, por token"),
    "limit_typed": Translated(
        "Códigos escritos abiertos, por dirección",
        "Typed codes opened, per address",
        "Códigos digitados abertos, por endereço",
    ),
    "limit_link": Translated(
        "Enlaces para responder a un aviso abiertos, por dirección",
        "Links to answer an alert opened, per address",
        "Links para responder a um aviso abertos, por endereço",
    ),
    "limit_platform": Translated(
        "Llamadas que se pasan a Chatwoot, por dirección",
        "Calls passed on to Chatwoot, per address",
        "Chamadas passadas ao Chatwoot, por endereço",
    ),
    "limit_typed_all": Translated(
        "Códigos escritos abiertos entre todos",
        "Typed codes opened by everybody together",
        "Códigos digitados abertos por todos juntos",
    ),
    "json_bytes": Translated("Tamaño de un cuerpo JSON", "Size of a JSON body", "Tamanho de um corpo JSON"),
    # An operation.
    "status_Testing": Translated("en pruebas", "testing", "em testes"),
    "status_Developing": Translated("en desarrollo", "developing", "em desenvolvimento"),
    "seed": Translated("Nombre original", "Original name", "Nome original"),
    "door": Translated("Puerta", "Door", "Porta"),
    "parameters": Translated("Parámetros", "Parameters", "Parâmetros"),
    "body": Translated("Cuerpo", "Body", "Corpo"),
    "body_optional": Translated("El cuerpo es opcional.", "The body is optional.", "O corpo é opcional."),
    "example": Translated("Ejemplo", "Example", "Exemplo"),
    "required": Translated("obligatorio", "required", "obrigatório"),
    "request": Translated("Petición", "Request", "Pedido"),
    "answer": Translated("Respuesta", "Answer", "Resposta"),
    "refusals": Translated("Errores posibles", "Possible errors", "Erros possíveis"),
    # Trying.
    "try": Translated("Probar", "Try it", "Testar"),
    "try_token": Translated("Token", "Token", "Token"),
    "try_send": Translated("Enviar", "Send", "Enviar"),
    "try_sending": Translated("Enviando…", "Sending…", "Enviando…"),
    "try_failed": Translated("El servidor no responde.", "The server does not answer.", "O servidor não responde."),
    # Error tables.
    "errors_lead": Translated(
        "El `detail` llega en español, tal como está aquí. El `code` no cambia nunca: decida con él.",
        "The `detail` comes in Spanish, as it stands here. The `code` never changes: decide by it.",
        "O `detail` chega em espanhol, tal como está aqui. O `code` nunca muda: decida por ele.",
    ),
    "errors_fields": Translated("Por campo, siempre 422", "Per field, always 422", "Por campo, sempre 422"),
    "sentence_own": Translated(
        "El `detail` dice qué corregir.", "The `detail` says what to correct.", "O `detail` diz o que corrigir."
    ),
    "limit": Translated("Límite", "Limit", "Limite"),
    "setting": Translated("Ajuste", "Setting", "Ajuste"),
    "value": Translated("Valor", "Value", "Valor"),
}
