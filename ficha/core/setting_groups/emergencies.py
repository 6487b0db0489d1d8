"""Emergencies."""

import re

from pydantic import Field, field_validator

from ficha.core.setting_groups.service import MAIL_ADDRESS, CommaSeparated, SettingGroup, split_at_commas

E164 = r"\+[1-9]\d{6,14}"


class EmergencySettings(SettingGroup):
    ladder_whatsapp_seconds: float = Field(60, gt=0, description="How long a contact has to answer by WhatsApp.")
    ladder_mail_seconds: float = Field(60, gt=0, description="How long a contact has to answer a mail.")
    ladder_push_seconds: float = Field(30, gt=0, description="How long a contact has to answer a notification.")
    ladder_message_minutes: float = Field(5, gt=0, description="An alert that could not leave by then is not sent.")
    emergency_join_minutes: float = Field(10, gt=0, description="Scans of one record within this are one emergency.")
    emergency_link_hours: float = Field(24, gt=0, description="How long after its end an emergency's links answer.")
    emergency_reply_hours: float = Field(6, gt=0, description="How long a contact's message counts as an answer.")
    alert_quiet_minutes: float = Field(
        10,
        gt=0,
        le=10,
        description="How long a record that has just alerted its contacts waits before it alerts anew.",
    )
    alerts_per_unconfirmed: int = Field(
        5, ge=1, description="Records that may alert one number or mailbox in a day, if it never answered them."
    )
    alerts_per_confirmed: int = Field(
        30, ge=1, description="Records that may alert one number or mailbox in an hour, if it answered this one before."
    )
    on_call_mails: CommaSeparated = Field(
        (), description="Mailboxes of the team on call: they get a mail when nobody of a family answers."
    )
    on_call_phones: CommaSeparated = Field(
        (), description="WhatsApp numbers of the team on call, in E.164 with the plus sign."
    )
    relay_messages: int = Field(
        200, ge=1, description="Messages that whoever is with the person, and the contacts, may each write."
    )
    relay_unconfirmed: int = Field(
        3, ge=0, description="How many of them WhatsApp brings to a contact who never answered an alert of the record."
    )
    emergency_country: str = Field(
        "", pattern="^([A-Z]{2})?$", description="The country of this deployment, whose emergency number is shown."
    )
    read_notice_minutes: float = Field(10, gt=0, description="Looking again within this is the same look.")

    _split_on_call = field_validator("on_call_mails", "on_call_phones", mode="before")(split_at_commas)

    @field_validator("on_call_mails")
    @classmethod
    def are_mailboxes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(re.fullmatch(MAIL_ADDRESS, one) for one in value):
            raise ValueError("each must be an address such as guardia@ficha.example, and commas stand between them")
        return value

    @field_validator("on_call_phones")
    @classmethod
    def are_whole_numbers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """What the platform refuses would be noticed when nobody of a family answers, and by nobody."""
        if not all(re.fullmatch(E164, one) for one in value):
            raise ValueError("each must be a number with its country, such as +584125551111, with commas between them")
        return value
