"""scikit-learn's own checks, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsvm import SparseSVC, SparseSVCCV


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([SparseSVC(), SparseSVC("l1", loss="squared_hinge"), SparseSVCCV()])
def test_check(estimator, check):
    check(estimator)
