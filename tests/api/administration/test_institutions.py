"""An institution enrols a person, her guardian accepts and decides what it sees; another institution learns nothing."""

import json
import re
from collections import Counter

import pytest
from sqlalchemy import select, update

from ficha.accounts.accounts import Role
from ficha.administration.admin_changes import OPERATOR
from ficha.audit.chain import AuditEntry
from ficha.institutions.consents import CONSENT_VERSION, Consent
from ficha.institutions.institution import Institution, InstitutionRole, give_institution_role
from ficha.institutions.members import Member, find_members, lookups_of
from ficha.messaging.tables import Message
from tests.api.administration.institutions import (
    PERSONAL,
    PUPIL,
    REPRESENTANTE,
    Site,
    mailed_token,
    new_institution,
    new_person,
)
from tests.web.portal.page_session import logged_in
from tests.world import CLAVE, Person, World


@pytest.fixture
def school(world: World) -> Site:
    return new_institution(world, "colegio-san-luis")


@pytest.fixture
def other(world: World) -> Site:
    return new_institution(world, "otro-colegio")


def bare(text: str) -> str:
    """Without the time of the answer."""
    return re.sub(r'"timestamp":"[^"]+"', "", text)


def accepted(world: World, school: Site, guardian: Person, **decision: object) -> dict[str, object]:
    assert school.enrol().status_code == 200
    body = {"token": mailed_token(world), "ve": True} | decision
    answer = guardian.post("/v2/institutions/accept", body)
    assert answer.status_code == 200, answer.text
    data: dict[str, object] = answer.json()["data"]["attributes"]
    return data


def test_a_person_is_enrolled_once(world: World, school: Site) -> None:
    made = school.enrol()
    assert (made.status_code, made.json()["meta"]["status"]) == (200, 200)
    data = made.json()["data"]
    assert re.fullmatch("[2-9A-Z]{6}", data["attributes"].pop("bp_code"))
    attributes = {"estado": "unclaimed", "consentimiento": None}
    assert data == {"type": "institution_user", "id": "2026-0117", "attributes": attributes}
    before = world.rows()
    again = school.enrol()
    assert again.status_code == 200 and again.json()["data"] == made.json()["data"]
    assert world.rows() == before
    changed = school.enrol(estudiante={"grado": "4.º año"})
    assert changed.status_code == 200 and changed.json()["data"] == made.json()["data"]


def test_whether_a_correo_has_an_account_is_told_to_nobody(world: World, school: Site) -> None:
    known = world.register()
    answers = [
        school.enrol(external_id="x", representante=REPRESENTANTE | {"correo": correo})
        for correo in (known.correo, "nadie@ejemplo.com")
    ]
    first, second = (bare(re.sub(r'"bp_code":"\w+"', "", answer.text)) for answer in answers)
    assert [answer.status_code for answer in answers] == [200, 200]
    assert first == second


def test_the_guardian_accepts_and_decides(world: World, school: Site) -> None:
    maria = new_person(world)
    given = accepted(world, school, maria, ve=False)
    code = given["bp_code"]
    assert given["consentimiento"] == {
        "version": CONSENT_VERSION,
        "ve": False,
        "edita": False,
        "desde": world.clock.now().isoformat(),
    }
    me = maria.get("/v2/auth/me").json()["data"]["attributes"]
    assert me["bp_codes"] == [code]
    assert maria.get(f"/v2/fmd/{code}").json()["data"]["attributes"]["relacion"] == "madre"
    read = maria.get(f"/v2/fmd/{code}/estudiante").json()["data"]["attributes"]["data"]
    assert read["autorizados_retirar"][0]["fuente"] == "institucion"
    path = f"/v2/fmd/{code}/estudiante"
    assert school.service.get(path).status_code == 404
    consent = "/v2/institutions/colegio-san-luis/consent"
    assert maria.put(consent, {"code": code, "ve": True}).status_code == 200
    assert school.service.get(path).status_code == 200
    assert school.service.put(path, {"grado": "5"}).status_code == 403
    assert school.enrol().json()["data"]["attributes"]["estado"] == "accepted"
    assert maria.put(consent, {"code": code, "ve": False}).status_code == 200
    assert school.service.get(path).status_code == 404
    [listed] = maria.get("/v2/institutions").json()["data"]
    assert (listed["id"], listed["attributes"]["consentimiento"]["ve"]) == ("colegio-san-luis", False)
    with world.parts.database.reading() as tx:
        decisions = tx.orm.scalars(select(Consent).order_by(Consent.id)).all()
        entries = tx.orm.scalars(select(AuditEntry).where(AuditEntry.record_id == given["fmd_code"])).all()
    assert [(each.sees, each.version, each.account_id) for each in decisions] == [
        (False, CONSENT_VERSION, maria.id),
        (True, CONSENT_VERSION, maria.id),
        (False, CONSENT_VERSION, maria.id),
    ]
    noted = [entry.action for entry in entries]
    assert noted.count("access.granted") == 1 and "record.accepted" in noted


def test_an_accepted_record_is_changed_only_with_consent(world: World, school: Site) -> None:
    maria = new_person(world)
    code = accepted(world, school, maria)["bp_code"]
    path = f"/v2/fmd/{code}/estudiante"
    school.enrol(estudiante={"grado": "4"})
    assert maria.get(path).json()["data"]["attributes"]["data"]["grado"] == "3.er año"
    maria.put("/v2/institutions/colegio-san-luis/consent", {"code": code, "ve": True, "edita": True})
    school.enrol(estudiante={"grado": "5"})
    assert maria.get(path).json()["data"]["attributes"]["data"]["grado"] == "5"


def test_its_own_list_holds_what_it_gave_and_nothing_that_the_record_says(world: World, school: Site) -> None:
    """She lets it change her record, and hides who she is and who answers for her."""
    maria, nurse = new_person(world), world.register()
    code = accepted(world, school, maria, edita=True)["bp_code"]
    hidden = {"nombres": "Lucía", "apellidos": "Rojas", "documento_numero": "V-7.654.321"}
    father = {"nombre": "Luis Rojas", "relacion": "padre", "correo": "luis.rojas@ejemplo.com"}
    consent = {"visibilidad": {"personal": "P", "representante": "P"}}
    body = {"personal": hidden, "representante": father, "consentimiento": consent}
    assert maria.client.patch(f"/v2/fmd/{code}", json=body, headers=maria.headers).status_code == 200
    moved = {"external_id": PUPIL["external_id"], "estudiante": {"grado": "4.º año"}}
    assert school.service.post(f"/v1/{school.facts.slug}/user", moved).status_code == 200
    with world.parts.database.writing() as tx:
        give_institution_role(tx, school.facts, nurse.id, InstitutionRole.STAFF, OPERATOR, world.clock.now())
    page = logged_in(world, nurse).get(f"/centros/{school.facts.slug}/personas/{code}").text
    assert "Ana Lucía Pérez" in page and "4.º año" in page
    assert not any(each in page for each in ("Lucía Rojas", "Luis Rojas", "luis.rojas"))
    guess = lookups_of(
        world.parts.secrets, school.facts.id, documento=hidden["documento_numero"], correo=None, telefono_e164=None
    )
    with world.parts.database.reading() as tx:
        assert find_members(tx, school.facts.id, [guess]) == [], "nor does the roster find her by it"


def test_two_addresses_in_turn_are_invited_no_more_often_than_one(world: World, school: Site) -> None:
    for turn in range(12):
        correo = f"{('uno', 'otra')[turn % 2]}@ejemplo.com"
        assert school.enrol(representante=REPRESENTANTE | {"correo": correo}).status_code == 200
        world.run_jobs()
    assert Counter(mail.to for mail in world.mails()) == {"uno@ejemplo.com": 3, "otra@ejemplo.com": 2}
    world.clock.move(days=1)
    school.enrol(representante=REPRESENTANTE | {"correo": "bien@ejemplo.com"})
    world.run_jobs()
    assert world.mails()[0].to == "bien@ejemplo.com", "the right one is asked the next day"


def test_it_joins_a_record_that_the_person_has(world: World, school: Site) -> None:
    maria = new_person(world)
    own = maria.data["attributes"]["product_codes"][0]
    maria.put(f"/v2/fmd/{own}/personal", {"nombres": "Ana L.", "apellidos": "Pérez Rojas"})
    given = accepted(world, school, maria, code=own)
    assert given["fmd_code"] == maria.data["attributes"]["fmd_code"]
    for code in (own, given["bp_code"]):
        models = maria.get(f"/v2/fmd/{code}").json()["data"]["attributes"]["models"]
        assert models["personal"]["data"]["nombres"] == "Ana L."
        assert models["estudiante"]["data"]["grado"] == "3.er año"
    assert school.service.get(f"/v2/fmd/{own}/estudiante").status_code == 200
    assert school.enrol(estudiante={"grado": "4"}).status_code == 200


def test_a_link_works_once_for_thirty_days_and_a_new_one_ends_it(world: World, school: Site) -> None:
    maria = new_person(world)
    school.enrol()
    first = mailed_token(world)
    school.enrol(representante=REPRESENTANTE | {"correo": "nueva@ejemplo.com"})
    second = mailed_token(world, "nueva@ejemplo.com")
    unknown = maria.post("/v2/institutions/accept", {"token": "x" * 43, "ve": True})
    dead = maria.post("/v2/institutions/accept", {"token": first, "ve": True})
    assert (dead.status_code, bare(dead.text)) == (404, bare(unknown.text))
    world.clock.move(days=31)
    token = world.token_for(maria.id)
    late = world.client.post(
        "/v2/institutions/accept", json={"token": second, "ve": True}, headers={"Authorization": f"Bearer {token}"}
    )
    assert (late.status_code, bare(late.text)) == (404, bare(unknown.text))


def test_without_a_correo_the_invitation_goes_by_whatsapp(world: World, school: Site) -> None:
    phone = {"cod_telefono": "+58", "telefono": "4125551111"}
    school.enrol(representante={"nombre": "María", "relacion": "madre"} | phone)
    school.enrol(external_id="nadie", representante=None, invitar=False, correo="nadie@ejemplo.com")
    world.listen()
    world.run_jobs()
    with world.parts.database.reading() as tx:
        [message] = tx.orm.scalars(select(Message))
    assert message.about.startswith("invitacion:") and message.is_secret
    assert not [mail for mail in world.mails() if mail.to == "nadie@ejemplo.com"]


def test_whoever_erased_the_record_is_not_enrolled_anew(world: World, school: Site) -> None:
    maria = new_person(world)
    accepted(world, school, maria)
    assert maria.client.request("DELETE", "/v1/local/data", json={"clave": CLAVE}, headers=maria.headers).is_success
    before = world.rows()
    again = school.enrol(estudiante={"grado": "9"})
    assert again.json()["data"]["attributes"]["estado"] == "ended"
    assert again.json()["data"]["attributes"]["bp_code"] is None
    assert world.rows() == before
    with world.parts.database.reading() as tx:
        member = tx.orm.scalars(select(Member)).one()
    assert (member.external_id, member.sealed, member.documento_hash) == (None, None, None)


def test_another_institution_sees_guesses_counts_and_changes_nothing(world: World, school: Site, other: Site) -> None:
    maria = new_person(world)
    code = accepted(world, school, maria)["bp_code"]
    before = world.rows()
    # Its own name opens nothing to another, and looks as one that does not exist.
    theirs, nobody = (other.enrol(slug=slug) for slug in ("colegio-san-luis", "ninguno"))
    assert (theirs.status_code, bare(theirs.text)) == (404, bare(nobody.text))
    for body in ({"external_id": ""}, {}):
        wrong = [other.service.post(f"/v1/{slug}/user", body) for slug in ("colegio-san-luis", "ninguno")]
        assert wrong[0].status_code == wrong[1].status_code and bare(wrong[0].text) == bare(wrong[1].text)
    # Nor does a code that it issued, in any operation that takes one.
    asked: list[tuple[str, str, dict[str, object] | None]] = [
        ("GET", "/v2/fmd/{}", None),
        ("GET", "/v2/fmd/{}/estudiante", None),
        ("GET", "/v2/fmd/{}/exists", None),
        ("PATCH", "/v2/fmd/{}/estudiante", {"grado": "x"}),
        ("GET", "/v2/fmd/{}/access-log", None),
        ("GET", "/v2/products/{}", None),
        ("PUT", "/v2/institutions/colegio-san-luis/consent", {"code": "{}", "ve": True}),
    ]
    for method, path, sent_body in asked:
        answers = []
        for named in (str(code), "ZZZZZZ"):
            sent = None if sent_body is None else json.loads(json.dumps(sent_body).replace("{}", named))
            answers.append(
                other.service.client.request(method, path.format(named), json=sent, headers=other.service.headers)
            )
        assert answers[0].status_code == 404
        assert bare(answers[0].text) == bare(answers[1].text), path
    assert world.rows() == before
    # The same name at another institution is another person, with the same answer as for anybody new.
    mine, new = other.enrol(), other.enrol(external_id="2026-9999", representante=None)
    assert mine.status_code == new.status_code == 200
    shown = [bare(re.sub(r'"(bp_code|id)":"[\w-]+"', "", answer.text)) for answer in (mine, new)]
    assert shown[0] == shown[1]
    assert mine.json()["data"]["attributes"]["bp_code"] != code
    assert other.service.get("/v2/institutions").json()["data"] == []
    assert maria.get(f"/v2/fmd/{code}/estudiante").json()["data"]["attributes"]["version"] == 1


def test_a_closed_institution_is_let_in_nowhere(world: World, school: Site) -> None:
    school.enrol()
    token = mailed_token(world)
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Institution).values(is_active=False))
    assert school.enrol().status_code == 404
    assert world.register().post("/v2/institutions/accept", {"token": token, "ve": True}).status_code == 404


def test_an_administrator_acts_for_no_institution(world: World, school: Site) -> None:
    for role in (Role.ADMIN, Role.STAFF, Role.OWNER):
        assert world.somebody_with(role).post("/v1/colegio-san-luis/user", PUPIL).status_code == 403


def test_what_is_wrong_is_named_and_changes_nothing(world: World, school: Site) -> None:
    before = world.rows()
    for changes, pointer in (
        ({"external_id": " "}, "/external_id"),
        ({"external_id": "a\u0000b"}, "/external_id"),
        ({"external_id": "x" * 81}, "/external_id"),
        ({"personal": {"nombres": "Ana"}}, "/personal/apellidos"),
        ({"personal": PERSONAL | {"sangre": "A+"}}, "/personal/sangre"),
        ({"salud": {}}, "/salud"),
        ({"representante": REPRESENTANTE | {"correo": "no"}}, "/representante/correo"),
        ({"correo": "no"}, "/correo"),
        ({"personal": None}, "/nombre"),
        ({"cod_telefono": "+58", "telefono": "12345"}, "/telefono"),
        ({"idioma": "fr"}, "/idioma"),
    ):
        answer = school.enrol(**changes)
        assert answer.status_code == 422, (changes, answer.text)
        assert answer.json()["errors"][0]["source"] == {"pointer": pointer}
    assert world.rows() == before


def test_the_medical_role_opens_what_was_consented_in_the_reader_s_own_name(
    world: World, school: Site, other: Site
) -> None:
    maria, nurse, teacher = new_person(world), new_person(world), new_person(world)
    with world.parts.database.writing() as tx:
        for person, role in ((nurse, InstitutionRole.MEDICAL), (teacher, InstitutionRole.STAFF)):
            give_institution_role(tx, school.facts, person.id, role, OPERATOR, world.clock.now())
    given = accepted(world, school, maria, ve=False)
    code, people = given["bp_code"], f"/v2/institutions/{school.facts.slug}/people"
    assert maria.put(f"/v2/fmd/{code}/cuerpo", {"peso_kg": 42}).status_code == 200
    [listed] = teacher.get(people).json()["data"]
    assert listed == nurse.get(people).json()["data"][0]
    assert (listed["id"], listed["attributes"]["bp_code"]) == ("2026-0117", code)
    assert listed["attributes"]["consentimiento"]["ve"] is False
    assert nurse.get(f"{people}/{code}").status_code == 404, "nobody consented"
    consent = f"/v2/institutions/{school.facts.slug}/consent"
    assert maria.put(consent, {"code": code, "ve": True}).status_code == 200
    read = nurse.get(f"{people}/{code}").json()["data"]["attributes"]
    assert read["models"]["cuerpo"]["peso_kg"] == 42 and read["external_id"] == "2026-0117"
    as_service = school.service.get(f"/v2/fmd/{code}/models").json()["data"]
    seen = {each["id"]: each["attributes"]["data"] for each in as_service if each["attributes"]["data"]}
    assert read["models"] == seen, "no more and no less than the institution itself sees"
    refused = teacher.get(f"{people}/{code}")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "solo_salud")
    world.parts.read_log.drain_now()
    with world.parts.database.reading() as tx:
        hers = (AuditEntry.record_id == given["fmd_code"], AuditEntry.actor == f"account:{nurse.id}")
        looks = tx.orm.scalars(select(AuditEntry).where(*hers)).all()
    assert [(look.action, look.via, "cuerpo" in look.what) for look in looks] == [("record.read", "institution", True)]
    # A role here opens nothing there, none opens nothing, and what is hidden or withdrawn is gone at once.
    elsewhere = people.replace(school.facts.slug, other.facts.slug)
    for person in (nurse, maria):
        path = elsewhere if person is nurse else people
        assert person.get(path).status_code == person.get(f"{path}/{code}").status_code == 404
    assert nurse.get(f"/v2/fmd/{code}/cuerpo").status_code == 404
    hidden = {"visibilidad": {"cuerpo": "P"}}
    assert maria.put(f"/v2/fmd/{code}/consentimiento", hidden).status_code == 200
    assert "cuerpo" not in nurse.get(f"{people}/{code}").json()["data"]["attributes"]["models"]
    assert maria.put(consent, {"code": code, "ve": False}).status_code == 200
    assert nurse.get(f"{people}/{code}").status_code == 404
