"""The API reference: everything around the operations. What the operations say of themselves is in English."""

from ficha.web.language import Phrases, Said

PHRASES: Phrases = {
    "title": Said("La API de Ficha", "The Ficha API", "A API do Ficha"),
    "lead": Said(
        "Todo lo que se puede pedir, con ejemplos. Se lee sin conexión y sin JavaScript.",
        "Everything you can ask for, with examples. It reads well offline and without JavaScript.",
        "Tudo o que se pode pedir, com exemplos. Lê-se sem conexão e sem JavaScript.",
    ),
    "version": Said("Versión", "Version", "Versão"),
    "document": Said("Documento OpenAPI", "OpenAPI document", "Documento OpenAPI"),
    "contents": Said("Contenido", "Contents", "Conteúdo"),
    "filter": Said("Buscar una operación", "Find an operation", "Buscar uma operação"),
    "filter_count": Said("Operaciones: {count}", "Operations: {count}", "Operações: {count}"),
    "start": Said("Empezar", "Start", "Começar"),
    "conventions": Said("Convenciones", "Conventions", "Convenções"),
    "errors": Said("Códigos de error", "Error codes", "Códigos de erro"),
    # Areas and doors, by the words of the document.
    "area_accounts": Said("Cuentas", "Accounts", "Contas"),
    "area_fmd": Said("Ficha médica", "Medical record", "Ficha médica"),
    "area_products": Said("Productos y códigos", "Products and codes", "Produtos e códigos"),
    "area_emergencies": Said("Emergencias", "Emergencies", "Emergências"),
    "area_messaging": Said("Mensajes", "Messaging", "Mensagens"),
    "area_conversations": Said("Conversaciones", "Conversations", "Conversas"),
    "area_administration": Said("Administración", "Administration", "Administração"),
    "area_utilities": Said("Utilidades", "Utilities", "Utilidades"),
    "door_public": Said("Cualquiera.", "Anybody.", "Qualquer um."),
    "door_bearer": Said(
        "Quien presenta su token en `Authorization: Bearer`, o la sesión de un sitio nuestro.",
        "Whoever presents a token in `Authorization: Bearer`, or the session of a front end of ours.",
        "Quem apresenta o token em `Authorization: Bearer`, ou a sessão de um site nosso.",
    ),
    "door_staff": Said(
        "Un token de alguien del equipo.", "A token of somebody on the staff.", "Um token de alguém da equipe."
    ),
    "door_admin": Said("Un token de administración.", "An administrator's token.", "Um token de administração."),
    "door_institution": Said(
        "Un token de una institución; ve solo a su gente.",
        "A token of an institution; it sees only its own people.",
        "Um token de uma instituição; vê só a sua gente.",
    ),
    "door_signed": Said(
        "La plataforma, con su firma HMAC sobre el cuerpo.",
        "The platform, with its HMAC over the body.",
        "A plataforma, com a sua assinatura HMAC sobre o corpo.",
    ),
    "door_platform": Said(
        "El token de la propia plataforma, que se le pasa tal cual.",
        "The outside platform's own token, passed through to it.",
        "O token da própria plataforma, repassado tal como chega.",
    ),
    "door_tag": Said("La etiqueta del QR.", "The tag in the QR.", "A etiqueta do QR."),
    "door_tag or bearer": Said(
        "La etiqueta del QR, o un token.", "The tag in the QR, or a token.", "A etiqueta do QR, ou um token."
    ),
    # Limits, by the name of their setting.
    "limit_login": Said(
        "Intentos de entrar, por dirección", "Login attempts, per address", "Tentativas de entrar, por endereço"
    ),
    "limit_login_account": Said(
        "Intentos de entrar, por correo", "Login attempts, per correo", "Tentativas de entrar, por correo"
    ),
    "limit_registration": Said("Registros, por dirección", "Registrations, per address", "Registros, por endereço"),
    "limit_code": Said(
        "Códigos enviados a un correo o teléfono",
        "Codes sent to one mailbox or phone",
        "Códigos enviados a um e-mail ou telefone",
    ),
    "limit_token": Said("Peticiones, por token", "Requests, per token", "Pedidos, por token"),
    "limit_typed": Said(
        "Códigos escritos y enlaces de respuesta abiertos, por dirección",
        "Typed codes and answer links opened, per address",
        "Códigos digitados e links de resposta abertos, por endereço",
    ),
    "limit_typed_all": Said(
        "Códigos escritos abiertos entre todos",
        "Typed codes opened by everybody together",
        "Códigos digitados abertos por todos juntos",
    ),
    "json_bytes": Said("Tamaño de un cuerpo JSON", "Size of a JSON body", "Tamanho de um corpo JSON"),
    # An operation.
    "status_Testing": Said("en pruebas", "testing", "em testes"),
    "status_Developing": Said("en desarrollo", "developing", "em desenvolvimento"),
    "seed": Said("Nombre original", "Original name", "Nome original"),
    "door": Said("Puerta", "Door", "Porta"),
    "parameters": Said("Parámetros", "Parameters", "Parâmetros"),
    "body": Said("Cuerpo", "Body", "Corpo"),
    "body_optional": Said("El cuerpo es opcional.", "The body is optional.", "O corpo é opcional."),
    "example": Said("Ejemplo", "Example", "Exemplo"),
    "required": Said("obligatorio", "required", "obrigatório"),
    "request": Said("Petición", "Request", "Pedido"),
    "answer": Said("Respuesta", "Answer", "Resposta"),
    "refusals": Said("Errores posibles", "Possible errors", "Erros possíveis"),
    # Trying.
    "try": Said("Probar", "Try it", "Testar"),
    "try_token": Said("Token", "Token", "Token"),
    "try_send": Said("Enviar", "Send", "Enviar"),
    "try_sending": Said("Enviando…", "Sending…", "Enviando…"),
    "try_failed": Said("El servidor no responde.", "The server does not answer.", "O servidor não responde."),
    # Error tables.
    "errors_lead": Said(
        "El `detail` llega en español, tal como está aquí. El `code` no cambia nunca: decida con él.",
        "The `detail` comes in Spanish, as it stands here. The `code` never changes: decide by it.",
        "O `detail` chega em espanhol, tal como está aqui. O `code` nunca muda: decida por ele.",
    ),
    "errors_fields": Said("Por campo, siempre 422", "Per field, always 422", "Por campo, sempre 422"),
    "sentence_own": Said(
        "El `detail` dice qué corregir.", "The `detail` says what to correct.", "O `detail` diz o que corrigir."
    ),
    "limit": Said("Límite", "Limit", "Limite"),
    "setting": Said("Ajuste", "Setting", "Ajuste"),
    "value": Said("Valor", "Value", "Valor"),
}
