"""Limits."""

from typing import Literal

from pydantic import Field, SecretStr

from ficha.core.setting_groups.service import SettingGroup


class LimitSettings(SettingGroup):
    rate_limits: Literal["on", "off"] = Field("on", description="Whether rate limits apply.")
    limits_url: SecretStr = Field(
        SecretStr(""), description="redis:// or valkey:// to share limits between processes; empty counts in memory."
    )
    limit_login: str = Field("5/minute", description="Login attempts per address.")
    limit_login_account: str = Field("10/15 minutes", description="Login attempts per correo and address or device.")
    limit_login_unknown: str = Field("20/minute", description="Login attempts per correo of all unknown devices.")
    limit_registration: str = Field("5/minute", description="Registrations per address.")
    limit_code: str = Field("3/10 minutes", description="Codes sent to one mailbox or phone.")
    limit_token: str = Field("600/minute", description="Requests per token; alerts do not count.")
    limit_key: str = Field("60/minute", description="Idempotency-Keys per address of callers without a session.")
    limit_platform_key: str = Field("600/minute", description="The same for calls with a token of the platform.")
    limit_typed: str = Field("10/minute", description="Typed codes opened per address.")
    limit_glass: str = Field("6/hour", description="Times that more is asked for with one sticker.")
    limit_glass_address: str = Field("12/hour", description="Times that more is asked for from one address.")
    limit_claim: str = Field("10/hour", description="Stickers claimed per account and per address.")
    limit_invitation: str = Field("20/day", description="Invitations to see a record that one account sends.")
    limit_invitation_target: str = Field(
        "5/day", description="Invitations to see a record that one mailbox or number gets, whoever sends them."
    )
    limit_contact_test: str = Field("10/day", description="Test messages to contacts that one account sends.")
    limit_contact_test_target: str = Field("2/day", description="Test messages that one number or mailbox gets.")
    limit_picture: str = Field("30/minute", description="Photos, and backgrounds to remove, sent by one account.")
    limit_link: str = Field(
        "10/minute", description="Links opened per address; those to answer an alert only if unknown."
    )
    limit_relay: str = Field("20/minute", description="Messages between sticker and family written per address.")
    limit_carnet: str = Field("30/minute", description="Serials of carnets looked up per address.")
    limit_health_link: str = Field(
        "20/minute", description="Times that one SMART Health Link, or a file of it, is asked for."
    )
    limit_health_link_import: str = Field(
        "6/minute", description="SMART Health Links of others that one account has us fetch."
    )
    limit_platform: str = Field("300/minute", description="Calls passed on to Chatwoot per address.")
    alert_proof_bits: int = Field(
        15, ge=1, le=32, description="Beyond the limits of typed codes, zeros that the work for an alert must find."
    )
    alert_wait_seconds: int = Field(15, ge=1, description="How long who cannot do that work waits instead.")
    limit_typed_all: str = Field("600/minute", description="Typed codes opened by everybody together.")
    json_bytes: int = Field(1_000_000, ge=1, description="Largest JSON body.")
    webhook_bytes: int = Field(4_000_000, ge=1, description="Largest webhook body.")
    upload_bytes: int = Field(
        10_000_000, ge=1, description="Largest upload in all; files to be sent are limited by the platform's own table."
    )
    bodies_bytes: int = Field(20_000_000, ge=1, description="Bodies of all requests under way in a process together.")
    body_seconds: float = Field(30, gt=0, description="Time for a whole body, and a second for each 20 kB that came.")
