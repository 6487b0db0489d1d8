"""The texts of the pages about services and navigation buttons."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

COMMON: Phrases = {
    "number": Translated("Número", "Number", "Número"),
    "search_name": Translated("Nombre", "Name", "Nome"),
    "field_external_id": Translated("Nombre para direcciones", "Name for addresses", "Nome para endereços"),
    "hint_external_id": Translated(
        "Letras minúsculas, cifras y guiones: ambulancias.",
        "Small letters, digits and hyphens: ambulancias.",
        "Letras minúsculas, números e hifens: ambulancias.",
    ),
    "field_is_active": Translated("Se muestra al público", "Shown to the public", "Mostra-se ao público"),
}

SERVICES: Phrases = {
    **COMMON,
    "lead": Translated(
        "Lo que una institución o un aliado ofrece, con su aspecto. El público ve los que están activos.",
        "What an institution or partner offers, with its looks. The public sees those that are active.",
        "O que uma instituição ou parceiro oferece, com seu aspecto. O público vê os que estão ativos.",
    ),
    "none": Translated("Todavía no hay servicios.", "There are no services yet.", "Ainda não há serviços."),
    "new": Translated("Nuevo servicio", "New service", "Novo serviço"),
    "change": Translated("Cambiar el servicio", "Change the service", "Alterar o serviço"),
    "field_name": Translated("Nombre", "Name", "Nome"),
    "field_description": Translated("Descripción", "Description", "Descrição"),
    "field_path": Translated("Ruta en el sitio", "Path on the site", "Caminho no site"),
    "hint_path": Translated("Como /ambulancias.", "Such as /ambulancias.", "Como /ambulancias."),
    "field_template": Translated("Plantilla", "Template", "Modelo"),
    "hint_template": Translated(
        "El nombre de su aspecto: general.", "The name of its looks: general.", "O nome do aspecto: general."
    ),
    "field_primary_color": Translated("Color", "Colour", "Cor"),
    "hint_primary_color": Translated("Como #b3261e.", "Such as #b3261e.", "Como #b3261e."),
    "field_logo_url": Translated("Dirección del logotipo", "Address of the logo", "Endereço do logotipo"),
    "field_logo_alt": Translated("Texto del logotipo", "Text of the logo", "Texto do logotipo"),
    "field_qr_code_url": Translated("Dirección del QR", "Address of the QR", "Endereço do QR"),
    "field_qr_code_alt": Translated("Texto del QR", "Text of the QR", "Texto do QR"),
}

BUTTONS: Phrases = {
    **COMMON,
    "lead": Translated(
        "Adónde llevan las páginas y aplicaciones, en el orden en que se muestran.",
        "Where pages and apps lead, in the order in which they are shown.",
        "Aonde levam as páginas e aplicativos, na ordem em que são mostrados.",
    ),
    "none": Translated("Todavía no hay botones.", "There are no buttons yet.", "Ainda não há botões."),
    "new": Translated("Nuevo botón", "New button", "Novo botão"),
    "change": Translated("Cambiar el botón", "Change the button", "Alterar o botão"),
    "field_label": Translated("Texto", "Text", "Texto"),
    "field_url": Translated("Adónde lleva", "Where it leads", "Aonde leva"),
    "hint_url": Translated(
        "Una dirección completa: https://ejemplo.com/ayuda.",
        "A whole address: https://ejemplo.com/ayuda.",
        "Um endereço completo: https://ejemplo.com/ayuda.",
    ),
    "field_service_id": Translated("Servicio", "Service", "Serviço"),
    "field_icon": Translated("Icono", "Icon", "Ícone"),
    "hint_icon": Translated("Su nombre: ambulance.", "Its name: ambulance.", "O nome: ambulance."),
    "field_color": Translated("Color", "Colour", "Cor"),
    "hint_color": Translated("Como #b3261e.", "Such as #b3261e.", "Como #b3261e."),
    "field_position": Translated("Orden", "Order", "Ordem"),
    "hint_position": Translated("Los menores van primero.", "Smaller ones stand first.", "Os menores vêm primeiro."),
}
