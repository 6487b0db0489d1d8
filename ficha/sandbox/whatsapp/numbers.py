"""The business's own numbers: verified by a code, registered with a PIN, and their public profile."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter

CODE_MINUTES = 10
CODES_PER_HOUR = 5
REGISTRATIONS = 10
# The business's one catalogue, in which nothing is for sale.
CATALOG_ID = "194836987003835"
DEFAULT_FIELDS = (
    "verified_name",
    "code_verification_status",
    "display_phone_number",
    "quality_rating",
    "platform_type",
    "throughput",
    "id",
)
_PROFILE_LIMITS = {"about": 139, "address": 256, "description": 512, "email": 128}
_SIX_DIGITS = re.compile(r"\d{6}")


@dataclass
class Number:
    id: str
    display_phone_number: str
    verified_name: str
    verified: bool = True
    registered: bool = True
    pin: str | None = None
    code: str | None = None
    code_at: datetime | None = None
    # Of a number whose codes nobody has to look up: they are all this one.
    known_code: str | None = None
    codes_asked: list[datetime] = field(default_factory=list)
    registrations: list[datetime] = field(default_factory=list)
    webhook: str | None = None
    profile: dict[str, Any] = field(
        default_factory=lambda: {"about": "Ficha médica de emergencia", "vertical": "HEALTH"}
    )
    # By number or user id, in the order in which they were blocked.
    blocked: dict[str, None] = field(default_factory=dict)
    qr_codes: dict[str, dict[str, str]] = field(default_factory=dict)
    # As every number begins: people can fill a cart, and do not see the catalogue.
    commerce: dict[str, bool] = field(
        default_factory=lambda: {"is_cart_enabled": True, "is_catalog_visible": False},
    )

    @property
    def digits(self) -> str:
        return re.sub(r"\D", "", self.display_phone_number)

    def description(self, fields: str | None = None) -> dict[str, Any]:
        everything: dict[str, Any] = {
            "id": self.id,
            "display_phone_number": self.display_phone_number,
            "verified_name": self.verified_name,
            "quality_rating": "GREEN",
            "code_verification_status": "VERIFIED" if self.verified else "NOT_VERIFIED",
            "name_status": "APPROVED",
            "status": "CONNECTED" if self.registered else "PENDING",
            "platform_type": "CLOUD_API" if self.registered else "NOT_APPLICABLE",
            "throughput": {"level": "STANDARD" if self.registered else "NOT_APPLICABLE"},
            "health_status": {"can_send_message": "AVAILABLE" if self.registered else "BLOCKED", "entities": []},
            "whatsapp_business_manager_messaging_limit": "TIER_2K",
            "is_official_business_account": False,
            "webhook_configuration": {"phone_number": self.webhook} if self.webhook else {},
        }
        wanted = DEFAULT_FIELDS if fields is None else [name.strip() for name in fields.split(",")]
        # The id is always there, asked for or not.
        return {name: everything[name] for name in dict.fromkeys((*wanted, "id")) if name in everything}

    def request_code(self, asked: Mapping[str, Any], now: datetime) -> None:
        if str(asked.get("code_method", "")).upper() not in ("SMS", "VOICE"):
            raise invalid_parameter("Param code_method must be one of {SMS, VOICE}")
        if not asked.get("language"):
            raise invalid_parameter("The parameter language is required.")
        if self.verified:
            raise GraphError(136024, "This phone number is already verified.", subcode=2388091)
        self.codes_asked = [at for at in self.codes_asked if at > now - timedelta(hours=1)]
        if len(self.codes_asked) >= CODES_PER_HOUR:
            raise GraphError(136024, "You have requested too many codes. Please try again later.", subcode=2388367)
        self.codes_asked.append(now)
        self.code, self.code_at = self.known_code or f"{secrets.randbelow(10**6):06d}", now

    def verify_code(self, asked: Mapping[str, Any], now: datetime) -> None:
        given = re.sub(r"\D", "", str(asked.get("code", "")))
        is_valid = self.code_at is not None and now - self.code_at < timedelta(minutes=CODE_MINUTES)
        if self.code is None or not is_valid or not secrets.compare_digest(given, self.code):
            raise GraphError(100, "The code you entered is incorrect or has expired.")
        self.code, self.verified = None, True

    def register(self, asked: Mapping[str, Any], now: datetime) -> None:
        pin = _pin(asked)
        self._count_registration(now)
        if not self.verified:
            raise GraphError(133006, "Phone number needs to be verified before registering.")
        if self.pin is not None and self.pin != pin:
            raise GraphError(133005, "Two step verification PIN mismatch.")
        self.pin, self.registered = pin, True

    def deregister(self, now: datetime) -> None:
        if not self.registered:
            raise GraphError(133010, "The account is not registered.")
        self._count_registration(now)
        self.registered = False

    def set_pin(self, asked: Mapping[str, Any]) -> None:
        self.pin = _pin(asked)

    def change_profile(self, asked: Mapping[str, Any], pictures: Mapping[str, str]) -> None:
        """`pictures` maps the handles of finished uploads to their addresses."""
        if asked.get("messaging_product") != "whatsapp":
            raise invalid_parameter("The parameter messaging_product is required.")
        changes = {name: value for name, value in asked.items() if name in _PROFILE_LIMITS}
        for name, value in changes.items():
            if not isinstance(value, str) or len(value) > _PROFILE_LIMITS[name]:
                raise invalid_parameter(f"Param {name} must be at most {_PROFILE_LIMITS[name]} characters long.")
        if "websites" in asked:
            if not isinstance(asked["websites"], list) or len(asked["websites"]) > 2:
                raise invalid_parameter("Param websites must be at most 2 elements long.")
            changes["websites"] = asked["websites"]
        if "vertical" in asked:
            changes["vertical"] = asked["vertical"]
        if (handle := asked.get("profile_picture_handle")) is not None:
            if handle not in pictures:
                raise invalid_parameter("Param profile_picture_handle is not a valid handle of an uploaded picture.")
            changes["profile_picture_url"] = pictures[handle]
        self.profile |= changes

    def _count_registration(self, now: datetime) -> None:
        self.registrations = [at for at in self.registrations if at > now - timedelta(hours=72)]
        if len(self.registrations) >= REGISTRATIONS:
            raise GraphError(133016, "Too many attempts to register or deregister. Try again in 72 hours.")
        self.registrations.append(now)


def _pin(asked: Mapping[str, Any]) -> str:
    pin = str(asked.get("pin", ""))
    if not _SIX_DIGITS.fullmatch(pin):
        raise invalid_parameter("Param pin must be 6 digits.")
    return pin
