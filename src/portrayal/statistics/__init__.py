"""Statistics on plain arrays: numpy and scipy in, small frozen results out.

Nothing here reads a file, knows an audit or imports torch.
"""

from __future__ import annotations

from portrayal.statistics.association import (
    AssociationResult,
    association_scores,
    association_test,
)
from portrayal.statistics.concept import (
    MultiAssociationResult,
    SingleAssociationResult,
    multi_association,
    single_association,
)
from portrayal.statistics.correction import benjamini_hochberg
from portrayal.statistics.effect import cohen_size_word
from portrayal.statistics.intervals import (
    BootstrapResult,
    Interval,
    cluster_bootstrap,
    share_interval,
)
from portrayal.statistics.power import (
    detectable_effect,
    detectable_share,
    detectable_share_difference,
)
from portrayal.statistics.prediction_powered import (
    PredictionPoweredResult,
    prediction_powered_share,
)
from portrayal.statistics.sequential import AnytimeResult, anytime_mean, anytime_share_interval

__all__ = [
    "AnytimeResult",
    "AssociationResult",
    "BootstrapResult",
    "Interval",
    "MultiAssociationResult",
    "PredictionPoweredResult",
    "SingleAssociationResult",
    "anytime_mean",
    "anytime_share_interval",
    "association_scores",
    "association_test",
    "benjamini_hochberg",
    "cluster_bootstrap",
    "cohen_size_word",
    "detectable_effect",
    "detectable_share",
    "detectable_share_difference",
    "multi_association",
    "prediction_powered_share",
    "share_interval",
    "single_association",
]
