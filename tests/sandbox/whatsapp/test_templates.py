"""Templates: those the service needs, how they are filled in, and how they are managed."""

import json
from typing import Any

import pytest

from tests.sandbox.whatsapp.conftest import ANA, Business, body_text, template
from tests.sandbox.whatsapp.test_sending import error_of

LANGUAGES = ("es", "en", "pt_BR")


def button(index: int | str, sub_type: str, **parameter: str) -> dict[str, Any]:
    kind = "payload" if "payload" in parameter else "text"
    return {"type": "button", "sub_type": sub_type, "index": index, "parameters": [{"type": kind, **parameter}]}


def alert(language: str = "es", *values: str) -> dict[str, Any]:
    return template(
        "alerta_emergencia",
        body_text(*(values or ("Ana Pérez", "14:05", "Plaza Bolívar"))),
        button("0", "quick_reply", payload="voy:17"),
        button(2, "URL", text="x7Kd2"),
        language=language,
    )


def test_an_alert_reads_as_a_person_will_see_it(business: Business) -> None:
    answer = business.post(alert())
    assert answer.json()["messages"][0]["message_status"] == "accepted"
    [chat] = business.control.get("/state").json()["chats"]
    [message] = chat["messages"]
    assert message["text"] == (
        "Ana Pérez puede necesitar ayuda. Alguien pidió avisarle a las 14:05. Lugar: Plaza Bolívar."
        " Responda a este mensaje o toque un botón."
    )
    assert message["buttons"] == [
        {"kind": "quick_reply", "title": "Voy en camino", "payload": "voy:17"},
        {"kind": "quick_reply", "title": "No puedo", "payload": "No puedo"},
        {"kind": "url", "title": "Ver dónde", "url": "http://127.0.0.1:8000/a/x7Kd2"},
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "values", "buttons"),
    [
        ("alerta_emergencia", ("Ana", "14:05", "Plaza"), [button(2, "url", text="x7Kd2")]),
        ("aviso_lectura", ("Ana", "14:05", "Caracas"), []),
        ("recordatorio_vigencia", ("Ana", "Medicación"), []),
        ("codigo_verificacion", ("123456",), [button("0", "url", text="123456")]),
        ("invitacion_ficha", ("María Rojas", "Ana"), [button(0, "url", text="x7Kd2")]),
        ("mensaje_pendiente", ("Su carnet está listo",), []),
    ],
)
def test_what_the_service_counts_on_is_there_in_three_languages(
    business: Business, name: str, values: tuple[str, ...], buttons: list[dict[str, Any]], language: str
) -> None:
    wamid = business.send(template(name, body_text(*values), *buttons, language=language))
    business.wait_until_idle()
    assert business.statuses_of(wamid) == ["sent", "delivered"]
    text = business.accepted()[0]["text"]
    assert all(value in text for value in values) and "{{" not in text


def test_a_template_is_billed_unless_a_utility_one_inside_the_window(business: Business) -> None:
    business.send(alert())
    business.receive(type="text", text="Voy")
    business.wait_until_idle()
    business.send(alert())
    business.wait_until_idle()
    sent = [each["pricing"] for each in business.receiver.statuses if each["status"] == "sent"]
    assert [(each["billable"], each["type"], each["category"]) for each in sent] == [
        (True, "regular", "utility"),
        (False, "free_customer_service", "utility"),
    ]


NAMED = {"type": "text", "text": "A-12"}
IMAGE = {"type": "image", "image": {"link": "https://ejemplo.com/a.png"}}
FAIR = body_text("Petare", "sábado")


def header(parameter: dict[str, Any]) -> dict[str, Any]:
    return {"type": "header", "parameters": [parameter]}


def code(value: str, *buttons: dict[str, Any]) -> dict[str, Any]:
    return template("codigo_verificacion", body_text(value), *buttons)


def pending(*values: str, **more: Any) -> dict[str, Any]:
    return template("mensaje_pendiente", body_text(*values), *more.values())


REFUSED: list[tuple[str, dict[str, Any], int, int, str]] = [
    ("unknown name", template("no_existe"), 404, 132001, "template name (no_existe) does not exist in es"),
    ("unknown language", alert("fr"), 404, 132001, "does not exist in fr"),
    ("paused", template("encuesta_servicio", body_text("Ana")), 400, 132015, "paused"),
    ("too few", alert("es", "Ana"), 400, 132000, "body: number of localizable_params (1)"),
    ("none", template("aviso_lectura"), 400, 132000, "(0) does not match the expected number of params (3)"),
    ("too many", pending("a", "b"), 400, 132000, "(2)"),
    ("header for nothing", template("hello_world", header(NAMED), language="en_US"), 400, 132000, "header"),
    ("newline", pending("a\nb"), 400, 132012, "new-line"),
    ("tab", pending("a\tb"), 400, 132012, "new-line/tab"),
    ("five spaces", pending("a     b"), 400, 132012, "4 consecutive spaces"),
    ("empty", pending(""), 400, 131008, "missing text value"),
    ("too long", pending("x" * 1024), 400, 132005, "1024"),
    ("long code", code("1" * 16, button(0, "url", text="1")), 400, 132005, "15"),
    (
        "image for text",
        template("mensaje_pendiente", {"type": "body", "parameters": [IMAGE]}),
        400,
        132012,
        "expected TEXT",
    ),
    ("no link", code("1"), 400, 131008, "Button at index 0 of type Url requires"),
    ("no such button", pending("a", extra=button(3, "url", text="x")), 400, 131009, "index 3"),
    ("wrong kind", code("1", button(0, "quick_reply", payload="x")), 400, 132012, "URL"),
    ("twice", code("1", button(0, "url", text="1"), button("0", "url", text="1")), 400, 131009, "twice"),
    ("index 10", code("1", button("10", "url", text="1")), 400, 131008, "index from 0 to 9"),
    (
        "text for payload",
        template("centro_de_ayuda", button(0, "quick_reply", text="x"), header(NAMED)),
        400,
        132012,
        "payload",
    ),
    ("nameless", template("dispatch_update", body_text("A-12"), language="en_US"), 400, 132012, "unit"),
    (
        "one name of two",
        template("dispatch_update", {"type": "body", "parameters": [NAMED | {"parameter_name": "unit"}]}),
        400,
        132000,
        "(1)",
    ),
    ("no image", template("jornada_salud", FAIR), 400, 132012, "expected IMAGE, received UNKNOWN"),
    ("text for image", template("jornada_salud", FAIR, header(NAMED)), 400, 132012, "received TEXT"),
    (
        "image id unknown",
        template("jornada_salud", FAIR, header({"type": "image", "image": {"id": "9"}})),
        400,
        100,
        "media attachment",
    ),
    ("no language", {"type": "template", "template": {"name": "hello_world"}}, 400, 131008, "language"),
    ("no template", {"type": "template"}, 400, 131008, "template"),
    ("odd component", template("hello_world", {"type": "carousel"}, language="en_US"), 400, 131009, "carousel"),
]


@pytest.mark.parametrize(
    ("message", "status", "number", "why"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_a_template_that_does_not_fit_is_refused(
    business: Business, message: dict[str, Any], status: int, number: int, why: str
) -> None:
    answer = business.post(message)
    error = error_of(answer)
    assert (answer.status_code, error["code"]) == (status, number), error
    assert why in json.dumps(error, ensure_ascii=False)
    assert business.accepted() == []


def test_named_parameters_come_in_any_order(business: Business) -> None:
    parameters = [
        {"type": "text", "parameter_name": "minutes", "text": "6"},
        {"type": "text", "parameter_name": "unit", "text": "A-12"},
    ]
    business.send(template("dispatch_update", {"type": "body", "parameters": parameters}))
    assert business.accepted()[0]["text"] == "La unidad A-12 salió y llega en 6 minutos."


def test_headers_may_be_text_or_an_image(business: Business) -> None:
    business.send(template("centro_de_ayuda", header({"type": "text", "text": "Ana"})))
    business.send(template("jornada_salud", FAIR, header(IMAGE)))
    [chat] = business.control.get("/state").json()["chats"]
    first, second = chat["messages"]
    assert first["text"].startswith("Ayuda para Ana\n")
    assert first["buttons"][2] == {"kind": "url", "title": "Llamar", "url": "tel:+15550783881"}
    assert second["media"] == {"kind": "image", "link": "https://ejemplo.com/a.png"}


def test_currency_and_dates_show_their_fallback(business: Business) -> None:
    price = {"type": "currency", "currency": {"fallback_value": "$10", "code": "USD", "amount_1000": 10000}}
    business.send(template("mensaje_pendiente", {"type": "body", "parameters": [price]}))
    day = {"type": "date_time", "date_time": {"fallback_value": "25 de febrero"}}
    business.send(template("mensaje_pendiente", {"type": "body", "parameters": [day]}))
    texts = [each["text"] for each in business.accepted()]
    assert texts == ["Tiene un mensaje de Ficha: $10", "Tiene un mensaje de Ficha: 25 de febrero"]


def test_who_stopped_advertising_still_gets_alerts(business: Business) -> None:
    business.control.post("/people", json={"user": ANA, "stopped": True})
    fair = business.send(template("jornada_salud", FAIR, header(IMAGE)))
    help_ = business.send(alert())
    business.wait_until_idle()
    assert business.statuses_of(fair) == ["failed"]
    assert business.statuses_of(help_) == ["sent", "delivered"]
    [said] = [
        notification for notification in business.receiver.notifications if "user_preferences" in notification.values[0]
    ]
    assert said.values[0]["user_preferences"][0]["value"] == "stop"


def test_the_list_comes_in_pages(business: Business) -> None:
    path = f"/{business.config.business_id}/message_templates"
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 5, "fields": "name,language,status"}
    while True:
        page = business.client.get(path, params=query).json()
        seen += [f"{each['name']}.{each['language']}" for each in page["data"]]
        assert all(set(each) == {"id", "name", "language", "status"} for each in page["data"])
        if "next" not in page["paging"]:
            break
        query["after"] = page["paging"]["cursors"]["after"]
    assert len(seen) == len(set(seen)) == len(business.sandbox.whatsapp.templates.known)
    found = business.client.get(path, params={"name": "alerta_emergencia", "language": "pt_BR"}).json()["data"]
    assert [each["name"] for each in found] == ["alerta_emergencia"]
    paused = business.client.get(path, params={"status": "PAUSED"}).json()["data"]
    assert [each["name"] for each in paused] == ["encuesta_servicio"]
    assert business.client.get(path, params={"name": "no_existe"}).json() == {"data": []}


def test_a_template_is_made_reviewed_used_and_deleted(business: Business) -> None:
    path = f"/{business.config.business_id}/message_templates"
    body = {"type": "BODY", "text": "Su turno es {{1}}", "example": {"body_text": [["martes"]]}}
    new = {"name": "turno", "language": "es", "category": "UTILITY", "components": [body]}
    business.change_behaviour(review_seconds=None)
    made = business.client.post(path, json=new).json()
    assert made["status"] == "PENDING"
    assert error_of(business.post(template("turno", body_text("martes"))))["code"] == 132001
    assert error_of(business.client.post(path, json=new))["error_subcode"] == 2388024
    assert business.client.delete(path, params={"name": "turno"}).json() == {"success": True}
    business.change_behaviour(review_seconds=0.01)
    again = business.client.post(path, json=new).json()
    business.wait_until_idle()
    [notification] = business.receiver.notifications
    assert notification.json["entry"][0]["changes"][0]["field"] == "message_template_status_update"
    assert (
        notification.values[0]["event"] == "APPROVED"
        and str(notification.values[0]["message_template_id"]) == again["id"]
    )
    assert business.send(template("turno", body_text("martes")))
    assert business.client.get(f"/{again['id']}").json()["status"] == "APPROVED"
    assert business.client.delete(path, params={"name": "turno", "hsm_id": again["id"]}).json() == {"success": True}
    assert error_of(business.client.delete(path, params={"name": "turno"}))["code"] == 100


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Con Espacios"},
        {"category": "OTRA"},
        {"components": []},
        {"components": [{"type": "FOOTER", "text": "x"}]},
        {"components": [{"type": "BODY", "text": "x" * 1025}]},
        {"components": [{"type": "BODY", "text": "x"}, {"type": "BUTTONS", "buttons": [{"text": "x" * 26}]}]},
        {"language": None},
    ],
)
def test_a_bad_template_is_not_made(business: Business, change: dict[str, Any]) -> None:
    new = {"name": "turno", "language": "es", "category": "UTILITY", "components": [{"type": "BODY", "text": "x"}]}
    answer = business.client.post(f"/{business.config.business_id}/message_templates", json=new | change)
    assert (answer.status_code, error_of(answer)["code"]) == (400, 100)
