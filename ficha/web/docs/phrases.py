"""The API reference: everything around the operations. What the operations say of themselves is in English."""

from ficha.web.kit.language import Phrase, Phrases

PHRASES: Phrases = {
    "title": Phrase("La API de Ficha", "The Ficha API", "A API do Ficha"),
    "lead": Phrase(
        "Todo lo que se puede pedir, con ejemplos. Se lee sin conexión y sin JavaScript.",
        "Everything you can ask for, with examples. It reads well offline and without JavaScript.",
        "Tudo o que se pode pedir, com exemplos. Lê-se sem conexão e sem JavaScript.",
    ),
    "version": Phrase("Versión", "Version", "Versão"),
    "document": Phrase("Documento OpenAPI", "OpenAPI document", "Documento OpenAPI"),
    "contents": Phrase("Contenido", "Contents", "Conteúdo"),
    "filter": Phrase("Buscar una operación", "Find an operation", "Buscar uma operação"),
    "filter_count": Phrase("Operaciones: {count}", "Operations: {count}", "Operações: {count}"),
    "start": Phrase("Empezar", "Start", "Começar"),
    "conventions": Phrase("Convenciones", "Conventions", "Convenções"),
    "errors": Phrase("Códigos de error", "Error codes", "Códigos de erro"),
    # Areas and doors, by the words of the document.
    "area_accounts": Phrase("Cuentas", "Accounts", "Contas"),
    "area_fmd": Phrase("Ficha médica", "Medical record", "Ficha médica"),
    "area_products": Phrase("Productos y códigos", "Products and codes", "Produtos e códigos"),
    "area_emergencies": Phrase("Emergencias", "Emergencies", "Emergências"),
    "area_messaging": Phrase("Mensajes", "Messaging", "Mensagens"),
    "area_conversations": Phrase("Conversaciones", "Conversations", "Conversas"),
    "area_administration": Phrase("Administración", "Administration", "Administração"),
    "area_utilities": Phrase("Utilidades", "Utilities", "Utilidades"),
    "door_public": Phrase("Cualquiera.", "Anybody.", "Qualquer um."),
    "door_bearer": Phrase(
        "Quien presenta su token en `Authorization: Bearer`, o la sesión de un sitio nuestro.",
        "Whoever presents a token in `Authorization: Bearer`, or the session of a front end of ours.",
        "Quem apresenta o token em `Authorization: Bearer`, ou a sessão de um site nosso.",
    ),
    "door_staff": Phrase(
        "Un token de alguien del equipo.", "A token of somebody on the staff.", "Um token de alguém da equipe."
    ),
    "door_admin": Phrase("Un token de administración.", "An administrator's token.", "Um token de administração."),
    "door_institution": Phrase(
        "Un token de una institución; ve solo a su gente.",
        "A token of an institution; it sees only its own people.",
        "Um token de uma instituição; vê só a sua gente.",
    ),
    "door_signed": Phrase(
        "La plataforma, con su firma HMAC sobre el cuerpo.",
        "The platform, with its HMAC over the body.",
        "A plataforma, com a sua assinatura HMAC sobre o corpo.",
    ),
    "door_platform": Phrase(
        "El token de la propia plataforma, que se le pasa tal cual.",
        "The outside platform's own token, passed through to it.",
        "O token da própria plataforma, repassado tal como chega.",
    ),
    "door_tag": Phrase("La etiqueta del QR.", "The tag in the QR.", "A etiqueta do QR."),
    "door_tag or bearer": Phrase(
        "La etiqueta del QR, o un token.", "The tag in the QR, or a token.", "A etiqueta do QR, ou um token."
    ),
    # Limits, by the name of their setting.
    "limit_login": Phrase(
        "Intentos de entrar, por dirección", "Login attempts, per address", "Tentativas de entrar, por endereço"
    ),
    "limit_login_account": Phrase(
        "Intentos de entrar, por correo", "Login attempts, per correo", "Tentativas de entrar, por correo"
    ),
    "limit_registration": Phrase("Registros, por dirección", "Registrations, per address", "Registros, por endereço"),
    "limit_code": Phrase(
        "Códigos enviados a un correo o teléfono",
        "Codes sent to one mailbox or phone",
        "Códigos enviados a um e-mail ou telefone",
    ),
    "limit_token": Phrase("Peticiones, por token", "Requests, per token", "Pedidos, por token"),
    "limit_typed": Phrase(
        "Códigos escritos y enlaces de respuesta abiertos, por dirección",
        "Typed codes and answer links opened, per address",
        "Códigos digitados e links de resposta abertos, por endereço",
    ),
    "limit_typed_all": Phrase(
        "Códigos escritos abiertos entre todos",
        "Typed codes opened by everybody together",
        "Códigos digitados abertos por todos juntos",
    ),
    "json_bytes": Phrase("Tamaño de un cuerpo JSON", "Size of a JSON body", "Tamanho de um corpo JSON"),
    # An operation.
    "status_Testing": Phrase("en pruebas", "testing", "em testes"),
    "status_Developing": Phrase("en desarrollo", "developing", "em desenvolvimento"),
    "seed": Phrase("Nombre original", "Original name", "Nome original"),
    "door": Phrase("Puerta", "Door", "Porta"),
    "parameters": Phrase("Parámetros", "Parameters", "Parâmetros"),
    "body": Phrase("Cuerpo", "Body", "Corpo"),
    "body_optional": Phrase("El cuerpo es opcional.", "The body is optional.", "O corpo é opcional."),
    "example": Phrase("Ejemplo", "Example", "Exemplo"),
    "required": Phrase("obligatorio", "required", "obrigatório"),
    "request": Phrase("Petición", "Request", "Pedido"),
    "answer": Phrase("Respuesta", "Answer", "Resposta"),
    "refusals": Phrase("Errores posibles", "Possible errors", "Erros possíveis"),
    # Trying.
    "try": Phrase("Probar", "Try it", "Testar"),
    "try_token": Phrase("Token", "Token", "Token"),
    "try_send": Phrase("Enviar", "Send", "Enviar"),
    "try_sending": Phrase("Enviando…", "Sending…", "Enviando…"),
    "try_failed": Phrase("El servidor no responde.", "The server does not answer.", "O servidor não responde."),
    # Error tables.
    "errors_lead": Phrase(
        "El `detail` llega en español, tal como está aquí. El `code` no cambia nunca: decida con él.",
        "The `detail` comes in Spanish, as it stands here. The `code` never changes: decide by it.",
        "O `detail` chega em espanhol, tal como está aqui. O `code` nunca muda: decida por ele.",
    ),
    "errors_fields": Phrase("Por campo, siempre 422", "Per field, always 422", "Por campo, sempre 422"),
    "sentence_own": Phrase(
        "El `detail` dice qué corregir.", "The `detail` says what to correct.", "O `detail` diz o que corrigir."
    ),
    "limit": Phrase("Límite", "Limit", "Limite"),
    "setting": Phrase("Ajuste", "Setting", "Ajuste"),
    "value": Phrase("Valor", "Value", "Valor"),
}
