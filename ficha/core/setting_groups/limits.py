"""Limits."""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, field_validator

from ficha.core.setting_groups.service import SettingGroup

# As the `limits` library writes them; loading it takes a fiftieth of the start, and only a shared store needs it.
LIMIT = re.compile(r"(?P<amount>[1-9]\d*) ?/ ?(?:(?P<several>[1-9]\d*) )?(?P<unit>second|minute|hour|day)s?")
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
# Those that the library reads with the client that we bring.
STORE = re.compile(r"(redis|valkey)s?|(redis|valkey)\+(unix|sentinel|cluster)")


def amount_and_seconds(text: str) -> tuple[int, int]:
    """Of "5/minute" or "10/15 minutes"; raises ValueError for anything else."""
    found = LIMIT.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"a limit looks like 5/minute or 10/15 minutes, not {text!r}")
    return int(found["amount"]), int(found["several"] or 1) * SECONDS[found["unit"]]


def is_limit(text: str) -> str:
    amount_and_seconds(text)
    return text


Rate = Annotated[str, AfterValidator(is_limit)]


class LimitSettings(SettingGroup):
    rate_limits: Literal["on", "off"] = Field("on", description="Whether rate limits apply.")
    limits_url: SecretStr = Field(
        SecretStr(""), description="redis:// or valkey:// to share limits between processes; empty counts in memory."
    )
    limit_login: Rate = Field("5/minute", description="Login attempts per address.")
    limit_login_account: Rate = Field("10/15 minutes", description="Login attempts per correo and address or device.")
    limit_login_unknown: Rate = Field("20/minute", description="Login attempts per correo of all unknown devices.")
    limit_registration: Rate = Field("5/minute", description="Registrations per address.")
    limit_code: Rate = Field("3/10 minutes", description="Codes sent to one mailbox or phone.")
    limit_token: Rate = Field("600/minute", description="Requests per token; alerts do not count.")
    limit_key: Rate = Field("60/minute", description="Idempotency-Keys per address of callers without a session.")
    limit_platform_key: Rate = Field("600/minute", description="The same for calls with a token of the platform.")
    limit_typed: Rate = Field("10/minute", description="Typed codes opened per address.")
    limit_glass: Rate = Field("6/hour", description="Times that more is asked for with one sticker.")
    limit_glass_address: Rate = Field("12/hour", description="Times that more is asked for from one address.")
    limit_claim: Rate = Field("10/hour", description="Stickers claimed per account and per address.")
    limit_invitation: Rate = Field("20/day", description="Invitations to see a record that one account sends.")
    limit_invitation_target: Rate = Field(
        "5/day", description="Invitations to see a record that one mailbox or number gets, whoever sends them."
    )
    limit_contact_test: Rate = Field("10/day", description="Test messages to contacts that one account sends.")
    limit_contact_test_target: Rate = Field("2/day", description="Test messages that one number or mailbox gets.")
    limit_picture: Rate = Field("30/minute", description="Photos, and backgrounds to remove, sent by one account.")
    limit_link: Rate = Field(
        "10/minute", description="Links opened per address; those to answer an alert only if unknown."
    )
    limit_relay: Rate = Field("20/minute", description="Messages between sticker and family written per address.")
    limit_carnet: Rate = Field("30/minute", description="Serials of carnets looked up per address.")
    limit_health_link: Rate = Field(
        "20/minute", description="Times that one SMART Health Link, or a file of it, is asked for."
    )
    limit_health_link_import: Rate = Field(
        "6/minute", description="SMART Health Links of others that one account has us fetch."
    )
    limit_platform: Rate = Field("300/minute", description="Calls passed on to Chatwoot per address.")
    alert_proof_bits: int = Field(
        15, ge=1, le=32, description="Beyond the limits of typed codes, zeros that the work for an alert must find."
    )
    alert_wait_seconds: int = Field(15, ge=1, description="How long who cannot do that work waits instead.")
    limit_typed_all: Rate = Field("600/minute", description="Typed codes opened by everybody together.")
    json_bytes: int = Field(1_000_000, ge=1, description="Largest JSON body.")
    webhook_bytes: int = Field(4_000_000, ge=1, description="Largest webhook body.")
    upload_bytes: int = Field(
        10_000_000, ge=1, description="Largest upload in all; files to be sent are limited by the platform's own table."
    )
    bodies_bytes: int = Field(20_000_000, ge=1, description="Bodies of all requests under way in a process together.")
    body_seconds: float = Field(30, gt=0, description="Time for a whole body, and a second for each 20 kB that came.")

    @field_validator("limits_url")
    @classmethod
    def is_store(cls, value: SecretStr) -> SecretStr:
        parts = urlsplit(value.get_secret_value())
        is_known = STORE.fullmatch(parts.scheme) and (parts.netloc or parts.path)
        if value.get_secret_value() and not is_known:
            raise ValueError("it must look like redis://host:6379/0 or valkey://host:6379/0, with TLS rediss://")
        if "+" not in parts.scheme:
            _ = parts.port  # Its ValueError says what is wrong with it.
        return value
