import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

DATA = {
    "helixlog/py.typed",
    "helixlog/embedding/weights/LICENSE",
    "helixlog/embedding/weights/NOTICE",
    "helixlog/embedding/weights/minilm.safetensors",
    "helixlog/embedding/weights/static.safetensors",
    "helixlog/embedding/weights/vocab.txt",
}


def names(wheel):
    """What a wheel puts into site-packages, without its metadata."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_the_folders_on_disk_and_nothing_else(built, modules):
    assert names(built("wheel")) == {f"helixlog/{path.as_posix()}" for path in modules} | DATA


def test_the_wheel_carries_every_licence_and_the_readme(built, root):
    wheel = zipfile.ZipFile(built("wheel"))
    inside = {name.partition(".dist-info/")[2]: name for name in wheel.namelist()}
    for path in ("LICENSE", "embedding/weights/LICENSE", "embedding/weights/NOTICE"):
        assert wheel.read(inside[f"licenses/{path}"]) == (root / path).read_bytes()
    assert (root / "README.md").read_text("utf-8") in wheel.read(inside["METADATA"]).decode()


def test_the_sdist_makes_the_same_wheel(built, tmp_path):
    with tarfile.open(built("sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert names(built("wheel", source)) == names(built("wheel"))


def test_the_command_runs_from_the_wheel_in_a_new_environment_without_a_network(built, tmp_path):
    # The dependencies are those of this environment; the package is only the wheel's.
    home = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    install = ["--python", home, "install", "--quiet", "--no-index", "--no-deps", built("wheel")]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    environ = {**os.environ, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1", "https_proxy": "http://127.0.0.1:9"}

    def run(*words):
        return subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, text=True, check=True).stdout

    where = run(home / "bin" / "python", "-c", "import helixlog; print(helixlog.__file__)")
    assert Path(where.strip()).is_relative_to(home)
    assert "It learned" in run(home / "bin" / "helix", "demo")
    assert run(home / "bin" / "python", "-m", "helixlog", "--version") == run(home / "bin" / "helix", "--version")
