"""What Schemathesis thinks of for an operation, sent to a server, and what its checks say of the answers."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import Flaky
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import AcceptedNegativeData, FailureGroup
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.openapi.checks import IgnoredAuth, RejectedPositiveData, UnsupportedMethodResponse
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ensure_resource_availability,
    ignored_auth,
    missing_required_header,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
    use_after_free,
)
from schemathesis.transport.requests import ManagedCookiesSession

# Thought of by chance, beside the edges of each value.
EXAMPLES = 50 if os.environ.get("FICHA_STORM") else 4
SECONDS = 60
STORIES = 200 if os.environ.get("FICHA_STORM") else 10
# A stream has no end; a picture takes two seconds.
NOT_IN_STORIES = ("/v2/events", "/api/remove-background")
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    missing_required_header,
    unsupported_method,
    ignored_auth,
    use_after_free,
    ensure_resource_availability,
]

# What the checks find and is right. Requests that the schema allows and the service refuses, by the code of the
# refusal: each is a rule that a schema does not say.
REFUSALS = {
    "cursor_invalido": "A cursor is what an earlier page gave.",
    "enlace_vencido": "A token is what a link held that was sent.",
    "codigo_incorrecto": "A code is what was sent to a phone or mailbox.",
    "clave_incorrecta": "The clave is the caller's.",
    "if_match_invalido": "An ETag is what an earlier answer gave.",
    "correo_en_uso": "A correo has one account.",
    "imagen_no_admitida": "Bytes by chance are no picture.",
    "imagen_danada": "The same.",
    "claves_push_invalidas": "Nor a point of a curve.",
    "llave_no_aceptada": "Nor a signature.",
    "plataforma_no_acepta": "The platform has rules of its own.",
    "servicio_desconocido": "A number names a service that exists.",
    "external_id_distinto": "What the body names is what the path names.",
    "id_distinto": "The same, for an item of the record.",
    "id_desconocido": "An item is changed by the id that it has.",
    "lote_demasiado_grande": "How large a batch may be is a setting.",
    "demasiadas_etiquetas": "The same, of a sheet.",
    "telefono_invalido": "Which numbers a country has, no pattern says.",
    "telefono_incompleto": "A number and its prefix go together.",
    "telefono_no_marcable": "The same as telefono_invalido, of a record's contact.",
    "caracteres_invalidos": "Control characters, which JSON can hold.",
    "falta_clave": "Needed only beside another field.",
    "falta_codigo": "The same.",
    "falta_prefijo": "The same.",
    "falta_codigo_del_numero": "The same.",
    "persona_sin_nombre": "One of two fields.",
    "falta_nombre": "A name is needed to make one, not to change one.",
    "falta": "The same, in a model of the record.",
    "correo_o_telefono": "One of two fields, and not both.",
    "formato_pequeno": "How large a sticker must be depends on what it holds.",
    "carnet_pequeno": "The same, of a carnet.",
    "tag_incorrecto": "A tag is what a QR held.",
    "servicio_push_desconocido": "Push goes to services that browsers have.",
    "sin_cambios": "A patch must say something.",
    "phone_number_has_already_been_taken": "The help desk's own: a number has one contact.",
    "valor_invalido": "A rule between fields, or of a format that generators do not know (a template, an address).",
    "valor_desconocido": "The words of a field of the record, which depend on its model.",
    "modelo_invalido": "The same, of a whole model.",
    "tipo_invalido": "The same, of the type of a field.",
    "fuera_de_rango": "A date or number of the record that cannot be.",
    "fecha_fuera_de_rango": "The same.",
    "fin_de_enlace_fuera_de_rango": "The same.",
    "fecha_invalida": "A day that no calendar has, where the schema allows text.",
    "zona_desconocida": "Which time zones there are, no pattern says.",
    "fechas_al_reves": "An end before its beginning.",
    "ausencia_con_datos": "None, said beside some.",
    "codigo_incompleto": "A code and its system go together.",
    "codigo_mal_formado": "Which codes a system has, no pattern says.",
    "id_repetido": "Two items of one list with the same id.",
    "repetido": "The same, of another value.",
    "ruta_invalida": "A path of a site, normalised.",
    "nombre_invalido": "A short name that would hide another address.",
    "correo_invalido": "Which mail addresses there can be, no pattern says.",
    "tipo_de_evento_no_permitido": "Which kinds may be told to whom is a rule of webhooks.",
    "direccion_no_permitida": "Of the internet, and not of a private network.",
    "enlace_invalido": "A link, with a scheme that may be shown.",
    "rol_no_asignable": "Which roles may be given to whom is a rule of accounts.",
    "ya_existe": "Whether it is there already, no schema knows.",
    "version_distinta": "The version that is there, no schema knows.",
    "campo_desconocido": "The fields of one model, sent to another: the path says which it is.",
    "plan_desconocido": "A plan is one of the list of plans.",
    "formato_invalido": "What a template takes at each of its places, the platform decides.",
    "una_linea": "The same.",
    "documento_no_reconocido": "What a document of health is, its readers know.",
    "documento_vacio": "The same.",
    "varias_personas": "The same.",
    "tarjeta_ilegible": "The same, of a Health Card.",
    "enlace_ilegible": "The same, of a Health Link.",
    "enlace_de_otra_version": "The same.",
    "directo_sin_clave": "The same: a rule between two of its fields.",
    "enlace_de_salud_vencido": "When it ends, it says itself.",
    "direccion_de_enlace_no_admitida": "Of the internet, and not of a private network.",
    "imagen_sin_tarjeta": "The same.",
    "pdf_no_admitido": "A PDF is called by its name: no schema knows one by its first bytes.",
    "propuesta_desconocida": "How many an import has, no schema knows.",
}
# Parameters that take more than their schema says.
TOLERATED = {
    "date-time": "A moment in a query may also be seconds since 1970.",
}

# Pictures are bytes: whatever else is inside, the service says what is wrong with them.
for kind in ("image/jpeg", "image/png", "image/webp", "image/heic"):
    schemathesis.serializer.alias(kind, "application/octet-stream")


def is_listed(fault: Exception, case: Any, response: Any) -> bool:
    """Whether this is in the tables above."""
    if isinstance(fault, RejectedPositiveData):
        told = response.json().get("errors", [])
        return bool(told) and all(each.get("code") in REFUSALS or _is_blank(each, case.body) for each in told)
    if isinstance(fault, AcceptedNegativeData):
        if response.status_code == 412:  # Refused all the same: a change is judged against the version it is for.
            return True
        is_optional = not case.operation.definition.raw.get("requestBody", {"required": True}).get("required")
        if is_optional and response.request.body in (None, b"", b"null"):  # As good as none.
            return True
        named = re.search(r"parameter `(\w+)` in query - \w+: Incorrect type", str(fault))
        schemas = {one["name"]: str(one["schema"]) for one in case.operation.definition.raw.get("parameters", [])}
        return named is not None and any(kind in schemas.get(named.group(1), "") for kind in TOLERATED)
    if isinstance(fault, IgnoredAuth):  # A token that a renewal ended may ask for its answer again: its key is first.
        return "Idempotency-Key" in (case.headers or {}) and "409" in str(fault)
    if isinstance(fault, UnsupportedMethodResponse):  # `/fmd/{code}/{model}` takes PUT of `/fmd/{code}/history`, too.
        return _takes(case.operation.schema.raw_schema["paths"], case.operation.path, response.request.method)
    return False


def _is_blank(error: dict[str, Any], body: Any) -> bool:
    """Whether a text was too short because blanks around it are taken off, and it has nothing else."""
    if error.get("code") != "muy_corto":
        return False
    value = body
    for step in error["source"]["pointer"].split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return isinstance(value, str) and value != "" and not value.strip()


def _takes(paths: dict[str, Any], path: str, method: str) -> bool:
    """Whether an address with more parameters takes this method of the same paths."""
    wider = [
        re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(other)) for other, told in paths.items() if method.lower() in told
    ]
    return any(re.fullmatch(pattern, path) for pattern in wider)


class Sender(Protocol):
    """Where the cases go."""

    @property
    def url(self) -> str: ...

    def begin(self) -> None:
        """Before the first request to an operation: what is sent to it does not depend on those before it."""

    def prepare(self, case: Any) -> None:
        """Puts what is alive on this server into a case that would name what is not."""

    def headers(self) -> dict[str, str]: ...

    def renew_key(self, headers: Any) -> None: ...

    def note(self, method: str, status: int) -> None: ...


class AnyInput:
    def __init__(self, document: dict[str, Any], sender: Sender) -> None:
        self._schema = schemathesis.openapi.from_dict(document)
        self._sender = sender
        # One connection for all requests, each without the cookies of another, and with the headers of its case alone.
        self._session = ManagedCookiesSession()
        self._session.headers.clear()
        self._session.trust_env = False  # Nor does it look for a proxy and a password on this machine.

    def send_to(self, method: str, path: str, *, has_edges: bool) -> None:
        """What is sent is thought of now, and not while the tests are collected."""
        self._sender.begin()
        modes = [mode for mode in HypothesisTestMode if has_edges or mode is not HypothesisTestMode.COVERAGE]
        config = HypothesisTestConfig(project=self._schema.config, modes=modes)
        create_test(operation=self._schema[path][method], test_func=send, config=config)(send_case=self._send)

    def _send(self, case: Any) -> None:
        sender = self._sender
        sender.prepare(case)
        is_public = not case.operation.definition.raw.get("security")
        headers = {} if is_public else sender.headers()
        # Nothing here is late: on a busy machine a picture takes as long as it takes.
        response = case.call(base_url=sender.url, session=self._session, headers=headers, timeout=SECONDS)
        self._check(case, response)

    def tell_stories(self) -> None:
        """Requests one after the other, each with what an earlier answer held: made, read, changed and ended."""
        sender, session, check = self._sender, self._session, self._check
        faults: list[FailureGroup] = []
        machine: Any = self._schema.exclude(path=list(NOT_IN_STORIES)).as_state_machine()

        class Stories(machine):  # type: ignore[misc]
            def get_call_kwargs(self, case: Any) -> dict[str, Any]:
                is_public = not case.operation.definition.raw.get("security")
                headers = {} if is_public else sender.headers()
                return {"base_url": sender.url, "session": session, "headers": headers, "timeout": SECONDS}

            def before_call(self, case: Any) -> None:
                sender.renew_key(case.headers)

            def validate_response(self, response: Any, case: Any, **_kwargs: Any) -> None:
                try:
                    check(case, response)
                except FailureGroup as fault:
                    faults.append(fault)
                    raise

        lots = max(STORIES // 10, 1)
        how = settings(
            max_examples=STORIES // lots,
            stateful_step_count=8,
            suppress_health_check=list(HealthCheck),
            derandomize=lots == 1,
            phases=[Phase.generate],
        )
        for _ in range(lots):
            # A story that begins like an earlier one may go on differently: the server remembers the earlier one.
            with suppress(Flaky):
                Stories.run(settings=how)
            if faults:
                raise faults[0]

    def _check(self, case: Any, response: Any) -> None:
        self._sender.note(case.method, response.status_code)
        # What the platform refuses is a documented 502, and no fault of ours.
        refused = response.status_code == 502 and "502" in case.operation.definition.raw["responses"]
        try:
            case.validate_response(response, checks=CHECKS[1:] if refused else CHECKS)
        except FailureGroup as found:
            new = [fault for fault in found.exceptions if not is_listed(fault, case, response)]
            if new:
                told = FailureGroup(new)
                codes = sorted({*re.findall(r'"code":"(\w+)"', response.text)} - set(REFUSALS))
                what = f"{case.method} {case.formatted_path}: {response.status_code} {codes}"
                told.add_note(f"{what} {response.text[:600]}")
                raise told from None


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), derandomize=True)
def send(case: Any, send_case: Callable[[Any], None]) -> None:
    send_case(case)
