"""Random names."""

from ficha.core.ids import CODE_ALPHABET, random_code, random_digits, random_number, random_text


def test_codes_have_six_characters_and_no_look_alikes() -> None:
    codes = {random_code() for _ in range(2000)}
    assert len(codes) > 1990
    assert all(len(code) == 6 and set(code) <= set(CODE_ALPHABET) for code in codes)
    assert not set(CODE_ALPHABET) & set("01OIoi")
    assert len(set(CODE_ALPHABET)) == 32


def test_numbers_are_positive_and_fit_the_wire() -> None:
    assert all(0 < random_number() < 2**31 for _ in range(1000))


def test_texts_have_their_length() -> None:
    assert len(random_text(40)) == 40 and len(random_digits(6)) == 6
    assert random_digits(6).isdigit()
