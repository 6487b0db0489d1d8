"""The texts that all pages of the console share: its menu, its lists, and what is said after a change."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "console": Translated("Consola", "Console", "Console"),
    "menu": Translated("Menú", "Menu", "Menu"),
    "log_out": Translated("Salir", "Log out", "Sair"),
    "home": Translated("Pendientes", "Queues", "Pendências"),
    "emergencies": Translated("Emergencias", "Emergencies", "Emergências"),
    "jobs": Translated("Trabajos", "Jobs", "Tarefas"),
    "alarms": Translated("Alarmas", "Alarms", "Alarmes"),
    "people": Translated("Personas", "People", "Pessoas"),
    "institutions": Translated("Instituciones", "Institutions", "Instituições"),
    "rules": Translated("Señales y consejos", "Signs and advice", "Sinais e conselhos"),
    "codes": Translated("Códigos", "Codes", "Códigos"),
    "batches": Translated("Lotes", "Batches", "Lotes"),
    "services": Translated("Servicios", "Services", "Serviços"),
    "buttons": Translated("Botones", "Buttons", "Botões"),
    "projects": Translated("Proyectos", "Projects", "Projetos"),
    "subscriptions": Translated("Suscripciones", "Subscriptions", "Assinaturas"),
    "roster": Translated("Nóminas", "Rosters", "Listas"),
    "changes": Translated("Cambios", "Changes", "Mudanças"),
    "apply_filters": Translated("Buscar", "Search", "Buscar"),
    "search": Translated("Buscar", "Search", "Buscar"),
    "all": Translated("Todos", "All", "Todos"),
    "actions": Translated("Acciones", "Actions", "Ações"),
    "pages": Translated("Páginas", "Pages", "Páginas"),
    "first_page": Translated("Primera página", "First page", "Primeira página"),
    "next_page": Translated("Página siguiente", "Next page", "Próxima página"),
    "nothing_found": Translated(
        "Nada coincide. Quite un filtro o busque otra cosa.",
        "Nothing matches. Remove a filter or search for something else.",
        "Nada coincide. Tire um filtro ou busque outra coisa.",
    ),
    "cancel": Translated("No, volver", "No, go back", "Não, voltar"),
    "go_back": Translated("Volver", "Back", "Voltar"),
    "save": Translated("Guardar", "Save", "Salvar"),
    "edit": Translated("Cambiar", "Change", "Alterar"),
    "yes": Translated("Sí", "Yes", "Sim"),
    "no": Translated("No", "No", "Não"),
    "cannot_be_undone": Translated(
        "Esto no se puede deshacer.", "This cannot be undone.", "Isto não pode ser desfeito."
    ),
    "done_saved": Translated("Se guardó.", "Saved.", "Foi salvo."),
    "done_unchanged": Translated(
        "No había nada que cambiar.", "There was nothing to change.", "Não havia o que mudar."
    ),
}
