from helixlog.constants import Constants


def test_every_constant_is_told_with_its_unit_range_and_meaning(memory):
    told = memory.constants()
    names = {one.name for one in told.constants}
    assert names == {*Constants.__struct_fields__, "duplicate", "related", "causal", "min_relevance"} - {"thresholds"}
    assert all(one.description and one.unit and one.source for one in told.constants)
    rate = next(one for one in told.constants if one.name == "learning_rate")
    assert (rate.value, rate.default, rate.range) == (0.2, 0.2, (0.0, 1.0))
    assert told.digest == memory.view().beliefs.constants.digest()


def test_thresholds_are_those_of_the_embedder_in_use(memory, plain):
    def duplicate(opened):
        return next(one.value for one in opened.constants().constants if one.name == "duplicate")

    assert (duplicate(memory), duplicate(plain)) == (0.92, 0.85)
