"""What production refuses: values that are only fit for development, with a sentence for each."""

from urllib.parse import urlsplit

from ficha.core.settings import Settings

# The platform's own have so many; a shorter one can be guessed, and with it notifications be forged.
SECRET_LETTERS = 32


class InsecureSettings(Exception):
    """The service was started in production with values that are only fit for development."""


def refuse_laptop_values(settings: Settings) -> None:
    """Raises InsecureSettings."""
    faults = laptop_values(settings)
    if faults:
        raise InsecureSettings("\n".join(faults))


def laptop_values(settings: Settings) -> list[str]:
    """A sentence for each value that production refuses. None in development."""
    if not settings.in_production:
        return []
    faults = []
    if not settings.is_https:
        faults.append("FICHA_BASE_URL must be the public https:// address.")
    if not settings.smtp_url.get_secret_value():
        faults.append("FICHA_SMTP_URL is empty: mails would stay in the sandbox.")
    if settings.mail_from == Settings.model_fields["mail_from"].default:
        faults.append("FICHA_MAIL_FROM is still the laptop's sender.")
    if settings.uses_sandbox:
        faults.append("FICHA_WHATSAPP_BASE_URL is empty: messages would stay in the sandbox.")
    else:
        faults += [
            f"FICHA_{name.upper()} is still the sandbox's."
            for name in ("whatsapp_token", "whatsapp_app_secret", "whatsapp_verify_token")
            if getattr(settings, name) == Settings.model_fields[name].default
        ]
    if settings.chatwoot_base_url:
        faults += [
            f"FICHA_{name.upper()} is still the sandbox's."
            for name in ("chatwoot_token", "chatwoot_webhook_secret")
            if getattr(settings, name) == Settings.model_fields[name].default
        ]
    if not settings.trusted_proxies:
        faults.append(
            "FICHA_TRUSTED_PROXIES is empty: production needs a proxy in front, which keeps idle and slow"
            " connections away (docs/running.md), and its address here."
        )
    if settings.rate_limits == "off":
        faults.append("FICHA_RATE_LIMITS must be on.")
    smtp = urlsplit(settings.smtp_url.get_secret_value())
    if smtp.password and smtp.scheme == "smtp":
        faults.append("FICHA_SMTP_URL has a password and no TLS: use smtps://, or smtp+tls:// for STARTTLS.")
    if not settings.uses_sandbox and len(settings.whatsapp_app_secret.get_secret_value()) < SECRET_LETTERS:
        faults.append(f"FICHA_WHATSAPP_APP_SECRET is too short: it has at least {SECRET_LETTERS} characters.")
    return faults
