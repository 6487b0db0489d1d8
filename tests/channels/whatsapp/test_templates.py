"""What a template asks for, and whether a message fits it."""

from typing import Any

import pytest

from ficha.channels.errors import OutcomeUnknown
from ficha.channels.messages import Button, CouponButton, LinkButton, Location, Media, Template
from ficha.channels.templates import TemplateInfo, template_faults
from ficha.channels.whatsapp.account import template_info
from ficha.channels.whatsapp.client import WhatsApp
from tests.channels.whatsapp.scripted_platform import TOKEN, ScriptedPlatform

BUSINESS = "102290129340398"


ALERT: dict[str, Any] = {
    "id": "7",
    "name": "alerta_familia",
    "language": "es",
    "status": "APPROVED",
    "category": "UTILITY",
    "parameter_format": "POSITIONAL",
    "components": [
        {"type": "HEADER", "format": "TEXT", "text": "Alerta de {{1}}"},
        {"type": "BODY", "text": "{{1}} necesita ayuda en {{2}}. Repetimos: {{1}}."},
        {"type": "FOOTER", "text": "Ficha"},
        {
            "type": "BUTTONS",
            "buttons": [
                {"type": "QUICK_REPLY", "text": "Voy"},
                {"type": "URL", "text": "Mapa", "url": "https://ficha.example/{{1}}"},
                {"type": "URL", "text": "Sitio", "url": "https://ficha.example/"},
                {"type": "PHONE_NUMBER", "text": "Llamar", "phone_number": "+58"},
            ],
        },
    ],
}
FITS = Template(
    "alerta_familia", "es", body=["Ana", "Caracas"], header=["Ana"], buttons=[Button(0, "ACK"), LinkButton(1, "i/1")]
)


def test_all_pages_of_templates_are_read(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    def page(name: str, after: str | None) -> dict[str, Any]:
        following = {"next": f"https://graph.facebook.com/next?access_token={TOKEN}"} if after else {}
        return {"data": [{**ALERT, "name": name}], "paging": {"cursors": {"after": after or "z"}, **following}}

    platform.answers(page("a", "c1"), page("b", "c2"), page("c", None))
    assert [each.name for each in whatsapp.account.templates()] == ["a", "b", "c"]
    assert [seen.target.partition("after=")[2] for seen in platform.requests] == ["", "c1", "c2"]
    assert platform.last.target.startswith(f"/v23.0/{BUSINESS}/message_templates?fields=")


def test_pages_that_repeat_end(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers({"data": [ALERT], "paging": {"cursors": {"after": "c1"}, "next": "https://x"}})
    assert len(whatsapp.account.templates()) == 2
    platform.answers({"paging": {}})
    with pytest.raises(OutcomeUnknown):
        whatsapp.account.templates()


def test_what_a_template_asks_for() -> None:
    info = template_info(ALERT)
    assert (info.name, info.language, info.status, info.category) == ("alerta_familia", "es", "APPROVED", "UTILITY")
    assert (info.header, info.header_variables, info.body_variables) == ("text", 1, 2)
    assert [(button.kind, button.has_variable) for button in info.buttons] == [
        ("quick_reply", False),
        ("url", True),
        ("url", False),
        ("phone_number", False),
    ]


@pytest.mark.parametrize("item", [{}, {"components": 5}, {"components": [5, {"type": 7}, {"type": "BUTTONS"}]}])
def test_a_malformed_template_is_read_as_far_as_possible(item: dict[str, Any]) -> None:
    info = template_info(item)
    assert (info.header, info.body_variables, info.buttons) == (None, 0, [])


def test_a_message_that_fits_has_no_faults() -> None:
    assert template_faults(template_info(ALERT), FITS) == []


def with_info(**changes: Any) -> TemplateInfo:
    return template_info({**ALERT, **changes})


def components(*more: dict[str, Any]) -> TemplateInfo:
    return with_info(components=[{"type": "BODY", "text": "Hola"}, *more])


PLAIN = Template("alerta_familia", "es")
PHOTO = Media("image", media_id="1")
PLACE = Location(10.5, -66.9, "Hospital")
NAMED = with_info(
    parameter_format="NAMED",
    components=[
        {"type": "HEADER", "format": "TEXT", "text": "En {{lugar}}"},
        {"type": "BODY", "text": "Hola {{persona}}"},
    ],
)


@pytest.mark.parametrize(
    ("info", "template", "pointers"),
    [
        (with_info(status="PAUSED"), FITS, ["/name"]),
        (with_info(name="otra"), FITS, ["/name"]),
        (with_info(language="es_MX"), FITS, ["/language"]),
        (with_info(parameter_format="NAMED"), FITS, ["/body", "/header"]),
        (NAMED, Template("alerta_familia", "es", body_named={"persona": "Ana"}, header_named={"lugar": "Casa"}), []),
        (NAMED, Template("alerta_familia", "es", body_named={"otra": "Ana"}), ["/body_named", "/header_named"]),
        (components(), Template("alerta_familia", "es", body_named={"persona": "Ana"}), ["/body_named"]),
        (components({"type": "HEADER", "format": "LOCATION"}), Template("alerta_familia", "es", location=PLACE), []),
        (components(), Template("alerta_familia", "es", location=PLACE), ["/location"]),
        (
            components({"type": "BUTTONS", "buttons": [{"type": "COPY_CODE"}]}),
            Template("alerta_familia", "es", buttons=[CouponButton(0, "SALUD")]),
            [],
        ),
        (with_info(), Template("alerta_familia", "es"), ["/body", "/header", "/buttons"]),
        (components(), FITS, ["/body", "/header", "/buttons/0/index", "/buttons/1/index"]),
        (components(), PLAIN, []),
        (components(), Template("alerta_familia", "es", media=PHOTO), ["/media"]),
        (components({"type": "HEADER", "format": "IMAGE"}), PLAIN, ["/media"]),
        (components({"type": "HEADER", "format": "IMAGE"}), Template("alerta_familia", "es", media=PHOTO), []),
        (components({"type": "HEADER", "format": "VIDEO"}), Template("alerta_familia", "es", media=PHOTO), ["/media"]),
        (components({"type": "HEADER", "format": "LOCATION"}), PLAIN, ["/location"]),
        (components({"type": "BUTTONS", "buttons": [{"type": "COPY_CODE"}]}), PLAIN, ["/buttons"]),
        (components({"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY"}]}), PLAIN, []),
        (
            with_info(),
            Template("alerta_familia", "es", FITS.body, FITS.header, [Button(1, "x")]),
            ["/buttons/0"],
        ),
        (
            with_info(),
            Template("alerta_familia", "es", FITS.body, FITS.header, [LinkButton(1, "x"), LinkButton(2, "x")]),
            ["/buttons/1"],
        ),
        (
            with_info(),
            Template("alerta_familia", "es", FITS.body, FITS.header, [LinkButton(1, "x"), LinkButton(1, "x")]),
            ["/buttons/1/index"],
        ),
        (
            with_info(),
            Template("alerta_familia", "es", ["a" * 600, "b"], FITS.header, FITS.buttons),
            ["/body"],
        ),
    ],
)
def test_a_message_that_does_not_fit_has_faults_with_their_place(
    info: TemplateInfo, template: Template, pointers: list[str]
) -> None:
    faults = template_faults(info, template)
    assert [pointer for pointer, _ in faults] == pointers
    assert all(sentence.endswith(".") for _, sentence in faults)


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "BODY", "text": "*{{1}}* es su código."}, {"type": "BUTTONS", "buttons": [{"type": "OTP"}]}],
        [{"type": "BODY"}, {"type": "BUTTONS", "buttons": [{"type": "URL", "url": "https://wa.me/otp?code=otp{{1}}"}]}],
    ],
)
def test_a_one_time_code_goes_into_text_and_button(parts: list[dict[str, Any]]) -> None:
    info = with_info(name="codigo", category="AUTHENTICATION", components=parts)
    assert template_faults(info, Template("codigo", "es", ["123456"], buttons=[LinkButton(0, "123456")])) == []
    assert [pointer for pointer, _ in template_faults(info, Template("codigo", "es"))] == ["/body", "/buttons"]
