"""`static` sums integers, so its vectors can be pinned to the bit on every machine."""

import hashlib

import numpy as np
from helixlog.embedding import load

STATIC = load("static")


def test_a_vector_is_pinned_to_the_bit():
    vector = STATIC.embed_query("The nightly backup runs at two in the morning.")
    assert (
        hashlib.sha256(vector.tobytes()).hexdigest()
        == "e8e1a37a5b56db70f590f37603edfc685a11b2c4e697a037aea95a1989b1b673"
    )


def test_the_order_of_words_changes_no_bit():
    assert np.array_equal(STATIC.embed_query("red green blue"), STATIC.embed_query("blue red green"))


def test_a_text_of_any_length_has_one_window():
    assert STATIC.embed_documents(["word " * 20_000])[0].shape == (1, 256)
