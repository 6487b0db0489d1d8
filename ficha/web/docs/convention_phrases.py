"""The conventions of the API: what holds for every operation."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "start_lead": Translated(
        "Entre con un correo y una clave; la respuesta trae un token. Envíelo en cada petición.",
        "Log in with a correo and a clave; the answer brings a token. Send it with every request.",
        "Entre com um correo e uma clave; a resposta traz um token. Envie-o em cada pedido.",
    ),
    "start_minutes": Translated(
        "Un token vive {minutes} minutos. `POST {v2}/auth/tokens` da uno nuevo y revoca el anterior.",
        "A token lives {minutes} minutes. `POST {v2}/auth/tokens` gives a new one and revokes the old.",
        "Um token vive {minutes} minutos. `POST {v2}/auth/tokens` dá um novo e revoga o anterior.",
    ),
    "doors": Translated("Puertas: quién puede llamar", "Doors: who may call", "Portas: quem pode chamar"),
    "envelope": Translated("El sobre", "The envelope", "O envelope"),
    "envelope_text": Translated(
        "Toda respuesta lleva `meta` junto a `data`. `data` es un recurso `{type, id, attributes}`, una lista de ellos "
        "o un objeto pequeño. Las horas son ISO 8601 con desfase.",
        "Every answer carries `meta` beside `data`. `data` is a resource `{type, id, attributes}`, a list of them, "
        "or a small object. Times are ISO 8601 with an offset.",
        "Toda resposta leva `meta` junto a `data`. `data` é um recurso `{type, id, attributes}`, uma lista deles "
        "ou um objeto pequeno. As horas são ISO 8601 com deslocamento.",
    ),
    "envelope_pages": Translated(
        "Las listas traen `meta.page`: pase `next` como `cursor` para seguir; en la última página es `null`.",
        "Lists bring `meta.page`: pass `next` as `cursor` to go on; on the last page it is `null`.",
        "As listas trazem `meta.page`: passe `next` como `cursor` para seguir; na última página é `null`.",
    ),
    "failures": Translated("Errores", "Errors", "Erros"),
    "failures_text": Translated(
        "Un error lleva `errors` en lugar de `data`, una entrada por cada campo malo. `source` dice dónde: "
        "`pointer`, `parameter` o `header`. Un campo desconocido es un 422, para que una errata no pierda datos.",
        "An error carries `errors` instead of `data`, one entry for each bad field. `source` says where: "
        "`pointer`, `parameter` or `header`. An unknown field is a 422, so that a typing error loses no data.",
        "Um erro leva `errors` no lugar de `data`, uma entrada para cada campo ruim. `source` diz onde: "
        "`pointer`, `parameter` ou `header`. Um campo desconhecido é um 422, para que um erro não perca dados.",
    ),
    "failures_404": Translated(
        "Lo que no existe y lo que usted no puede ver son el mismo 404.",
        "What does not exist and what you may not see are the same 404.",
        "O que não existe e o que você não pode ver são o mesmo 404.",
    ),
    "failures_id": Translated(
        "Cada respuesta lleva `X-Request-Id`: délo si pide ayuda.",
        "Every answer carries `X-Request-Id`: give it when you ask for help.",
        "Toda resposta leva `X-Request-Id`: informe-o se pedir ajuda.",
    ),
    "again": Translated("Repetir sin miedo", "Repeat without fear", "Repetir sem medo"),
    "again_text": Translated(
        "Todo POST acepta `Idempotency-Key`, de 1 a 255 caracteres. La primera respuesta se guarda 24 horas y se "
        "repite, errores incluidos; la misma llave con otro cuerpo es un 409.",
        "Every POST takes an `Idempotency-Key` of 1 to 255 characters. The first answer is kept for 24 hours and "
        "replayed, errors included; the same key with another body is a 409.",
        "Todo POST aceita `Idempotency-Key`, de 1 a 255 caracteres. A primeira resposta fica guardada 24 horas e se "
        "repete, erros incluídos; a mesma chave com outro corpo é um 409.",
    ),
    "limits": Translated("Límites", "Limits", "Limites"),
    "limits_text": Translated(
        "Las cabeceras `RateLimit` y `RateLimit-Policy` dicen cuánto queda. Quien se pasa recibe un 429 con "
        "`Retry-After` en segundos.",
        "The headers `RateLimit` and `RateLimit-Policy` say how much is left. Whoever goes over gets a 429 with "
        "`Retry-After` in seconds.",
        "Os cabeçalhos `RateLimit` e `RateLimit-Policy` dizem quanto resta. Quem passa recebe um 429 com "
        "`Retry-After` em segundos.",
    ),
    "limits_off": Translated(
        "En este servidor los límites por tiempo están apagados.",
        "On this server the rate limits are switched off.",
        "Neste servidor os limites por tempo estão desligados.",
    ),
    "versions": Translated("Versiones", "Versions", "Versões"),
    "versions_text": Translated(
        "Un prefijo (`{v1}`, `{v2}`) nunca rompe a quien lo usa: solo se añade. Lo que se retira se anuncia al menos "
        "180 días antes con las cabeceras `Deprecation` y `Sunset`.",
        "A prefix (`{v1}`, `{v2}`) never breaks its callers: things are only added. What goes is announced at least "
        "180 days before by the headers `Deprecation` and `Sunset`.",
        "Um prefixo (`{v1}`, `{v2}`) nunca quebra quem o usa: só se acrescenta. O que sai é anunciado pelo menos "
        "180 dias antes com os cabeçalhos `Deprecation` e `Sunset`.",
    ),
    "versions_status": Translated(
        "Cada operación dice cómo de terminada está: en desarrollo o en pruebas.",
        "Each operation says how finished it is: developing or testing.",
        "Cada operação diz quão pronta está: em desenvolvimento ou em testes.",
    ),
}
