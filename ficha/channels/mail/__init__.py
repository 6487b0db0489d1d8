"""Mail, by SMTP or into a folder."""

from ficha.channels.mail.folder import FolderMailer
from ficha.channels.mail.message import Mail, Mailer
from ficha.channels.mail.smtp import SmtpMailer

__all__ = ["FolderMailer", "Mail", "Mailer", "SmtpMailer"]
