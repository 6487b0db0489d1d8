"""Pictures of what is printed, for docs/pictures: `make pictures`."""

import sys
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import skimage
from PIL import Image, ImageDraw

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.carnet_pages import CarnetForm, Issuer, PrintedCarnet, drawn_carnet
from ficha.cards.papers import PaperToDraw, ScreenSize, drawn_screen, drawn_sheet_of
from ficha.cards.printing import FileType, PrintTemplate
from ficha.cards.qr import link_of
from ficha.cards.stickers import Paper, Sticker, StickerFormat, pictures, sheet_data
from ficha.demo.records import GRANDFATHER, PUPIL
from ficha.fmd.base import Door
from ficha.fmd.responder.build_view import responder_view

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
# A public-domain portrait that comes with a library.
PORTRAIT = Path(skimage.__file__).parent / "data" / "astronaut.png"
BASE, CODE, TAG = "https://ficha.example", "K7M2QX", "QX7M2K5TNBP4RWZC6DHJ3VFYGA"
NOW = datetime(2026, 11, 16, tzinfo=UTC)
STICKER = Sticker(CODE, link_of(BASE, CODE, TAG), True, ("Alergia grave", "Anticoagulado", "Insulina"))
TABLE, GAP, WIDTH, QUALITY = "#d8dce4", 12, 1400, 60


def stickers() -> Image.Image:
    return _side_by_side([_opened(pictures([STICKER], format, BASE)[0][1]) for format in StickerFormat])


def sheet() -> Image.Image:
    data = sheet_data([STICKER] * 14, StickerFormat.BIKE, Paper.A4, BASE, Idioma.ES)
    return _opened(printing.png(PrintTemplate.STICKERS, data, 70)[0])


def carnets() -> Image.Image:
    ends = NOW + timedelta(days=365)
    issuer = Issuer("Colegio San José", "#f4d35e", _logo())
    first = PrintedCarnet(CODE, link_of(BASE, CODE, TAG), "K7M2QXR5T8W3", NOW, ends, issuer, _photo(), PUPIL)
    second = first._replace(documents=GRANDFATHER, issuer=None, photo=None)
    wallet = _opened(drawn_carnet(FileType.PNG, first, CarnetForm.WALLET, Idioma.ES, BASE, NOW))
    large = _opened(drawn_carnet(FileType.PNG, second, CarnetForm.LARGE, Idioma.EN, BASE, NOW))
    large.thumbnail(wallet.size)
    return _side_by_side([wallet, large])


def papers() -> Image.Image:
    """The page for the school, and a lock screen."""
    view = responder_view(PUPIL, Door.R, NOW, Idioma.ES, written_in="es", deployed_in="VE", on_paper=True)
    paper = PaperToDraw(CODE, link_of(BASE, CODE, TAG), view, Idioma.ES, "16 nov 2026", _photo())
    sheet_drawn = _opened(drawn_sheet_of(paper, Paper.LETTER, BASE, NOW).png)
    screen = _opened(drawn_screen(paper, ScreenSize.LONG, BASE))
    screen.thumbnail(sheet_drawn.size)
    return _side_by_side([sheet_drawn, screen])


def _photo() -> bytes:
    photo = BytesIO()
    Image.open(PORTRAIT).convert("RGB").crop((130, 0, 330, 250)).save(photo, "JPEG")
    return photo.getvalue()


def _logo() -> bytes:
    """An invented one."""
    drawn, out = Image.new("RGB", (320, 120), "white"), BytesIO()
    pencil = ImageDraw.Draw(drawn)
    pencil.ellipse((10, 10, 110, 110), fill="#1d3557")
    pencil.rectangle((52, 28, 68, 92), fill="#f4d35e")
    pencil.rectangle((28, 52, 92, 68), fill="#f4d35e")
    pencil.text((215, 60), "SJ", fill="#1d3557", font_size=110, anchor="mm")
    drawn.save(out, "PNG")
    return out.getvalue()


def _opened(drawn: bytes) -> Image.Image:
    return Image.open(BytesIO(drawn)).convert("RGBA")


def _side_by_side(shown: list[Image.Image]) -> Image.Image:
    width = sum(one.width + GAP for one in shown) + GAP
    table = Image.new("RGB", (width, max(one.height for one in shown) + 2 * GAP), TABLE)
    place = GAP
    for one in shown:
        table.paste(one, (place, GAP), one)
        place += one.width + GAP
    table.thumbnail((WIDTH, WIDTH))
    return table


if __name__ == "__main__":
    drawn = {"stickers": stickers(), "sticker-sheet": sheet(), "carnet": carnets(), "papers": papers()}
    for name, picture in drawn.items():
        file = FOLDER / f"{name}.webp"
        picture.convert("RGB").save(file, quality=QUALITY)
        sys.stdout.write(f"{file.name} {file.stat().st_size // 1024} kB\n")
