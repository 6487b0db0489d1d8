"""WhatsApp. Without an address, everything goes to the sandbox on this machine, and these values are its own."""

import re

from pydantic import Field, SecretStr, field_validator

from ficha.core.setting_groups.browsers_and_proxies import CommaSeparated
from ficha.core.setting_groups.setting_group import SettingGroup


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
        found = tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value
        for number in found if isinstance(found, tuple) else ():
            if not re.fullmatch(r"\d+", str(number)):
                raise ValueError("the id of a number has digits only")
        return found

    @property
    def whatsapp_number_ids(self) -> frozenset[str]:
        """All numbers of ours."""
        return frozenset((self.whatsapp_phone_number_id, *self.whatsapp_more_number_ids))
