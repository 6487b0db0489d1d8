"""Our business account on the platform: its number, token, profile and templates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from ficha.channels.errors import BadContent, OutcomeUnknown
from ficha.channels.templates import TemplateInfo
from ficha.channels.whatsapp.graph import Graph, check_success, required_text
from ficha.channels.whatsapp.templates import template_info

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
        return NumberInfo(required_text(answer, "id"), **{name: _text(answer.get(name)) for name in names})

    def debug_token(self) -> TokenInfo:
        """Whether our token is valid. The app's own token asks, because an expired one cannot ask about itself."""
        answer = self._graph.get("debug_token", {"input_token": self._token}, token=self._app_token)
        data = answer.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("is_valid"), bool):
            raise OutcomeUnknown("whatsapp: an answer without the token's state")
        return TokenInfo(
            is_valid=data["is_valid"],
            type=_text(data.get("type")),
            app_id=_text(data.get("app_id")),
            application=_text(data.get("application")),
            issued_at=_moment(data.get("issued_at")),
            expires_at=_moment(data.get("expires_at")),
            data_access_expires_at=_moment(data.get("data_access_expires_at")),
            scopes=_texts(data.get("scopes")),
        )

    def profile(self) -> Profile:
        answer = self._graph.get(f"{self._number_id}/whatsapp_business_profile", {"fields": PROFILE_FIELDS})
        data = answer.get("data")
        found: Mapping[str, Any] = data[0] if isinstance(data, list) and data and isinstance(data[0], dict) else {}
        # The platform's documentation nests it one level deeper than its servers do.
        nested = found.get("business_profile")
        found = nested if isinstance(nested, dict) else found
        return Profile(
            about=_text(found.get("about")),
            address=_text(found.get("address")),
            description=_text(found.get("description")),
            email=_text(found.get("email")),
            profile_picture_url=_text(found.get("profile_picture_url")),
            websites=_texts(found.get("websites")),
            vertical=_text(found.get("vertical")),
        )

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
    paging = answer.get("paging")
    if not isinstance(paging, dict) or not paging.get("next"):
        return None
    cursors = paging.get("cursors")
    return _text(cursors.get("after")) if isinstance(cursors, dict) else None


def _moment(value: object) -> datetime | None:
    """Unix seconds; zero means never."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 10**11:
        return None
    return datetime.fromtimestamp(value, UTC)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
