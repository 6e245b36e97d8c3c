import json

import pytest
from helixlog.commands.importers import open_source
from helixlog.errors import InvalidInput, NotFound

ADA = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", "works late"]}
PARSER = {"type": "entity", "name": "parser", "entityType": "module", "observations": []}
MAINTAINS = {"type": "relation", "from": "Ada", "to": "parser", "relationType": "maintains"}


def lines(*records):
    return "".join(x if isinstance(x, str) else json.dumps(x) + "\n" for x in records)


def test_every_observation_is_a_note_about_its_entity(write):
    path = write("memory.jsonl", lines(PARSER, ADA))
    notes = open_source(path).notes[1:]
    assert [(x.title, x.text, x.local_id) for x in notes] == [
        ("Ada", "likes tea", "Ada"),
        ("Ada", "works late", '["Ada", 2]'),
    ]
    entity = notes[0].entities[0]
    assert (entity.name, entity.key, entity.type) == ("Ada", "ada", "person")
    assert (notes[0].provenance.kind, notes[0].provenance.span.line_from) == ("import", 2)


def test_a_relation_is_the_sentence_it_says(write):
    note = open_source(write("m.jsonl", lines(MAINTAINS, ADA, PARSER))).notes[-1]
    assert note.text == "Ada maintains parser"
    assert [(x.name, x.type, x.role) for x in note.entities] == [
        ("Ada", "person", "subject"),
        ("parser", "module", "object"),
    ]
    assert note.metadata == {"from": "Ada", "relation": "maintains", "to": "parser"}


def test_an_entity_without_observations_is_kept_by_name(write):
    assert [x.text for x in open_source(write("m.jsonl", lines(PARSER))).notes] == ["parser (module)"]


@pytest.mark.parametrize(
    "record",
    [
        {"type": "entity", "entityName": "Ada", "entity_type": "person", "observations": ["x"]},
        {"type": "entity", "id": "Ada", "entityType": "person", "observations": "x"},
        {"name": "Ada", "entityType": "person", "observations": [{"content": "x"}]},
    ],
)
def test_other_spellings_of_an_entity_are_understood(write, record):
    (note,) = open_source(write("m.jsonl", lines(record))).notes
    assert (note.title, note.text, note.entities[0].type) == ("Ada", "x", "person")


def test_other_spellings_of_a_relation_are_understood(write):
    record = {"type": "relation", "from_id": "a", "to_id": "b", "relation_type": "uses"}
    assert [x.text for x in open_source(write("m.jsonl", lines(record))).notes] == ["a uses b"]


def test_the_graph_may_be_one_json_object(write):
    graph = {"entities": [{k: v for k, v in ADA.items() if k != "type"}], "relations": [{**MAINTAINS, "type": "x"}]}
    source = open_source(write("graph.json", json.dumps(graph, indent=2)))
    assert [x.text for x in source.notes] == ["likes tea", "works late", "Ada maintains parser"]


def test_a_damaged_line_is_a_warning_and_the_rest_is_read(write):
    content = lines(ADA).encode() + b'{"type":"enti\xc3\n[1]\n\n' + lines(MAINTAINS).encode() + b"\0" * 40
    source = open_source(write("m.jsonl", content))
    assert len(source.notes) == 3
    assert [x[:21] for x in source.warnings] == ["left out: m.jsonl:2 i", "left out: m.jsonl:3 i"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"type": "entity", "observations": ["x"]}, "m.jsonl:2: an entity without a name"),
        ({"type": "relation", "from": "a", "to": "b"}, "m.jsonl:2: a relation without"),
        ({"type": "entity", "name": "b", "observations": [3]}, "m.jsonl:2: an observation is no text"),
    ],
)
def test_an_incomplete_record_is_a_warning_that_names_its_line(write, record, reason):
    assert open_source(write("m.jsonl", lines(ADA, record))).warnings[0].startswith(reason)


def test_a_file_without_any_record_is_refused_with_its_line(write):
    with pytest.raises(InvalidInput, match=r"m\.jsonl:2 is no JSON object"):
        open_source(write("m.jsonl", "\nnot json\n"), "mcp")
    assert open_source(write("empty.jsonl", ""), "mcp").notes == ()


def test_an_entity_written_twice_is_one_with_all_its_observations(write):
    source = open_source(write("m.jsonl", lines(ADA, {**ADA, "observations": ["likes tea", "new"]})))
    assert [x.text for x in source.notes] == ["likes tea", "works late", "new"]


def test_nothing_there_is_not_found(tmp_path):
    with pytest.raises(NotFound):
        open_source(tmp_path / "m.jsonl", "mcp")
