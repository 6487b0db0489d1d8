"""The texts of the pages on which stop signs and advice are withdrawn."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "rules_lead": Translated(
        "Lo que se le dice a quien escanea. Lo que retire deja de mostrarse en el próximo escaneo, en toda máquina.",
        "What whoever scans is told. What you withdraw is no longer shown from the next scan on, on every machine.",
        "O que se diz a quem escaneia. O que você retirar deixa de aparecer no próximo escaneamento, em toda máquina.",
    ),
    "rules_none": Translated("No hay ninguno.", "There are none.", "Não há nenhum."),
    "rules_search": Translated("Palabras o nombre", "Words or name", "Palavras ou nome"),
    "kind": Translated("Qué es", "What it is", "O que é"),
    "kind_sign": Translated("señal de alto", "stop sign", "sinal de alerta"),
    "kind_advice": Translated("consejo", "advice", "conselho"),
    "rule": Translated("Nombre", "Name", "Nome"),
    "words": Translated("Palabras", "Words", "Palavras"),
    "state": Translated("Estado", "State", "Estado"),
    "state_shown": Translated("se muestra", "shown", "aparece"),
    "state_withdrawn": Translated("retirado", "withdrawn", "retirado"),
    "state_unknown": Translated(
        "esta versión ya no lo tiene", "this version no longer has it", "esta versão não o tem mais"
    ),
    "withdraw": Translated("Retirar", "Withdraw", "Retirar"),
    "restore": Translated("Volver a mostrar", "Show again", "Voltar a mostrar"),
    "withdraw_how": Translated(
        "Nadie más lo verá desde el próximo escaneo. Los datos de la ficha se siguen mostrando en su sección.",
        "Nobody sees it any more from the next scan on. The facts of a record are still shown in their section.",
        "Ninguém mais o verá a partir do próximo escaneamento. Os dados da ficha continuam aparecendo na sua seção.",
    ),
    "withdraw_printed": Translated(
        "Lo que ya está impreso no cambia. La copia que guardó un teléfono cambia cuando vuelve a tener red.",
        "What is printed does not change. A copy that a phone kept changes when it has a network again.",
        "O que já está impresso não muda. A cópia que um telefone guardou muda quando tiver rede de novo.",
    ),
    "restore_how": Translated(
        "Se mostrará otra vez desde el próximo escaneo.",
        "It is shown again from the next scan on.",
        "Aparecerá de novo a partir do próximo escaneamento.",
    ),
    "field_motivo": Translated("Motivo", "Reason", "Motivo"),
    "hint_motivo": Translated(
        "Queda escrito con su nombre. Nada sobre una persona.",
        "It is kept with your name. Nothing about a person.",
        "Fica escrito com o seu nome. Nada sobre uma pessoa.",
    ),
    "history": Translated("Cuándo estuvo retirado", "When it was withdrawn", "Quando esteve retirado"),
    "from": Translated("Desde", "From", "Desde"),
    "until": Translated("Hasta", "Until", "Até"),
    "changes_numbered": Translated("Cambios", "Changes", "Mudanças"),
    "why": Translated("Motivo", "Reason", "Motivo"),
    "who": Translated("Quién", "Who", "Quem"),
    "done_withdrawn": Translated(
        "Retirado: ya no se muestra.", "Withdrawn: it is no longer shown.", "Retirado: não aparece mais."
    ),
    "done_restored": Translated("Se muestra otra vez.", "It is shown again.", "Aparece de novo."),
}
