def test_the_package_list_is_the_folders_on_disk(project, modules):
    folders = {".".join(("helixlog", *path.parent.parts)) for path in modules}
    assert sorted(folders) == sorted(project["tool"]["setuptools"]["packages"])


def test_every_folder_of_the_package_says_what_it_is(root, modules):
    for folder in {path.parent for path in modules}:
        assert (root / folder / "__init__.py").read_text("utf-8").startswith('"""'), folder


def test_the_version_is_told_as_the_project_says_it(project):
    import helixlog

    assert helixlog.__version__ == project["project"]["version"]


def test_the_changelog_has_the_version(root, project):
    assert f"## {project['project']['version']}" in (root / "CHANGELOG.md").read_text("utf-8")
