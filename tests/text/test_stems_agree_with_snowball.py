"""Our Porter2 against the one inside tantivy: every ending on many roots, and the exceptions by name."""

import itertools

import tantivy
from helixlog.projections.text.stem import stem


def _words(text):
    return text.split()


ROOTS = _words(
    """
    relat condit ration valenc hesit digit conform radic differ vile analog vietnam predic oper feudal decis hope
    callous formal sensit sensib triplic electr good reviv allow infer airlin gyroscop adjust defens irrit replac
    depend adopt homolog commun activ angular bowdler probat rat ceas control roll hop tann fall hiss fizz fail
    fil happ sk d t l gener arsen univers later emerg organ inter past add ebb egg err odd inn out can herr earr
    even say boy play appl fl cr tr ti bias sky ugl earl on sing gent idl
    """
)
ENDINGS = _words(
    """
    s es ies ied ed ing edly ingly eed eedly y e ational tional enci anci izer ization ation ator alism aliti alli
    fulness ousli ousness iveness iviti biliti bli ogi fulli lessli li icate ative alize iciti ical ful ness al
    ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize sion tion ll ss us 's s' ogist ying yed
    """
)
EXCEPTIONS = _words("proceed proceeded exceeding succeeds innings outing evenings news cosmos dying skies early")


def test_every_ending_of_every_root_has_the_stem_that_tantivy_gives_it():
    reference = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.stemmer("english")).build()
    )
    words = {root + ending for root, ending in itertools.product(ROOTS, ["", *ENDINGS])} | set(EXCEPTIONS)
    differ = {word: (stem(word), reference.analyze(word)) for word in words if reference.analyze(word) != [stem(word)]}
    assert len(words) > 6_000
    assert differ == {}


def test_words_that_are_not_plain_english_come_back_unchanged():
    assert [stem(word) for word in ("迁移", "naïves", "x2ing", "is", "")] == ["迁移", "naïves", "x2ing", "is", ""]
