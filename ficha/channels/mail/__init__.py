"""Mail: one message class, and two ways to send it."""

from ficha.channels.mail.folder import FolderMailer
from ficha.channels.mail.message import Mail, Mailer
from ficha.channels.mail.smtp import SmtpMailer

__all__ = ["FolderMailer", "Mail", "Mailer", "SmtpMailer"]
