"""The record as others see it, and who sees what."""

import re

from httpx2 import Response

from tests.web.portal.log.test_history import put
from tests.web.portal.page_session import PageUser, logged_in
from tests.web.portal.record.test_stickers import with_sticker
from tests.world import Person, World

ADDRESSES = re.compile(r"<script|<(?:a|form)\b[^>]*\s(?:href|action)=|<(?:button|input|textarea)\b(?! disabled)")


def seen(page: str) -> str:
    """What a page says, without what its preview takes away."""
    body = re.sub(r"<script.*?</script>|<head>.*?</head>|<footer>.*?</footer>", "", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_the_preview_is_the_strangers_page_and_nobody_is_told(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    put(ana, "personal", {"nombres": "Ana <i>", "apellidos": "Rojas", "documento_numero": "V-123", "idiomas": ["es"]})
    put(ana, "cuerpo", {"grupo_sanguineo": "O-", "estatura_cm": 158, "peso_kg": 47.5})
    put(ana, "alergiasm", {"alergias": [{"medicamento": {"texto": "Penicilina"}}]})
    contact = {"nombre": "Luis", "relacion": "hermano", "cod_telefono": "+58", "telefono": "4125552222"}
    contact |= {"canales": ["whatsapp"], "prioridad": 1, "puede_decidir": True}  # type: ignore[dict-item]
    put(ana, "emergencia", {"contactos": [contact]})
    user = logged_in(world, ana)
    before = world.rows()
    pages = {}
    for viewer in ("responder", "identificado", "codigo", "delegado", "institucion", "contacto"):
        for language in ("es", "en", "pt"):
            page = user.get(f"/app/{code}/vista?como={viewer}&l={language}")
            assert page.status_code == 200 and f'<html lang="{language}">' in page.text
            assert not ADDRESSES.search(page.text), (viewer, language)
            assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
            assert page.headers["x-frame-options"] == "SAMEORIGIN"
            pages[viewer, language] = page.text
    world.drain_reads()
    world.run_jobs()
    after = world.rows()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"audit_entries"}
    log = ana.get(f"/v2/fmd/{code}/access-log").json()["data"]
    assert {one["attributes"]["actor"] for one in log} == {f"account:{ana.id}"}
    # The same words as the real pages, in the same languages.
    for language in ("es", "en", "pt"):
        real = world.reader.get(f"/E/{code}/{tag}?l={language}").text
        assert seen(pages["responder", language]) == seen(real)
        assert seen(pages["codigo", language]) == seen(world.client.get(f"/e/{code}?l={language}").text)
    assert "V-123" not in pages["responder", "es"] and "V-123" in pages["identificado", "es"]
    assert "V-123" in pages["delegado", "es"] and "Penicilina" not in pages["contacto", "es"]
    # Words, not what is stored; a number has its label, a phone stands there once.
    told = seen(pages["institucion", "en"])
    for words in ("Languages · Spanish", "Blood group · O-", "(cm) · 158 ", "(kg) · 47.5 ", "Luis · brother · "):
        assert words in told, words
    assert "Order of calling: 1 · WhatsApp · May decide for the person: yes · +584125552222" in told
    assert "hora de Caracas" in pages["contacto", "es"]
    frame = user.get(f"/app/{code}/ver?como=codigo&idioma=pt")
    assert f'src="/app/{code}/vista?como=codigo&amp;l=pt"' in frame.text
    assert "frame-src 'self'" in frame.headers["content-security-policy"]
    assert f'src="/app/{code}/vista?l=es"' in user.get(f"/app/{code}/salud").text


def test_who_sees_a_section_or_a_fact_is_one_choice(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    data = {"alergias": [{"medicamento": {"texto": "Penicilina"}}, {"medicamento": {"texto": "Dipirona"}}]}
    first, second = (fact["id"] for fact in put(ana, "alergiasm", data)["alergias"])
    put(ana, "salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    user, path = logged_in(world, ana), f"/app/{code}/consentimiento"
    page = user.get(path).text
    assert "No la ve nadie más, tampoco en una emergencia" in page and "Dipirona" in page
    choices = {f"alergiasm/{first}": "P", f"alergiasm/{second}": "", "salud": "B"}
    assert decide(user, path, 0, choices).headers["location"] == f"{path}?guardado=1"
    shown = world.reader.get(f"/E/{code}/{tag}").text
    assert "Dipirona" in shown and "Penicilina" not in shown and "Asma" not in shown
    assert "Asma" in user.get(f"/app/{code}/vista?como=identificado").text
    assert re.search(rf'name="visibilidad.alergiasm/{first}"[^>]*>.*?value="P" selected', user.get(path).text)
    # With the page from before, nothing is saved.
    late = decide(user, path, 0, {"salud": "R"})
    assert late.status_code == 412 and "Otra persona cambió" in late.text
    assert "Asma" not in world.reader.get(f"/E/{code}/{tag}").text
    assert decide(user, path, 1, {"salud": "R"}).status_code == 303
    shown = world.reader.get(f"/E/{code}/{tag}").text
    assert "Penicilina" in shown and "Asma" in shown
    stranger = logged_in(world, world.register())
    for closed in ("quien-ve", "ver", "vista"):
        assert stranger.get(f"/app/{code}/{closed}").status_code == 404


def decide(user: PageUser, path: str, version: int, doors: dict[str, str]) -> Response:
    said = {f"visibilidad.{key}": door for key, door in doors.items()}
    return user.submit(path, version=str(version), do="save", **said)
