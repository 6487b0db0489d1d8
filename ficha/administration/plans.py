"""The plans that there are, and what each of them allows: one table. It limits what is made anew, never what is read,
who is alerted, or a sticker that exists."""

from collections.abc import Mapping
from typing import NamedTuple

from ficha.core.errors import FichaError, Source
from ficha.fmd.translations import Translated


class Allowance(NamedTuple):
    """How much an account may have when it makes something new. What it has already stays, however much it is."""

    # That one account opens, each with its own code; never more than FICHA_ACCOUNT_RECORDS.
    records: int
    # Live ones, of one record.
    stickers: int
    # Who may open one record besides its owner, invitations included; institutions are not counted.
    people: int


class SubscriptionPlan(NamedTuple):
    """Without trial days it begins when it is paid for. `price` is a text: nothing is charged here."""

    name: str
    title: Translated
    about: Translated
    price: Translated
    trial_days: int
    period_days: int
    allows: Allowance


# What every account has without asking for it, and after a plan has ended.
BASE = SubscriptionPlan(
    "basico",
    Translated("Básico", "Basic", "Básico"),
    Translated("Lo que tiene toda cuenta.", "What every account has.", "O que toda conta tem."),
    Translated("Gratis", "Free", "Grátis"),
    trial_days=0,
    period_days=0,
    allows=Allowance(records=8, stickers=10, people=10),
)
# Those that can be asked for, by name.
PLANS: Mapping[str, SubscriptionPlan] = {
    plan.name: plan
    for plan in (
        SubscriptionPlan(
            "personal",
            Translated("Personal", "Personal", "Pessoal"),
            Translated(
                "Más etiquetas y más personas para cada ficha.",
                "More stickers and more people for each record.",
                "Mais etiquetas e mais pessoas para cada ficha.",
            ),
            Translated("2 USD al mes", "USD 2 a month", "US$ 2 por mês"),
            trial_days=0,
            period_days=30,
            allows=Allowance(records=8, stickers=20, people=20),
        ),
        SubscriptionPlan(
            "familiar",
            Translated("Familiar", "Family", "Familiar"),
            Translated("Fichas para toda la familia.", "Records for the whole family.", "Fichas para toda a família."),
            Translated("5 USD al mes", "USD 5 a month", "US$ 5 por mês"),
            trial_days=30,
            period_days=30,
            allows=Allowance(records=12, stickers=20, people=20),
        ),
        SubscriptionPlan(
            "cuidador",
            Translated("Cuidador", "Carer", "Cuidador"),
            Translated(
                "Para quien cuida de muchas personas.",
                "For whoever looks after many people.",
                "Para quem cuida de muitas pessoas.",
            ),
            Translated("80 USD al año", "USD 80 a year", "US$ 80 por ano"),
            trial_days=30,
            period_days=365,
            allows=Allowance(records=20, stickers=30, people=40),
        ),
    )
}


class UnknownPlan(FichaError):
    status = 422
    code = "plan_desconocido"
    message = "No hay un plan con ese nombre que se pueda pedir. Vea la lista de planes."
    source = Source("pointer", "/plan")


def plan_named(name: str) -> SubscriptionPlan:
    """One that can be asked for. Raises UnknownPlan."""
    if name not in PLANS:
        raise UnknownPlan
    return PLANS[name]


def title_of(name: str) -> Translated:
    """Also of a plan that there is no longer."""
    return PLANS[name].title if name in PLANS else Translated(name, name, name)
