"""Accounts."""

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class AccountSettings(SettingGroup):
    token_minutes: int = Field(60, ge=1, description="Life of a bearer token.")
    session_minutes: int = Field(120, ge=1, description="Life of an unused browser session.")
    code_minutes: int = Field(10, ge=1, description="Life of a code sent by mail or phone.")
    code_tries: int = Field(5, ge=1, description="Wrong tries before such a code dies.")
    recovery_minutes: int = Field(60, ge=1, description="Life of a link to choose a new clave.")
    claim_hours: int = Field(24, ge=1, description="Life of a link that confirms a sticker claimed by its code.")
    staff_second_factor: bool = Field(
        False, description="Whether staff and administrators act only once their account has a second factor."
    )
    test_account_hours: int = Field(24, ge=1, description="Life of an account made by the test registration.")
