"""People cut out by hand from portraits in scikit-image and matplotlib, and put before other backgrounds: what belongs
to the person is then known to the pixel. The outlines were drawn by looking at the pictures; no model had a part."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import skimage
from PIL import Image, ImageDraw, ImageFilter, ImageOps
from PIL.Image import Image as Picture

FOLDER = Path(skimage.__file__).parent / "data"
# Of matplotlib, which the benchmarks bring: where it is not installed, there is one person less.
OTHER_FOLDER = FOLDER.parents[1] / "matplotlib" / "mpl-data" / "sample_data"
# All outlines are drawn on a picture of this width.
SIDE = 1024
Outline = Sequence[tuple[int, int]]


class Portrait(NamedTuple):
    file: Path
    outline: Outline
    # Through which the background is seen.
    hole: Outline
    # What is shown of the picture.
    box: tuple[int, int, int, int]
    is_mirrored: bool = False


# fmt: off
# NASA's portrait of Eileen Collins, in the public domain.
ASTRONAUT = Portrait(FOLDER / "astronaut.png", (
    (450, 32), (400, 45), (375, 75), (345, 90), (315, 120), (307, 150), (310, 190), (330, 225), (345, 240),
    (350, 258), (365, 265), (372, 296), (330, 297), (290, 312), (262, 335), (248, 365), (243, 375), (230, 378),
    (228, 400), (235, 420), (215, 430), (185, 450), (150, 475), (120, 510), (95, 550), (80, 600), (60, 650),
    (50, 690), (728, 690), (720, 650), (705, 590), (690, 545), (665, 510), (640, 485), (610, 470), (600, 430),
    (580, 400), (550, 370), (512, 347), (518, 320), (530, 290), (536, 270), (550, 268), (560, 258), (585, 235),
    (600, 190), (602, 150), (590, 110), (575, 85), (550, 60), (510, 40), (470, 32),
), (), (0, 0, SIDE, 680))
# The Navy's portrait of Grace Hopper, in the public domain.
ADMIRAL = Portrait(OTHER_FOLDER / "grace_hopper.jpg", (
    (513, 46), (560, 55), (595, 72), (608, 86), (640, 98), (670, 118), (692, 145), (706, 172), (725, 172),
    (735, 190), (740, 230), (744, 270), (742, 320), (738, 360), (750, 375), (750, 400), (742, 440), (735, 475),
    (722, 535), (728, 550), (710, 590), (690, 610), (665, 618), (662, 628), (680, 640), (720, 665), (760, 690),
    (820, 720), (860, 735), (900, 745), (950, 770), (985, 785), (1000, 810), (1015, 870), (1024, 900),
    (1024, 1200), (20, 1200), (35, 1080), (48, 980), (55, 880), (70, 830), (95, 780), (115, 762), (150, 745),
    (200, 730), (260, 710), (330, 685), (370, 650), (408, 625), (395, 600), (355, 580), (330, 560), (325, 530),
    (330, 500), (322, 470), (310, 440), (308, 400), (305, 370), (310, 330), (305, 290), (305, 240), (315, 200),
    (350, 170), (352, 150), (375, 115), (400, 98), (436, 84), (445, 65), (470, 52),
), (), (0, 0, SIDE, 1200))
# A photographer with his camera, given to scikit-image under CC0.
PHOTOGRAPHER = Portrait(FOLDER / "camera.png", (
    (0, 515), (40, 455), (70, 400), (100, 350), (125, 310), (165, 275), (210, 255), (260, 247), (290, 220),
    (315, 212), (322, 205), (330, 180), (350, 155), (385, 132), (415, 127), (450, 135), (490, 160), (515, 180),
    (535, 205), (541, 235), (530, 262), (515, 266), (520, 278), (640, 278), (650, 300), (640, 335), (662, 350),
    (660, 400), (640, 440), (610, 460), (580, 500), (608, 545), (575, 575), (540, 600), (495, 625), (450, 610),
    (415, 588), (380, 640), (330, 700), (282, 765), (295, 830), (300, 900), (0, 900),
), (
    (508, 305), (508, 338), (495, 350), (493, 365), (478, 388), (482, 402), (487, 440), (497, 492), (522, 462),
    (522, 435), (548, 412), (575, 402), (575, 385), (548, 372), (535, 362), (520, 352), (520, 305),
), (0, 0, SIDE, 860))
# fmt: on

KNOWN: Mapping[str, Portrait] = {
    "portrait": ASTRONAUT,
    "close": ASTRONAUT._replace(box=(170, 0, 690, 520)),
    "admiral": ADMIRAL,
    "admiral close": ADMIRAL._replace(box=(150, 0, 900, 860), is_mirrored=True),
    "at the side": ASTRONAUT._replace(box=(40, 0, 780, 600), is_mirrored=True),
}
PORTRAITS = {name: portrait for name, portrait in KNOWN.items() if portrait.file.exists()}
# No portrait: a man from the side, all in black, with something before his face. Reported, and promised to nobody.
OTHERS: Mapping[str, Portrait] = {"photographer": PHOTOGRAPHER}


def plain(color: str) -> Callable[[tuple[int, int]], Picture]:
    return lambda size: Image.new("RGB", size, color)


def shipped(file: str) -> Callable[[tuple[int, int]], Picture]:
    return lambda size: Image.open(FOLDER / file).convert("RGB").resize(size, Image.Resampling.LANCZOS)


def noise(size: tuple[int, int]) -> Picture:
    dots = np.random.default_rng(7).integers(0, 256, (size[1] // 4, size[0] // 4, 3), np.uint8)
    return Image.fromarray(dots).resize(size, Image.Resampling.BILINEAR)


BACKGROUNDS: Mapping[str, Callable[[tuple[int, int]], Picture]] = {
    "plain blue": plain("#3a6ea5"),
    "plain white": plain("white"),
    "grey": plain("#8a8a8a"),
    "brick": shipped("brick.png"),
    "grass": shipped("grass.png"),
    "coffee": shipped("coffee.png"),
    "noise": noise,
}


def composite(portrait: str, background: str) -> tuple[Picture, np.ndarray]:
    """The picture, and which of its pixels are the person's."""
    person = {**PORTRAITS, **OTHERS}[portrait]
    picture = Image.open(person.file).convert("RGB")
    picture = picture.resize((SIDE, picture.height * SIDE // picture.width), Image.Resampling.LANCZOS)
    mask = Image.new("L", picture.size, 0)
    ImageDraw.Draw(mask).polygon(person.outline, fill=255)
    if person.hole:
        ImageDraw.Draw(mask).polygon(person.hole, fill=0)
    picture, mask = picture.crop(person.box), mask.crop(person.box)
    if person.is_mirrored:
        picture, mask = ImageOps.mirror(picture), ImageOps.mirror(mask)
    joined = BACKGROUNDS[background](picture.size)
    # As soft as a lens makes an edge: a hard one would be easier to find than any in a photo.
    joined.paste(picture, mask=mask.filter(ImageFilter.GaussianBlur(1.5)))
    return joined, np.asarray(mask) > 127


def overlap(found: np.ndarray, known: np.ndarray) -> float:
    """Intersection over union."""
    return float((found & known).sum() / (found | known).sum())
