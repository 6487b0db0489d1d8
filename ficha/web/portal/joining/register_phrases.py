"""The texts of joining: the account, then the first questions."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.account import clave_phrases, login_phrases

# What the record's `relacion` is on the wire, and its words.
RELATIONS = (
    ("titular", Translated("La ficha es mía", "The record is mine", "A ficha é minha")),
    ("madre", Translated("Soy su madre", "I am her or his mother", "Sou a mãe")),
    ("padre", Translated("Soy su padre", "I am her or his father", "Sou o pai")),
    ("hija", Translated("Soy su hija", "I am her or his daughter", "Sou a filha")),
    ("hijo", Translated("Soy su hijo", "I am her or his son", "Sou o filho")),
    ("pareja", Translated("Soy su pareja", "I am her or his partner", "Sou o par")),
    ("cuidador", Translated("Le cuido", "I take care of her or him", "Cuido da pessoa")),
)

PHRASES: Phrases = {
    "register_title": Translated("Cree su cuenta", "Create your account", "Crie a sua conta"),
    "register_step": Translated("Paso 1 de 3", "Step 1 of 3", "Passo 1 de 3"),
    "code": Translated("Código de la etiqueta", "Code of the sticker", "Código da etiqueta"),
    "code_hint": Translated(
        "Déjelo vacío si no tiene una", "Leave it empty if you have none", "Deixe vazio se não tem uma"
    ),
    "code_not_free": Translated(
        "Ese código no existe o ya pertenece a una ficha. Revise lo impreso",
        "That code does not exist or belongs to a record. Check what is printed",
        "Esse código não existe ou já pertence a uma ficha. Confira o impresso",
    ),
    "nombre": Translated("Su nombre", "Your name", "O seu nome"),
    "nombre_wrong": Translated("Escriba su nombre", "Type your name", "Digite o seu nome"),
    "relacion": Translated("¿De quién es la ficha?", "Whose record is it?", "De quem é a ficha?"),
    "relacion_wrong": Translated("Elija de quién es", "Choose whose it is", "Escolha de quem é"),
    "correo": Translated("Su correo", "Your e-mail", "O seu e-mail"),
    "correo_wrong": clave_phrases.PHRASES["correo_wrong"],
    "correo_taken": Translated(
        "Ya hay una cuenta con ese correo. Entre, o pida una clave nueva",
        "There is an account with that address. Log in, or ask for a new password",
        "Já há uma conta com esse e-mail. Entre, ou peça uma nova senha",
    ),
    "cod_telefono": Translated("País", "Country", "País"),
    "telefono": Translated("Su teléfono", "Your phone", "O seu telefone"),
    "telefono_wrong": Translated(
        "Ese número no existe en ese país. Revíselo",
        "That number does not exist in that country. Check it",
        "Esse número não existe nesse país. Confira-o",
    ),
    "clave": Translated("Elija una clave", "Choose a password", "Escolha uma senha"),
    "clave_hint": clave_phrases.PHRASES["clave_hint"],
    "clave_short": clave_phrases.PHRASES["clave_short"],
    "clave_long": clave_phrases.PHRASES["clave_long"],
    "clave_odd": clave_phrases.PHRASES["clave_odd"],
    "too_many": login_phrases.PHRASES["too_many"],
    "page_too_old": login_phrases.PHRASES["page_too_old"],
    "register_button": Translated("Crear la cuenta", "Create the account", "Criar a conta"),
    "have_account": Translated("Ya tengo una cuenta", "I have an account", "Já tenho uma conta"),
}
