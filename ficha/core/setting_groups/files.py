"""Files and pictures."""

from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from ficha.core.setting_groups.setting_group import SettingGroup


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
