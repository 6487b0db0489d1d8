"""Platforms outside: mail, WhatsApp, Chatwoot, push services and file storage."""

import re
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from ficha.core.setting_groups.service import MAIL_ADDRESS, CommaSeparated, SettingGroup, split_at_commas

SENDER = rf'{MAIL_ADDRESS}|(?:"[^"\r\n]*"|[^"<>@,;:\r\n]+) ?<{MAIL_ADDRESS}>'


class MailSettings(SettingGroup):
    smtp_url: SecretStr = Field(
        SecretStr(""), description="smtps://user:clave@host, smtp+tls://…:587 or smtp://…; empty keeps mail here."
    )
    mail_from: str = Field("Ficha <ficha@localhost>", description="Sender of our mails.")

    @field_validator("smtp_url")
    @classmethod
    def is_mail_server(cls, value: SecretStr) -> SecretStr:
        parts = urlsplit(value.get_secret_value())
        if value.get_secret_value() and (parts.scheme not in ("smtp", "smtps", "smtp+tls") or not parts.hostname):
            raise ValueError("it must look like smtps://user:clave@host or smtp+tls://user:clave@host:587")
        return value

    @field_validator("mail_from")
    @classmethod
    def is_sender(cls, value: str) -> str:
        if not re.fullmatch(SENDER, value):
            raise ValueError("it must look like ficha@ficha.example or Ficha <ficha@ficha.example>")
        return value


class WhatsAppSettings(SettingGroup):
    whatsapp_base_url: str = Field("", description="The platform's address; empty means the sandbox.")
    whatsapp_version: str = Field("v23.0", pattern=r"^v\d+\.\d+$", description="Version of the platform's API.")
    whatsapp_token: SecretStr = Field(SecretStr("sandbox-token"), description="The platform's access token.")
    whatsapp_phone_number_id: str = Field("106540352242922", pattern=r"^\d+$", description="Id of our number.")
    whatsapp_more_number_ids: CommaSeparated = Field(
        (), description="Ids of further numbers of ours, with commas. Each conversation goes on from its own."
    )
    whatsapp_business_id: str = Field("102290129340398", pattern=r"^\d+$", description="Id of the business account.")
    whatsapp_app_id: str = Field("634974688087057", pattern=r"^\d+$", description="Id of the app, for uploads.")
    whatsapp_app_secret: SecretStr = Field(SecretStr("sandbox-app-secret"), description="Signs the notifications.")
    whatsapp_verify_token: SecretStr = Field(
        SecretStr("sandbox-verify-token"), description="What the platform shows when it asks for our webhook."
    )
    whatsapp_seconds: float = Field(10, gt=0, description="Longest wait for an answer of the platform.")
    whatsapp_doubt_seconds: float = Field(
        60, gt=0, description="How long to look for a message in the statuses after an unclear answer."
    )
    whatsapp_per_second: int = Field(80, ge=1, description="Messages that one business number sends in a second.")
    notification_days: int = Field(30, ge=7, description="Days a notification is kept; emptied if all of it was read.")
    events_beat_seconds: float = Field(15, gt=0, description="How often a quiet stream of events says that it lives.")
    events_per_account: int = Field(10, ge=1, description="Streams of events of one account in each process.")
    events_per_process: int = Field(1000, ge=1, description="Streams of events that one process keeps open.")
    events_days: int = Field(7, ge=1, description="Days a stream of events can be taken up again.")
    sandbox_port: int = Field(8001, ge=0, le=65535, description="Port of the sandbox, on this machine only.")

    @field_validator("whatsapp_more_number_ids", mode="before")
    @classmethod
    def are_number_ids(cls, value: object) -> object:
        found = split_at_commas(value)
        for number in found if isinstance(found, tuple) else ():
            if not re.fullmatch(r"\d+", str(number)):
                raise ValueError("the id of a number has digits only")
        return found

    @property
    def whatsapp_number_ids(self) -> frozenset[str]:
        """All numbers of ours."""
        return frozenset((self.whatsapp_phone_number_id, *self.whatsapp_more_number_ids))


class ChatwootSettings(SettingGroup):
    chatwoot_base_url: str = Field("", description="Its address, as https://app.chatwoot.com; empty means the sandbox.")
    chatwoot_token: SecretStr = Field(
        SecretStr("sandbox-chatwoot-token"), description="The token (api_access_token) by which staff act there."
    )
    chatwoot_account_id: int = Field(1, ge=1, description="Id of our account there.")
    chatwoot_inbox_id: int = Field(1, ge=1, description="Id of the API inbox that our threads go into.")
    chatwoot_inbox_identifier: str = Field(
        "sandbox-inbox", pattern=r"^[A-Za-z0-9_-]+$", description="Identifier of that inbox in the public API."
    )
    chatwoot_webhook_secret: SecretStr = Field(SecretStr("sandbox-webhook-secret"), description="Signs its webhooks.")
    chatwoot_seconds: float = Field(10, gt=0, description="Longest wait for its answer, a place in the queue included.")
    chatwoot_upload_seconds: float = Field(120, gt=0, description="Longest time for passing attachments on to it.")
    chatwoot_calls: int = Field(50, ge=1, description="Calls to it that one process has under way at a time.")
    chatwoot_team_id: int = Field(1, ge=1, description="Id of the team there that is on call for emergencies.")
    chatwoot_bridge: bool | None = Field(
        None, description="Whether threads and emergencies go to it; by default, wherever there is one."
    )
    chatwoot_private: bool = Field(
        False, description="Whether its name may lead to a private address, as on a network of one's own."
    )


class PushSettings(SettingGroup):
    push_contact: str = Field(
        "", description="mailto: or https: address where push services reach us; empty means the public address."
    )
    push_hosts: CommaSeparated = Field(
        (), description="Push services besides those of the known browsers, as host or host:port, comma-separated."
    )
    devices_per_account: int = Field(10, ge=1, description="Devices of one account that get notifications.")

    _split_hosts = field_validator("push_hosts", mode="before")(split_at_commas)


class FileSettings(SettingGroup):
    storage_url: SecretStr = Field(
        SecretStr(""), description="https://key:secret@host/bucket of S3-compatible storage; empty keeps files here."
    )
    storage_region: str = Field("us-east-1", description="The region of that storage.")
    file_link_minutes: float = Field(10, gt=0, description="How long a link to a photo opens it.")
    picture_pixels: int = Field(25_000_000, ge=10_000, description="Largest picture that is taken, in pixels.")
    picture_seconds: float = Field(30, gt=0, description="Longest time that a picture may take to read.")
    pictures_waiting: int = Field(
        4, ge=0, description="Photos, and cutouts, that may wait for their turn in a process."
    )
    logo_private: bool = Field(
        False, description="Whether a service's logo may come from a private address, as on a network of one's own."
    )
    picture_idle_seconds: float = Field(60, gt=0, description="After this long without work a picture process ends.")

    @field_validator("storage_url")
    @classmethod
    def is_storage(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        parts = urlsplit(text)
        if text and not (parts.scheme in ("http", "https") and parts.username and parts.path.strip("/")):
            raise ValueError("it must look like https://key:secret@host/bucket")
        return value
