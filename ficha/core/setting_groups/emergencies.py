"""Emergencies."""

from pydantic import Field
from pydantic_settings import BaseSettings


class EmergencySettings(BaseSettings):
    ladder_whatsapp_seconds: float = Field(60, gt=0, description="How long a contact has to answer by WhatsApp.")
    ladder_mail_seconds: float = Field(60, gt=0, description="How long a contact has to answer a mail.")
    ladder_push_seconds: float = Field(30, gt=0, description="How long a contact has to answer a notification.")
    ladder_message_minutes: float = Field(5, gt=0, description="An alert that could not leave by then is not sent.")
    emergency_join_minutes: float = Field(10, gt=0, description="Scans of one record within this are one emergency.")
    emergency_link_hours: float = Field(24, gt=0, description="How long after its end an emergency's links answer.")
    emergency_reply_hours: float = Field(6, gt=0, description="How long a contact's message counts as an answer.")
    alert_quiet_minutes: float = Field(
        10, gt=0, description="How long a record that has just alerted its contacts waits before it does so anew."
    )
    alerts_per_unconfirmed: int = Field(
        5, ge=1, description="Records that may alert one number or mailbox in a day, if it never answered them."
    )
    alerts_per_confirmed: int = Field(
        30, ge=1, description="Records that may alert one number or mailbox in an hour, if it answered this one before."
    )
    read_notice_minutes: float = Field(10, gt=0, description="Looking again within this is the same look.")
