import subprocess
import sys

import pytest
from helixlog.embedding import MINILM, STATIC, available, for_fingerprint, load
from helixlog.errors import EmbedderUnavailable, InvalidInput

COLD = """
import sys
from helixlog.embedding import MINILM, available
assert MINILM.identity.fingerprint and available()
assert "numpy" not in sys.modules
"""


@pytest.mark.parametrize("bundled", [MINILM, STATIC])
def test_a_bundled_embedder_is_found_both_ways(bundled):
    identity = bundled.identity
    assert load(identity.name).identity == identity
    assert for_fingerprint(identity.fingerprint).identity == identity
    assert load(identity.name).thresholds == bundled.thresholds


def test_fingerprints_are_pinned():
    assert MINILM.identity.fingerprint == "minilm-b6518155d10ff81b"
    assert STATIC.identity.fingerprint == "static-d42b2bbe856a9571"


def test_a_fingerprint_costs_no_numpy():
    subprocess.run([sys.executable, "-c", COLD], check=True)


@pytest.mark.parametrize("name", ["", "none", "MiniLM", "bert", "bert:large"])
def test_an_unknown_name_is_answered_with_the_known_ones(name):
    with pytest.raises(InvalidInput, match="minilm, static, onnx, multilingual, fastembed, openai"):
        load(name)


@pytest.mark.parametrize("name", ["minilm:large", "static:", "openai:"])
def test_a_model_that_cannot_be_chosen_is_refused(name):
    with pytest.raises(InvalidInput, match="model"):
        load(name)


def test_an_unknown_fingerprint_is_unavailable_and_says_what_to_do():
    with pytest.raises(EmbedderUnavailable, match="--embedder"):
        for_fingerprint("fastembed-0123456789abcdef")


def test_the_list_starts_with_the_default_and_knows_what_is_installed():
    lines = {one.name: one for one in available()}
    assert next(iter(lines)) == "minilm"
    assert lines["minilm"].installed
    assert lines["static"].dimensions == 256
    assert lines["onnx"].fingerprint == lines["minilm"].fingerprint
