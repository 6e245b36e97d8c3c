CODE = """
import sys
from helixlog.eventlog import events, ids, log
print(sorted({"lmdb", "numpy"} & set(sys.modules)))
"""


def test_the_vocabulary_is_light_to_import(python):
    assert python(CODE) == "[]\n"
