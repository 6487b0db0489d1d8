"""The texts of the page that says whether a carnet is genuine."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "issued_title": Translated("Carnet válido", "Valid card", "Carteira válida"),
    "issued_lead": Translated(
        "Compare las iniciales y la serie con las del carnet.",
        "Compare the initials and the serial with those on the card.",
        "Compare as iniciais e a série com as da carteira.",
    ),
    "revoked_title": Translated("Carnet anulado", "Revoked card", "Carteira anulada"),
    "revoked_lead": Translated(
        "Su titular lo anuló. No lo acepte como válido.",
        "Its holder revoked it. Do not accept it as valid.",
        "O titular a anulou. Não a aceite como válida.",
    ),
    "expired_title": Translated("Carnet vencido", "Expired card", "Carteira vencida"),
    "expired_lead": Translated(
        "Pasó su fecha. Su titular puede emitir otro.",
        "Its date is over. Its holder can issue another.",
        "A data passou. O titular pode emitir outra.",
    ),
    "unknown_title": Translated("No conocemos ese carnet", "We do not know that card", "Não conhecemos essa carteira"),
    "unknown_lead": Translated(
        "Revise el número impreso. Si está bien escrito, el carnet no es nuestro.",
        "Check the printed number. If it is typed as printed, the card is not ours.",
        "Confira o número impresso. Se está bem escrito, a carteira não é nossa.",
    ),
    "serial": Translated("Serie", "Serial", "Série"),
    "initials": Translated("Iniciales", "Initials", "Iniciais"),
    "issuer": Translated("Institución", "Institution", "Instituição"),
    "issued_on": Translated("Emitido", "Issued", "Emitida"),
    "expires_on": Translated("Válido hasta", "Valid until", "Válida até"),
    "nothing_medical": Translated(
        "Esta página no muestra datos médicos. En una emergencia, escanee el QR del carnet.",
        "This page shows no medical data. In an emergency, scan the card's QR.",
        "Esta página não mostra dados médicos. Em emergência, escaneie o QR da carteira.",
    ),
}
