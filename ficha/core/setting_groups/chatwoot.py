"""Chatwoot, the conversation platform. Without an address it is the sandbox, and these values are its own."""

from pydantic import Field, SecretStr

from ficha.core.setting_groups.setting_group import SettingGroup


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
