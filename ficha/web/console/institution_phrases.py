"""The texts of the pages about institutions."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "institutions_lead": Translated(
        "Quienes inscriben a otros. Cada una ve solo a su gente.",
        "Who enrols others. Each sees its own people only.",
        "Quem inscreve outras pessoas. Cada uma vê só a sua gente.",
    ),
    "institutions_none": Translated(
        "Todavía no hay instituciones.", "There are no institutions yet.", "Ainda não há instituições."
    ),
    "institutions_search": Translated("Nombre", "Name", "Nome"),
    "number": Translated("Número", "Number", "Número"),
    "name": Translated("Nombre", "Name", "Nome"),
    "slug": Translated("En direcciones", "In addresses", "Em endereços"),
    "is_active": Translated("Abierta", "Open", "Aberta"),
    "created": Translated("Desde", "Since", "Desde"),
    "workers": Translated("Quién trabaja allí", "Who works there", "Quem trabalha lá"),
    "workers_none": Translated("Nadie tiene un rol allí.", "Nobody has a role there.", "Ninguém tem um papel lá."),
    "correo": Translated("Correo", "E-mail", "E-mail"),
    "role": Translated("Rol", "Role", "Papel"),
    "place_admin": Translated("administración", "administration", "administração"),
    "place_staff": Translated("personal", "staff", "equipe"),
    "place_medical": Translated("salud", "medical", "saúde"),
    "members": Translated("Personas inscritas", "Enrolled people", "Pessoas inscritas"),
    "members_none": Translated(
        "Todavía no inscribió a nadie.", "It has enrolled nobody yet.", "Ainda não inscreveu ninguém."
    ),
    "external_id": Translated("Su nombre para la persona", "Its name for the person", "Seu nome para a pessoa"),
    "state": Translated("Estado", "State", "Estado"),
    "member_unclaimed": Translated("sin aceptar", "not accepted yet", "sem aceitar"),
    "member_accepted": Translated("aceptada", "accepted", "aceita"),
    "member_ended": Translated("borrada", "erased", "apagada"),
    "invited": Translated("Invitada", "Invited", "Convidada"),
    "give_institution_role": Translated("Dar un rol allí", "Give a role there", "Dar um papel lá"),
    "field_cuenta": Translated("Número de la cuenta", "Number of the account", "Número da conta"),
    "hint_cuenta": Translated("Está en Personas.", "It stands under People.", "Está em Pessoas."),
    "field_rol": Translated("Rol", "Role", "Papel"),
    "take_institution_role": Translated("Quitar", "Withdraw", "Retirar"),
    "take_ask": Translated(
        "¿Quitar a {name} de {institution}?", "Withdraw {name} from {institution}?", "Retirar {name} de {institution}?"
    ),
    "take_how": Translated(
        "Deja de ver lo de la institución en su próximo paso. Queda anotado con su nombre.",
        "It no longer sees what is the institution's from the next step on. It is written down with your name.",
        "Deixa de ver o que é da instituição no próximo passo. Fica anotado com o seu nome.",
    ),
    "account_unknown": Translated(
        "No hay una cuenta con ese número.", "There is no account with that number.", "Não há conta com esse número."
    ),
    "institutions_new": Translated("Nueva institución", "New institution", "Nova instituição"),
    "institutions_change": Translated("Cambiar la institución", "Change the institution", "Alterar a instituição"),
    "field_slug": Translated("Nombre para direcciones", "Name for addresses", "Nome para endereços"),
    "hint_slug": Translated(
        "Letras minúsculas, cifras y guiones: colegio-san-luis. No se cambia después.",
        "Small letters, digits and hyphens: colegio-san-luis. It does not change later.",
        "Letras minúsculas, números e hifens: colegio-san-luis. Não muda depois.",
    ),
    "field_name": Translated("Nombre", "Name", "Nome"),
    "field_is_active": Translated(
        "Abierta: una cerrada no entra en ninguna parte",
        "Open: a closed one is let in nowhere",
        "Aberta: uma fechada não entra em parte alguma",
    ),
    "rosters": Translated("Nóminas", "Rosters", "Listas"),
    "tokens": Translated("Tokens", "Tokens", "Tokens"),
    "tokens_of": Translated("Tokens de {institution}", "Tokens of {institution}", "Tokens de {institution}"),
    "tokens_none": Translated("No tiene tokens vigentes.", "It has no live tokens.", "Não tem tokens vigentes."),
    "expires": Translated("Vence", "Ends", "Vence"),
    "last_used": Translated("Último uso", "Last used", "Último uso"),
    "token_new": Translated("Nuevo token", "New token", "Novo token"),
    "token_issue": Translated("Emitir token", "Issue token", "Emitir token"),
    "token_once": Translated(
        "Copie este token ahora: no se muestra otra vez.",
        "Copy this token now: it is not shown again.",
        "Copie este token agora: não é mostrado de novo.",
    ),
    "field_days": Translated("Días de vigencia", "Days it is good for", "Dias de validade"),
    "revoke": Translated("Revocar", "Revoke", "Revogar"),
    "revoke_ask": Translated(
        "¿Revocar el token {id} de {institution}?",
        "Revoke token {id} of {institution}?",
        "Revogar o token {id} de {institution}?",
    ),
    "revoke_how": Translated(
        "Los programas que lo usan dejan de entrar enseguida.",
        "Programs that use it are no longer let in, at once.",
        "Os programas que o usam deixam de entrar na hora.",
    ),
    "done_revoked": Translated("Se revocó.", "It was revoked.", "Foi revogado."),
    "doubts": Translated("Dudas de las nóminas", "Doubts of rosters", "Dúvidas das listas"),
    "doubts_lead": Translated(
        "Filas de las nóminas de {institution} que pueden ser de alguien ya inscrito.",
        "Rows of the rosters of {institution} that may be about somebody who is enrolled.",
        "Linhas das listas de {institution} que podem ser de alguém já inscrito.",
    ),
    "doubts_none": Translated("Ninguna fila deja dudas.", "No row leaves a doubt.", "Nenhuma linha deixa dúvida."),
    "row": Translated("Fila", "Row", "Linha"),
    "enrolled_as": Translated("Ya inscrita como", "Enrolled as", "Já inscrita como"),
    "why": Translated("Por qué", "Why", "Por quê"),
    "decide": Translated("Decidir", "Decide", "Decidir"),
    "doubt_title": Translated(
        "Fila {row}: ¿es la misma persona?", "Row {row}: the same person?", "Linha {row}: é a mesma?"
    ),
    "is_same": Translated("Es la misma", "It is the same", "É a mesma"),
    "is_other": Translated("Es otra", "It is another", "É outra"),
    "done_decided": Translated(
        "Se decidió, y la fila se cumplió.",
        "Decided, and the row was carried out.",
        "Decidido, e a linha foi cumprida.",
    ),
    "done_not_enrolled": Translated(
        "Se decidió. No se inscribió a nadie: la fila necesita un nombre propio para esa persona.",
        "Decided. Nobody was enrolled: the row needs a name of its own for that person.",
        "Decidido. Ninguém foi inscrito: a linha precisa de um nome próprio para essa pessoa.",
    ),
    "done_given": Translated("Se dio el rol.", "The role was given.", "O papel foi dado."),
    "done_taken": Translated("Se quitó el rol.", "The role was withdrawn.", "O papel foi retirado."),
}
