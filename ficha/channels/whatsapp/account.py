"""Our business account on the platform: its number, token, profile and templates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ficha.channels.errors import BadContent, OutcomeUnknown
from ficha.channels.templates import VARIABLE, ButtonInfo, TemplateInfo
from ficha.channels.whatsapp.graph import Graph, check_success, required_text
from ficha.channels.whatsapp.json_checks import dict_in, list_in, moment_in, text_in


def template_info(item: Mapping[str, Any]) -> TemplateInfo:
    parts = {_word(each, "type").upper(): each for each in list_in(item.get("components")) if isinstance(each, dict)}
    header = parts.get("HEADER")
    category = _word(item, "category").upper()
    body = _word(parts.get("BODY", {}), "text")
    buttons = list_in(parts.get("BUTTONS", {}).get("buttons"))
    return TemplateInfo(
        template_id=_word(item, "id"),
        name=_word(item, "name"),
        language=_word(item, "language"),
        status=_word(item, "status").upper(),
        category=category,
        parameter_format=_word(item, "parameter_format").upper() or "POSITIONAL",
        body=body,
        # The platform writes the text of one-time codes itself and does not always show it.
        body_variables=_count(body) if body or category != "AUTHENTICATION" else 1,
        header=_word(header, "format").lower() or "text" if header is not None else None,
        header_variables=_count(_word(header or {}, "text")),
        header_text=_word(header or {}, "text"),
        buttons=[_button(each) for each in buttons if isinstance(each, dict)],
    )


def _button(item: Mapping[str, Any]) -> ButtonInfo:
    kind = _word(item, "type").lower()
    if kind == "otp":
        return ButtonInfo("url", _word(item, "text"), True)
    return ButtonInfo(kind, _word(item, "text"), kind == "url" and _count(_word(item, "url")) > 0)


def _count(text: str) -> int:
    return len(set(VARIABLE.findall(text)))


def _word(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


NUMBER_FIELDS = (
    "id,display_phone_number,verified_name,status,quality_rating,code_verification_status,name_status,platform_type"
)
PROFILE_FIELDS = "about,address,description,email,profile_picture_url,websites,vertical"
TEMPLATE_FIELDS = "id,name,language,status,category,parameter_format,components"
PAGE_SIZE = 100
# An account holds 6,000 templates at most.
MOST_PAGES = 100


@dataclass(frozen=True)
class NumberInfo:
    number_id: str
    display_phone_number: str | None
    verified_name: str | None
    status: str | None
    quality_rating: str | None
    code_verification_status: str | None
    name_status: str | None
    platform_type: str | None


@dataclass(frozen=True)
class TokenInfo:
    """`expires_at` is None for a token that does not expire."""

    is_valid: bool
    type: str | None
    app_id: str | None
    application: str | None
    issued_at: datetime | None
    expires_at: datetime | None
    data_access_expires_at: datetime | None
    scopes: Sequence[str]


@dataclass(frozen=True)
class Profile:
    about: str | None
    address: str | None
    description: str | None
    email: str | None
    profile_picture_url: str | None
    websites: Sequence[str]
    vertical: str | None


class WhatsAppAccount:
    def __init__(
        self, graph: Graph, *, phone_number_id: str, business_id: str, token: str, app_token: str | None = None
    ) -> None:
        self._graph = graph
        self._number_id = phone_number_id
        self._business_id = business_id
        self._token = token
        self._app_token = app_token

    def number(self) -> NumberInfo:
        """Fails unless address, token and number are right, so it also tests the connection."""
        answer = self._graph.get(self._number_id, {"fields": NUMBER_FIELDS})
        names = NUMBER_FIELDS.split(",")[1:]
        return NumberInfo(required_text(answer, "id"), **{name: text_in(answer.get(name)) for name in names})

    def debug_token(self) -> TokenInfo:
        """Whether our token is valid. The app's own token asks, because an expired one cannot ask about itself."""
        answer = self._graph.get("debug_token", {"input_token": self._token}, token=self._app_token)
        data = answer.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("is_valid"), bool):
            raise OutcomeUnknown("whatsapp: an answer without the token's state")
        return TokenInfo(
            data["is_valid"],
            text_in(data.get("type")),
            text_in(data.get("app_id")),
            text_in(data.get("application")),
            moment_in(data.get("issued_at")),
            moment_in(data.get("expires_at")),
            moment_in(data.get("data_access_expires_at")),
            _texts(data.get("scopes")),
        )

    def profile(self) -> Profile:
        answer = self._graph.get(f"{self._number_id}/whatsapp_business_profile", {"fields": PROFILE_FIELDS})
        found = dict_in(next(iter(list_in(answer.get("data"))), None))
        # The platform's documentation nests it one level deeper than its servers do.
        found = dict_in(found.get("business_profile")) or found
        names = [name for name in PROFILE_FIELDS.split(",") if name != "websites"]
        return Profile(websites=_texts(found.get("websites")), **{name: text_in(found.get(name)) for name in names})

    def set_profile_picture(self, handle: str) -> None:
        """`handle` comes from a resumable upload."""
        body = {"messaging_product": "whatsapp", "profile_picture_handle": handle}
        check_success(self._graph.post(f"{self._number_id}/whatsapp_business_profile", body))

    def templates(self) -> list[TemplateInfo]:
        """All of them. Of the next page only the cursor is used, not the address, which contains the token."""
        path, params = f"{self._business_id}/message_templates", {"fields": TEMPLATE_FIELDS, "limit": str(PAGE_SIZE)}
        found: list[TemplateInfo] = []
        seen: set[str] = set()
        for _ in range(MOST_PAGES):
            answer = self._graph.get(path, params)
            data = answer.get("data")
            if not isinstance(data, list):
                raise OutcomeUnknown("whatsapp: an answer without data")
            found += [template_info(item) for item in data if isinstance(item, dict)]
            after = _next_page(answer)
            if after is None or after in seen:
                break
            seen.add(after)
            params = params | {"after": after}
        return found

    def request_code(self, method: Literal["SMS", "VOICE"], language: str) -> None:
        """Asks the platform to send the code that proves that the business number is ours."""
        body = {"code_method": method, "language": language}
        check_success(self._graph.post(f"{self._number_id}/request_code", body))

    def verify_code(self, code: str) -> None:
        if not re.fullmatch(r"[0-9]{6}", code):
            raise BadContent("/code", "El código tiene seis cifras.")
        check_success(self._graph.post(f"{self._number_id}/verify_code", {"code": code}))


def _next_page(answer: Mapping[str, Any]) -> str | None:
    paging = dict_in(answer.get("paging"))
    return text_in(dict_in(paging.get("cursors")).get("after")) if paging.get("next") else None


def _texts(value: object) -> list[str]:
    return [each for each in list_in(value) if isinstance(each, str)]
