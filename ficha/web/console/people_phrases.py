"""The texts of the pages about people and their roles."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "people_lead": Translated(
        "Cuentas y roles. Lo que hay en una ficha no se ve aquí.",
        "Accounts and roles. What a record holds is not seen here.",
        "Contas e papéis. O que há em uma ficha não se vê aqui.",
    ),
    "people_search": Translated("Nombre, correo o número", "Name, e-mail or number", "Nome, e-mail ou número"),
    "people_none": Translated("Todavía no hay cuentas.", "There are no accounts yet.", "Ainda não há contas."),
    "number": Translated("Número", "Number", "Número"),
    "name": Translated("Nombre", "Name", "Nome"),
    "correo": Translated("Correo", "E-mail", "E-mail"),
    "role": Translated("Rol", "Role", "Papel"),
    "roles": Translated("Roles", "Roles", "Papéis"),
    "created": Translated("Desde", "Since", "Desde"),
    "sessions": Translated("Sesiones", "Sessions", "Sessões"),
    "role_owner": Translated("titular", "owner", "titular"),
    "role_staff": Translated("personal", "staff", "equipe"),
    "role_admin": Translated("administración", "administration", "administração"),
    "role_institution": Translated("institución", "institution", "instituição"),
    "role_medical": Translated("salud", "medical", "saúde"),
    "role_grant": Translated("Dar rol", "Grant role", "Dar papel"),
    "role_withdraw": Translated("Quitar rol", "Withdraw role", "Retirar papel"),
    "role_withdraw_ask": Translated(
        "¿Quitar el rol {role} a {name}?", "Withdraw the role {role} from {name}?", "Retirar o papel {role} de {name}?"
    ),
    "role_withdraw_how": Translated(
        "Deja de poder usarlo en su próximo paso. Queda anotado con su nombre.",
        "It can no longer be used from the next step on. It is written down with your name.",
        "Deixa de poder usá-lo no próximo passo. Fica anotado com o seu nome.",
    ),
    "role_none": Translated("No tiene roles.", "No roles.", "Não tem papéis."),
    "done_granted": Translated("Se dio el rol.", "The role was granted.", "O papel foi dado."),
    "done_withdrawn": Translated("Se quitó el rol.", "The role was withdrawn.", "O papel foi retirado."),
}
