"""What is said by the viewer that needs no network. Its script carries all three languages."""

from ficha.fmd.responder.phrases import NUMBER_UNKNOWN
from ficha.fmd.responder.view import NoSigns
from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.sticker.page_phrases import PHRASES as PAGE

PHRASES: Phrases = {
    "number_unknown": NUMBER_UNKNOWN,
    "title": Translated("Ficha sin conexión", "Record without a network", "Ficha sem conexão"),
    "lead": Translated(
        "Esta página lee el QR de una etiqueta cuando no hay red. Escanéelo con la cámara del teléfono.",
        "This page reads the QR of a sticker when there is no network. Scan it with the phone's camera.",
        "Esta página lê o QR de uma etiqueta quando não há rede. Escaneie-o com a câmera do telefone.",
    ),
    "kept": Translated(
        "Guardada en este teléfono: se abre sin conexión.",
        "Kept on this phone: it opens without a network.",
        "Guardada neste telefone: abre sem conexão.",
    ),
    "no_scripts": Translated(
        "Este navegador no puede leer el QR sin conexión",
        "This browser cannot read the QR without a network",
        "Este navegador não consegue ler o QR sem conexão",
    ),
    "no_scripts_why": Translated(
        "La página necesita JavaScript. Actívelo, o abra el enlace del QR cuando haya red. "
        "Si hay peligro, llame al 112 o al número de emergencias del lugar.",
        "The page needs JavaScript. Turn it on, or open the QR's link when there is a network. "
        "If somebody is in danger, call 112 or the local emergency number.",
        "A página precisa de JavaScript. Ative-o, ou abra o link do QR quando houver rede. "
        "Se houver perigo, ligue para o 112 ou para o número de emergência local.",
    ),
    "nameless": Translated("Nombre no compartido", "Name not shared", "Nome não compartilhado"),
    "years": Translated("{count} años", "{count} years", "{count} anos"),
    "one_year": Translated("1 año", "1 year", "1 ano"),
    "months": Translated("{count} meses", "{count} months", "{count} meses"),
    "one_month": Translated("1 mes", "1 month", "1 mês"),
    "signed": Translated(
        "Firmado el {date}. Puede haber cambiado desde entonces.",
        "Signed on {date}. It may have changed since.",
        "Assinado em {date}. Pode ter mudado desde então.",
    ),
    "stops": Translated("Señales de alto", "Stop signs", "Sinais de alerta"),
    # As on the other pages, and for a sticker that does not say why it has no sign.
    **{f"no_signs_{why}": PAGE[f"no_signs_{why}"] for why in NoSigns if why is not NoSigns.NOT_JUDGED},
    "no_signs_not_judged": Translated(
        "Hay datos sin evaluar que pueden ser importantes y no cupieron en el QR.",
        "There is data that was not assessed, may be important and did not fit in the QR.",
        "Há dados não avaliados que podem ser importantes e não couberam no QR.",
    ),
    "no_signs_unsaid": Translated(
        "El QR no nombra alertas graves; puede haberlas.",
        "The QR names no serious alerts; there may be some.",
        "O QR não menciona alertas graves; pode haver.",
    ),
    "unjudged": Translated(
        "Sin evaluar, puede ser importante", "Not assessed, may be important", "Não avaliado, pode ser importante"
    ),
    "plans": Translated("Qué hacer, según la persona", "What to do, by the person", "O que fazer, segundo a pessoa"),
    "advice": Translated(
        "Consejos generales de primeros auxilios",
        "General first-aid advice",
        "Conselhos gerais de primeiros socorros",
    ),
    "others": Translated("Otros datos", "Other data", "Outros dados"),
    "dont": Translated("No:", "Do not:", "Não:"),
    "staff": Translated("Personal de salud:", "Health staff:", "Equipe de saúde:"),
    "call": Translated("Llamar", "Call", "Ligar"),
    "emergency": Translated("Llamar a emergencias", "Call emergency services", "Ligar para a emergência"),
    "allergies": Translated("Alergias graves", "Severe allergies", "Alergias graves"),
    "unknown": Translated(
        "Alergias de gravedad desconocida", "Allergies of unknown severity", "Alergias de gravidade desconhecida"
    ),
    "conditions": Translated("Condiciones", "Conditions", "Condições"),
    "directive": Translated("Voluntad anticipada", "Advance directive", "Diretiva antecipada"),
    "directive_why": Translated(
        "La valora el personal de salud. Si usted no lo es, ayude: si no respira, empiece la reanimación.",
        "Health staff weigh it. If you are not one of them, help: if there is no breathing, start CPR.",
        "É avaliada por profissionais de saúde. Se você não é um deles, ajude: se não respira, inicie a reanimação.",
    ),
    "medicines": Translated(
        "Medicinas que no se suspenden sin consultar",
        "Medicines not to stop without asking",
        "Medicamentos que não se suspendem sem consultar",
    ),
    "more": Translated(
        "No cupo todo en el QR: hay más datos en línea.",
        "Not everything fitted in the QR: there is more online.",
        "Nem tudo coube no QR: há mais dados on-line.",
    ),
    "more_count": Translated(
        "No cupo todo en el QR: hay {count} datos más en línea.",
        "Not everything fitted in the QR: there are {count} more online.",
        "Nem tudo coube no QR: há mais {count} dados on-line.",
    ),
    "one_more": Translated(
        "No cupo todo en el QR: hay 1 dato más en línea.",
        "Not everything fitted in the QR: there is 1 more online.",
        "Nem tudo coube no QR: há mais 1 dado on-line.",
    ),
    "online": Translated("Abrir la ficha al día", "Open the current record", "Abrir a ficha atualizada"),
    "online_why": Translated("necesita red", "needs a network", "precisa de rede"),
    "code": Translated("Código {code}", "Code {code}", "Código {code}"),
    "as_written": Translated(
        "Lo que la persona escribió con sus palabras se muestra como lo escribió.",
        "What was written in somebody's own words is shown as it was written.",
        "O que foi escrito com palavras próprias é mostrado como foi escrito.",
    ),
    "refused": Translated("No mostramos estos datos", "We do not show this data", "Não mostramos estes dados"),
    "unreadable": Translated(
        "El QR está dañado o incompleto. Escanéelo otra vez, con más luz y de frente.",
        "The QR is damaged or incomplete. Scan it again, straight on and with more light.",
        "O QR está danificado ou incompleto. Escaneie-o de novo, de frente e com mais luz.",
    ),
    "huge": Translated(
        "El enlace es demasiado largo para ser de una etiqueta nuestra.",
        "The link is too long to come from a sticker of ours.",
        "O link é longo demais para ser de uma etiqueta nossa.",
    ),
    "altered": Translated(
        "La firma no corresponde: alguien alteró los datos, o no son nuestros. No confíe en ellos.",
        "The signature does not fit: somebody altered the data, or it is not ours. Do not trust it.",
        "A assinatura não confere: alguém alterou os dados, ou eles não são nossos. Não confie neles.",
    ),
    "key_unknown": Translated(
        "Este teléfono no conoce la llave que firmó el QR, así que no puede comprobarlo. "
        "Conéctese un momento y vuelva a abrirlo.",
        "This phone does not know the key that signed the QR, so it cannot check it. "
        "Connect for a moment and open it again.",
        "Este telefone não conhece a chave que assinou o QR, então não pode verificá-lo. "
        "Conecte-se por um momento e abra-o de novo.",
    ),
    "newer": Translated(
        "El QR es más nuevo que esta página. Conéctese un momento y vuelva a abrirlo.",
        "The QR is newer than this page. Connect for a moment and open it again.",
        "O QR é mais novo que esta página. Conecte-se por um momento e abra-o de novo.",
    ),
    "too_old": Translated(
        "Este navegador es demasiado antiguo para comprobar la firma. Pruebe con otro, o con red.",
        "This browser is too old to check the signature. Try another one, or with a network.",
        "Este navegador é antigo demais para verificar a assinatura. Tente outro, ou com rede.",
    ),
    "incomplete": Translated(
        "La página no está completa en este teléfono. Ábrala una vez con conexión.",
        "The page is not complete on this phone. Open it once with a network.",
        "A página não está completa neste telefone. Abra-a uma vez com conexão.",
    ),
}
