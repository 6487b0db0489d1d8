"""Accounts, records, codes and cards, and what administrators keep."""

from pathlib import Path

from pydantic import Field, SecretStr, field_validator

from ficha.core.setting_groups.service import SettingGroup


class AccountAndRecordSettings(SettingGroup):
    anchor_minutes: int = Field(60, ge=1, le=1440, description="How often the ends of the log are signed.")
    anchor_dir: Path | None = Field(
        None, description="Folder for copies of what was signed, best on another disk; by default in the data folder."
    )
    record_changes: int = Field(20_000, ge=1, description="Changes that one record may have; all are kept.")
    record_bytes: int = Field(50_000_000, ge=1, description="Bytes that all versions of one record may take.")
    account_records: int = Field(20, ge=1, description="Records that one account may own.")
    token_minutes: int = Field(60, ge=1, description="Life of a bearer token.")
    session_minutes: int = Field(120, ge=1, description="Life of an unused browser session.")
    code_minutes: int = Field(10, ge=1, description="Life of a code sent by mail or phone.")
    code_tries: int = Field(5, ge=1, description="Wrong tries before such a code dies.")
    recovery_minutes: int = Field(60, ge=1, description="Life of a link to choose a new clave.")
    claim_hours: int = Field(24, ge=1, description="Life of a link that confirms a sticker claimed by its code.")
    staff_second_factor: bool = Field(
        False, description="Whether staff and administrators act only once their account has a second factor."
    )
    trusted_issuers_file: Path | None = Field(
        None,
        description="Whose Health Cards are believed: JSON in the shape of VCI's directory. Our own always are.",
    )
    health_link_private: bool = Field(
        False,
        description="Whether Health Links that are imported may lead to private addresses, as of a hospital's network.",
    )
    # Shorter than a claimed Idempotency-Key waits for its answer.
    health_link_seconds: float = Field(
        10, gt=0, le=12, description="Longest time that all of a Health Link that is imported may take to fetch."
    )
    test_account_hours: int = Field(24, ge=1, description="Life of an account made by the test registration.")


class InventorySettings(SettingGroup):
    batch_codes: int = Field(100_000, ge=1, description="Most codes of a batch that is made over HTTP.")
    tag_days: float = Field(
        7, gt=0, le=7, description="How long the tags of a batch are kept sealed if its sheet is not confirmed."
    )
    carnet_days: int = Field(365, ge=1, le=3650, description="How long a carnet is valid.")
    health_card_days: int = Field(365, ge=0, le=3650, description="How long a Health Card is valid; 0 is for ever.")
    health_card_issuer: str = Field(
        "",
        max_length=100,
        pattern=r"^(|https://[^\s?#]*[^\s/?#])$",
        description="Who issues Health Cards: an https:// address without a slash at its end, below which "
        "/.well-known/jwks.json is ours; empty is the base URL.",
    )
    sticker_codes: int = Field(50, ge=1, description="Most codes in one preview of stickers.")


class AdministrationSettings(SettingGroup):
    project_link_minutes: int = Field(60, ge=1, le=43_200, description="Life of a signed link to a project.")
    payments_secret: SecretStr = Field(
        SecretStr(""), description="Signs notifications of payments; empty means the sandbox's, in production none."
    )
    time_zone: str = Field(
        "America/Caracas", description="Times are shown so on the console, and to whoever tells us no zone or country."
    )

    @field_validator("time_zone")
    @classmethod
    def is_known(cls, value: str) -> str:
        from zoneinfo import ZoneInfo  # noqa: PLC0415  Only where a zone is set.

        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("not a time zone that this machine knows, such as America/Caracas") from None
        return value
