"""What tests of any folder may want."""

import pytest
from helixlog.projections import compiled


@pytest.fixture(scope="module", params=["compiled", "NumPy"])
def loops(request):
    """The inner loops as they were compiled, and done by NumPy instead."""
    if request.param == "compiled":
        if compiled.vectors is None:
            pytest.skip("nothing was compiled here")
        yield
        return
    with compiled.numpy_alone():
        yield
