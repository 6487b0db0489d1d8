"""The models, in order, and the template types that choose among them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ficha.fmd.base import FmdModel
from ficha.fmd.models.allergies import AlergiasA, AlergiasM
from ficha.fmd.models.body import Cardiologico, Cuerpo
from ficha.fmd.models.choices import Consentimiento, Modulo, Preferencia
from ficha.fmd.models.health import Consideracion, Medicacion, Salud, Vacuna
from ficha.fmd.models.people import Emergencia, Estudiante, PersonalSermed, Poliza, Representante
from ficha.fmd.models.personal import Personal
from ficha.fmd.translations import Translated


class Catalog:
    """The models by their name on the wire."""

    def __init__(self, models: Sequence[type[FmdModel]]) -> None:
        self._models = {model.about.wire: model for model in models}
        assert len(self._models) == len(models), "two models share a name"
        self.names = frozenset(self._models)

    def __iter__(self) -> Iterator[type[FmdModel]]:
        return iter(self._models.values())

    def __len__(self) -> int:
        return len(self._models)

    def find(self, wire: str) -> type[FmdModel] | None:
        return self._models.get(wire)


CATALOG = Catalog(
    (
        Personal,
        AlergiasA,
        AlergiasM,
        Medicacion,
        Salud,
        Cardiologico,
        Cuerpo,
        Vacuna,
        Emergencia,
        Consideracion,
        Consentimiento,
        Representante,
        Estudiante,
        PersonalSermed,
        Poliza,
        Preferencia,
        Modulo,
    )
)


@dataclass(frozen=True)
class RecordTemplate:
    """A kind of record: which modules are on, in the order in which the form asks for them."""

    title: Translated
    modules: tuple[str, ...]

    def switches(self, catalog: Catalog = CATALOG) -> dict[str, bool]:
        """What `modulo.modulos` becomes when this template is chosen."""
        return {model.about.wire: model.about.wire in self.modules for model in catalog}


def _template(title: Translated, modules: str) -> RecordTemplate:
    """Everybody is asked who they are first, and at the end who may see it."""
    return RecordTemplate(title, ("personal", *modules.split(), "consentimiento", "preferencia", "modulo"))


TEMPLATES: Mapping[str, RecordTemplate] = {
    "general": _template(
        Translated("General", "General", "Geral"),
        "emergencia alergiasm alergiasa medicacion salud cardiologico cuerpo consideracion vacuna personalsermed"
        " poliza",
    ),
    "estudiante": _template(
        Translated("Estudiante", "Student", "Estudante"),
        "representante emergencia alergiasa alergiasm medicacion salud consideracion estudiante cuerpo vacuna"
        " personalsermed poliza",
    ),
    "adulto_mayor": _template(
        Translated("Adulto mayor", "Older adult", "Pessoa idosa"),
        "emergencia medicacion salud cardiologico alergiasm alergiasa consideracion cuerpo personalsermed poliza"
        " representante vacuna",
    ),
    "deportista": _template(
        Translated("Deportista", "Athlete", "Atleta"),
        "emergencia alergiasm alergiasa salud cardiologico medicacion cuerpo poliza",
    ),
    "viajero": _template(
        Translated("Viajero", "Traveller", "Viajante"),
        "emergencia alergiasm alergiasa medicacion salud vacuna poliza cuerpo cardiologico consideracion",
    ),
    "embarazo": _template(
        Translated("Embarazo", "Pregnancy", "Gravidez"),
        "salud emergencia alergiasm alergiasa medicacion cuerpo personalsermed vacuna poliza cardiologico",
    ),
}


def form_order(template: RecordTemplate, with_data: frozenset[str], catalog: Catalog = CATALOG) -> list[str]:
    """The template's modules, then the others that hold data: a template hides nothing that was saved."""
    others = [model.about.wire for model in catalog if model.about.wire in with_data]
    return list(dict.fromkeys([*(name for name in template.modules if name in catalog.names), *others]))
