import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

LOOPS = ("effectiveness/_standing", "graph/_edges", "text/_postings", "text/_terms", "vector/_sieve")
DATA = {
    "helixlog/py.typed",
    "helixlog/embedding/weights/LICENSE",
    "helixlog/embedding/weights/NOTICE",
    "helixlog/embedding/weights/minilm.safetensors",
    "helixlog/embedding/weights/static.safetensors",
    "helixlog/embedding/weights/vocab.txt",
    *(f"helixlog/projections/{name}.pyi" for name in LOOPS),
}
COMPILED = {f"helixlog/projections/{name}{sysconfig.get_config_var('EXT_SUFFIX')}" for name in LOOPS}


def names(wheel):
    """What a wheel puts into site-packages, without its metadata."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_the_folders_on_disk_and_nothing_else(built, modules):
    found = names(built("wheel"))
    assert found - COMPILED == {f"helixlog/{path.as_posix()}" for path in modules} | DATA
    assert found & COMPILED == (COMPILED if can_compile() else set())


def can_compile():
    compiler = shutil.which(os.environ.get("CC", "cc"))
    works = compiler is not None and subprocess.run([compiler, "--version"], capture_output=True, check=False)
    return bool(works) and works.returncode == 0 and Path(sysconfig.get_path("include"), "Python.h").exists()


def test_without_a_compiler_everything_but_the_compiled_loops_is_there(copy, built, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", shutil.which("false"))
    other = shutil.copytree(copy, tmp_path / "checkout", ignore=shutil.ignore_patterns("build"))
    assert names(built("wheel", other)) == names(built("wheel")) - COMPILED


def test_the_wheel_carries_every_licence_and_the_readme(built, root):
    wheel = zipfile.ZipFile(built("wheel"))
    inside = {name.partition(".dist-info/")[2]: name for name in wheel.namelist()}
    for path in ("LICENSE", "embedding/weights/LICENSE", "embedding/weights/NOTICE"):
        assert wheel.read(inside[f"licenses/{path}"]) == (root / path).read_bytes()
    assert (root / "README.md").read_text("utf-8") in wheel.read(inside["METADATA"]).decode()


def test_the_sdist_makes_the_same_wheel(built, tmp_path):
    subprocess.run(["tar", "-xzf", built("sdist"), "-C", tmp_path], check=True)
    (source,) = tmp_path.iterdir()
    assert names(built("wheel", source)) == names(built("wheel"))


@pytest.fixture
def environment(tmp_path):
    """A new environment without a network, which borrows the dependencies of this one."""
    return Environment(tmp_path / "env", tmp_path)


class Environment:
    def __init__(self, home, folder):
        self.bin, self.folder = home / "bin", folder
        self.environ = {**os.environ, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1", "https_proxy": "http://127.0.0.1:9"}
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
        self.site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
        borrowed = folder / "borrowed"
        borrowed.mkdir()
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if "helixlog" not in path.name:
                (borrowed / path.name).symlink_to(path)
        (self.site / "borrowed.pth").write_text(f"{borrowed}\n", "utf-8")

    def install(self, *words):
        pip = [sys.executable, "-m", "pip", "--python", self.bin / "python", "install", "--quiet"]
        self.run(*pip, "--no-index", "--no-deps", "--no-build-isolation", "--no-warn-conflicts", *words)

    def run(self, *words):
        done = subprocess.run(words, cwd=self.folder, env=self.environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def python(self, *words):
        return self.run(self.bin / "python", *words)

    @property
    def package(self):
        return Path(self.python("-c", "import helixlog; print(helixlog.__file__)").strip()).parent


def test_the_command_runs_from_the_wheel_in_a_new_environment_without_a_network(built, environment):
    environment.install("--force-reinstall", built("wheel"))
    assert environment.package == environment.site / "helixlog"
    assert "It learned" in environment.run(environment.bin / "helix", "demo")
    assert environment.python("-m", "helixlog", "--version") == environment.run(environment.bin / "helix", "--version")


def test_an_editable_install_is_the_checkout(copy, environment):
    environment.install("--force-reinstall", "--editable", copy)
    assert environment.package == copy
    environment.python(
        "-c", "from helixlog.commands.importers import detect; from helixlog.projections.text import index"
    )
