"""The mail of an institution's invitation, in the reader's language. It says nothing about health."""

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText

INVITATION = {
    Idioma.ES: MailText(
        "{institucion} preparó una ficha de emergencia",
        "Hola.\n\n{institucion} preparó una ficha de emergencia para {persona}. Si usted es esa persona o responde por "
        "ella, abra este enlace para que la ficha sea suya y para decidir qué puede ver la institución. "
        "Mientras usted no decida, no ve nada. El enlace sirve durante 30 días:\n\n{enlace}\n\n"
        "Si no conoce a esa persona, no haga nada.\n",
    ),
    Idioma.EN: MailText(
        "{institucion} has prepared an emergency record",
        "Hello.\n\n{institucion} has prepared an emergency record for {persona}. If you are that person or answer for "
        "her, open this link to make the record yours and to decide what the institution may see. "
        "Until you decide, it sees nothing. The link works for 30 days:\n\n{enlace}\n\n"
        "If you do not know this person, do nothing.\n",
    ),
    Idioma.PT: MailText(
        "{institucion} preparou uma ficha de emergência",
        "Olá.\n\n{institucion} preparou uma ficha de emergência para {persona}. Se você é essa pessoa ou responde por "
        "ela, abra este link para que a ficha seja sua e para decidir o que a instituição pode ver. "
        "Enquanto você não decidir, ela não vê nada. O link vale por 30 dias:\n\n{enlace}\n\n"
        "Se você não conhece essa pessoa, não faça nada.\n",
    ),
}
