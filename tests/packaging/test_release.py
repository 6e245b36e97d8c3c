def test_the_version_is_told_as_the_project_says_it(project):
    import helixlog

    assert helixlog.__version__ == project["project"]["version"]


def test_the_changelog_has_the_version(root, project):
    assert f"## {project['project']['version']}" in (root / "CHANGELOG.md").read_text("utf-8")


def test_every_development_tool_is_pinned(root, project):
    pins = {line.partition("==")[0].lower() for line in (root / "constraints.txt").read_text("utf-8").splitlines()}
    wanted = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["dev"]]
    assert {line.partition(">=")[0] for line in wanted} <= pins
