"""The page for the school and the lock screen: what stands on them, that it fits, and that their QR is read."""

import re
import shutil
import subprocess
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ficha.accounts.accounts import Idioma
from ficha.cards.papers import PaperToDraw, ScreenSize, drawn_screen, drawn_sheet_of, screen_data, sheet_page_data
from ficha.cards.printing import printable
from ficha.cards.qr import link_of
from ficha.cards.stickers import PAPERS, Paper
from ficha.demo.records import GRANDFATHER, PUPIL
from ficha.fmd.base import Door
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.responder.view import DAMAGED
from tests.qr_reader import read_qr
from tests.web.sticker.records import full_record, small_record

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
BASE, CODE = "https://ficha.example", "K7M2QX"
LINK = link_of(BASE, CODE, "QX7M2K5TNBP4RWZC6DHJ3VFYGA")
# Written as long as the forms let one write, in one word and in many.
LONG = {
    "personal": {"nombres": "Maximiliano Alejandro " * 8, "apellidos": "Wolfeschlegelsteinhausenberger" * 5},
    "emergencia": full_record()["emergencia"] | {"instrucciones": "No la dejen sola ni un momento. " * 60},
}
POINTS_PER_MM = 72 / 25.4


def paper(documents: Any, idioma: Idioma = Idioma.ES, door: Door = Door.R, **more: Any) -> PaperToDraw:
    view = responder_view(
        documents,
        door,
        NOW,
        idioma,
        written_in="es",
        deployed_in="VE",
        saved=dict.fromkeys(documents, NOW),
        on_paper=True,
    )
    return PaperToDraw(CODE, LINK, view, idioma, "18 nov 2026", **more)


def lines(data: dict[str, Any]) -> list[dict[str, str]]:
    return [line for group in data["groups"] for line in group["lines"]]


def scanned(picture: bytes | Path) -> str:
    found = read_qr(Image.open(picture if isinstance(picture, Path) else BytesIO(picture)).convert("L"))
    assert found is not None
    return found.text


def text_of(pdf: bytes, folder: Path) -> str:
    """One page, and its words."""
    if not shutil.which("pdftotext"):
        pytest.skip("pdftotext is not installed: apt-get install poppler-utils")
    file = folder / "hoja.pdf"
    file.write_bytes(pdf)
    told = subprocess.run(["pdfinfo", str(file)], check=True, capture_output=True, text=True).stdout
    assert "Pages:           1\n" in told, told
    words = subprocess.run(["pdftotext", "-layout", str(file), "-"], check=True, capture_output=True, text=True).stdout
    return " ".join(words.split())


@pytest.mark.parametrize("idioma", list(Idioma))
def test_a_sheet_is_one_page_with_what_a_stranger_sees(idioma: Idioma, tmp_path: Path) -> None:
    drawn = drawn_sheet_of(paper(PUPIL, idioma), Paper.LETTER, BASE, NOW)
    assert b"pdfaid" in drawn.pdf and scanned(drawn.png) == LINK
    words = text_of(drawn.pdf, tmp_path)
    assert "Ana Lucía Pérez Rojas" in words and "911" in words and "+58 412-5551111" in words and CODE in words
    said = {
        Idioma.ES: ("Alergia grave: Maní", "Hecha el 18 nov 2026", "Lo más reciente está en la página del QR", "Alto."),
        Idioma.EN: ("Severe allergy: Peanut", "Made on 18 nov 2026", "newest is on the page of the QR", "in Spanish."),
        Idioma.PT: ("Alergia grave: Amendoim", "Feita em 18 nov 2026", "O mais recente está na página do QR", "Pare."),
    }
    for sentence in said[idioma]:
        assert sentence in words
    # Of what is fresh, paper does not say that it was confirmed some days ago: it gets old itself.
    assert "29" not in words and "Colegio San Luis" not in words


@pytest.mark.parametrize("size", list(Paper))
@pytest.mark.parametrize("door", [Door.R, Door.B])
def test_the_fullest_record_is_one_page_and_what_does_not_fit_is_counted(
    size: Paper, door: Door, tmp_path: Path
) -> None:
    drawn = drawn_sheet_of(paper(full_record() | LONG, door=door), size, BASE, NOW)
    words = text_of(drawn.pdf, tmp_path)
    width, height = Image.open(BytesIO(drawn.png)).size
    assert abs(width / height - PAPERS[size][0] / PAPERS[size][1]) < 0.01
    facts = [
        line
        for line in lines(sheet_page_data(paper(full_record() | LONG, door=door), size, BASE))
        if line["kind"] == "facts"
    ]
    shown = [line for line in facts if " ".join(line["title"].split())[:18] in words]
    counted = int(words.partition("están en la página del QR: ")[2].partition(".")[0])
    assert 0 < counted < len(facts)
    # None is lost without being counted: what is there by its title, and what is counted, are all of them.
    assert len(shown) + counted >= len(facts)
    assert "Alergia grave" in words and "+58 412-5551111" in words


def test_all_of_a_usual_record_fits_in_large_letters(tmp_path: Path) -> None:
    words = text_of(drawn_sheet_of(paper(PUPIL), Paper.A4, BASE, NOW).pdf, tmp_path)
    data = sheet_page_data(paper(PUPIL), Paper.A4, BASE)
    assert "no caben" not in words
    for line in lines(data):
        assert line["title"] in words, line


def test_what_is_behind_the_glass_is_printed_only_when_asked_for() -> None:
    told = [str(sheet_page_data(paper(PUPIL, door=door), Paper.A4, BASE)) for door in (Door.R, Door.B)]
    assert "Colegio San Luis" not in told[0] and "Colegio San Luis" in told[1]
    hidden = PUPIL | {"consentimiento": {"visibilidad": {"alergiasa": "P", "estudiante": "P"}}}
    for door in (Door.R, Door.B):
        told = [
            str(sheet_page_data(paper(hidden, door=door), Paper.A4, BASE)),
            str(screen_data(paper(hidden, door=door), ScreenSize.LONG, BASE)),
        ]
        assert not any("Maní" in one or "Colegio San Luis" in one for one in told)


def test_nothing_is_claimed_of_what_is_not_known() -> None:
    nothing, unreadable = paper(small_record()), paper(PUPIL | {"alergiasa": DAMAGED})
    data = sheet_page_data(nothing, Paper.A4, BASE)
    assert data["signs"] == [] and "no se sabe si tiene alguna" in data["below_signs"]
    assert "no se sabe si tiene alguna" in screen_data(nothing, ScreenSize.SMALL, BASE)["below_signs"]
    assert "No se pudo leer: Alergias" in sheet_page_data(unreadable, Paper.A4, BASE)["notes"][0]
    hidden = sheet_page_data(paper(PUPIL | {"consentimiento": DAMAGED}), Paper.A4, BASE)
    assert hidden["name"] == "Nombre no disponible" and "No se pudo leer" in hidden["below_signs"] and not lines(hidden)
    abroad = responder_view(small_record() | {"emergencia": {}}, Door.R, NOW, Idioma.ES)
    told = sheet_page_data(PaperToDraw(CODE, LINK, abroad, Idioma.ES, ""), Paper.A4, BASE)
    assert told["number"] == "112" and "Si no responde" in told["number_note"]


@pytest.mark.parametrize("idioma", list(Idioma))
def test_our_own_words_can_all_be_printed(idioma: Idioma) -> None:
    """No sign that the fonts lack becomes a question mark: a blood group "O?" would be a wrong one."""
    for documents in (full_record(), PUPIL, GRANDFATHER):
        told = lines(sheet_page_data(paper(documents, idioma, Door.B), Paper.A4, BASE))
        assert not any("?" in line[part] for line in told for part in ("title", "rest", "small"))
    assert printable("O− SpO₂ ✓ hoy") == "O- SpO2 hoy"


@pytest.mark.parametrize("size", list(ScreenSize))
@pytest.mark.parametrize(
    ("documents", "idioma"), [(PUPIL, Idioma.ES), (full_record() | LONG, Idioma.EN), (small_record(), Idioma.PT)]
)
def test_a_lock_screen_has_the_size_of_the_phone_and_is_read(documents: Any, idioma: Idioma, size: ScreenSize) -> None:
    drawn = drawn_screen(paper(documents, idioma), size, BASE)
    picture = Image.open(BytesIO(drawn)).convert("RGB")
    assert picture.size == size.pixels and scanned(drawn) == LINK and len(drawn) < 300_000
    # A phone's photo of it is smaller.
    assert scanned(_half(picture)) == LINK
    # Nothing stands where the clock is, nor where the buttons are.
    width, height = picture.size
    for band in ((0, 0, width, int(height * 0.33)), (0, int(height * 0.86), width, height)):
        assert len(picture.crop(band).getcolors() or []) == 1, band


# As much as a field takes, in one word: nobody is called so, but nothing may be pushed off the paper.
WORD = "Esternocleidomastoideo" * 9
ONE_WORD = {
    "personal": {"nombres": WORD[:80], "apellidos": WORD[:80], "idiomas": ["es"]},
    "alergiasm": {
        "alergias": [
            {"medicamento": {"texto": f"{n}{WORD[:150]}"}, "criticidad": "alta", "notas": WORD} for n in range(9)
        ]
    },
    "emergencia": {"contactos": [{"nombre": WORD[:80], "relacion": WORD[:40], "telefono_e164": "+584125551111"}]},
}


def test_a_word_without_end_is_broken_and_pushes_nothing_off_the_paper(tmp_path: Path) -> None:
    drawn = drawn_sheet_of(paper(ONE_WORD), Paper.LETTER, BASE, NOW)
    text_of(drawn.pdf, tmp_path)
    boxes = subprocess.run(
        ["pdftotext", "-bbox", str(tmp_path / "hoja.pdf"), "-"], check=True, capture_output=True, text=True
    ).stdout
    right, bottom = (max(float(one) for one in re.findall(f'{name}="([0-9.]+)"', boxes)) for name in ("xMax", "yMax"))
    width, height = (side * POINTS_PER_MM for side in PAPERS[Paper.LETTER])
    assert right < width - 30 and bottom < height - 30
    # A QR has a column of its own, which nothing enters.
    assert scanned(drawn.png) == LINK
    for size in ScreenSize:
        picture = Image.open(BytesIO(drawn_screen(paper(ONE_WORD), size, BASE))).convert("RGB")
        wide, high = picture.size
        for outside in (
            (0, 0, int(wide * 0.04), high),
            (int(wide * 0.96), 0, wide, high),
            (0, int(high * 0.86), wide, high),
        ):
            assert len(picture.crop(outside).getcolors() or []) == 1, (size, outside)
        below = picture.crop((int(wide * 0.1), int(high * 0.85) - 24, int(wide * 0.9), int(high * 0.85) - 4))
        assert below.getcolors() == [(below.width * below.height, (255, 255, 255))], size


def _half(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.resize((picture.width // 2, picture.height // 2)).save(out, "JPEG", quality=70)
    return out.getvalue()


def test_a_lock_screen_names_the_signs_counts_the_rest_or_tells_nothing() -> None:
    data = screen_data(paper(full_record()), ScreenSize.LONG, BASE)
    assert data["signs"][0].startswith("Alergia grave") and data["signs"][-1] == "y 8 más: escanee"
    assert data["number"] == "911" and "18 nov 2026" in data["words"]["made"]
    alone = screen_data(paper(full_record(), tells=False), ScreenSize.LONG, BASE)
    assert (alone["name"], alone["signs"], alone["below_signs"]) == ("", [], "")
