"""Mail."""

from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from ficha.core.setting_groups.setting_group import SettingGroup


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
