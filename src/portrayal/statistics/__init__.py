"""Statistics on plain arrays: numpy and scipy in, small frozen results out.

Nothing here reads a file, knows an audit or imports torch.
"""

from __future__ import annotations

from portrayal.statistics.agreement import (
    AgreementResult,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from portrayal.statistics.amplification import (
    AmplificationResult,
    DecompositionResult,
    ItemMean,
    ReductionResult,
    Switching,
    amplification,
    amplification_reduction,
    decomposition,
    item_mean,
)
from portrayal.statistics.amplification_sampling import (
    CountedAmplificationResult,
    Occupations,
    amplification_against_shares,
    amplification_from_counts,
)
from portrayal.statistics.amplification_subsets import (
    decomposition_from_counts,
    reduction_from_counts,
)
from portrayal.statistics.association import (
    AssociationResult,
    association_scores,
    association_test,
)
from portrayal.statistics.association_permutation import association_permutation_test
from portrayal.statistics.balanced_accuracy import BalancedAccuracyResult, balanced_accuracy
from portrayal.statistics.cells import CellShares, cell_shares
from portrayal.statistics.change import (
    AttributeChange,
    Change,
    PairedChangeResult,
    PublishedScores,
    Unit,
    UnknownResult,
    paired_bias_change,
    paired_change,
)
from portrayal.statistics.classification import (
    Average,
    ConfusionResult,
    Score,
    confusion,
    confusion_scores,
)
from portrayal.statistics.concept import (
    MultiAssociationResult,
    SingleAssociationResult,
    multi_association,
    single_association,
)
from portrayal.statistics.correction import benjamini_hochberg
from portrayal.statistics.correlation import CorrelationResult, pearson_correlation
from portrayal.statistics.counts import Intervals
from portrayal.statistics.differences import (
    DifferenceResult,
    PromptUnit,
    estimate_difference,
    mean_difference,
    share_difference,
)
from portrayal.statistics.diversity import (
    BiasResult,
    DiversityResult,
    ManyGroupDiversityResult,
    bias_score,
    diversity_score,
    many_group_diversity,
)
from portrayal.statistics.drawn_labels import (
    CombinedResult,
    DrawnAnswers,
    agreeing,
    combine_draws,
    combine_p_values,
    without_averaged_noise,
)
from portrayal.statistics.drawn_targets import DrawnDistance, drawn_target_distance
from portrayal.statistics.effect import cohen_size_word
from portrayal.statistics.equivalence import (
    EquivalenceResult,
    NonInferiorityResult,
    Worse,
    equivalence,
    non_inferiority,
)
from portrayal.statistics.influence import (
    combine,
    hoeffding_bound,
    hoeffding_margin,
    influence_weights,
    pair_interactions,
    shapley_influence,
    word_influence,
)
from portrayal.statistics.influence_average import MeanInfluenceResult, mean_influence
from portrayal.statistics.influence_sampling import (
    InfluenceResult,
    InteractionResult,
    influence_estimate,
    interaction_estimate,
    sample_subsets,
)
from portrayal.statistics.intervals import (
    UNKNOWN,
    UNLIMITED,
    BootstrapResult,
    Interval,
    cluster_bootstrap,
    share_interval,
    widen_interval,
)
from portrayal.statistics.joint_labels import AxisLabels, draw_joint_labels
from portrayal.statistics.label_errors import (
    NOT_ASKED,
    LabelDraws,
    PromptOrder,
    draw_labels,
)
from portrayal.statistics.leaning import LeaningResult, leaning_change
from portrayal.statistics.levels import LevelTest, level_test
from portrayal.statistics.looks import (
    LooksMethod,
    LooksResult,
    look_sizes,
    planned_looks,
    spent_share,
    unplanned_looks,
)
from portrayal.statistics.permutation import PermutationResult
from portrayal.statistics.planning import (
    difference_between_levels,
    difference_between_levels_of_prompts,
    images_for_share_width,
    images_from_pilot,
    least_p_of_levels,
)
from portrayal.statistics.power import (
    detectable_effect,
    detectable_share,
    detectable_share_difference,
)
from portrayal.statistics.prediction_powered import (
    CheckedSample,
    PredictionPoweredResult,
    prediction_powered_difference,
    prediction_powered_share,
)
from portrayal.statistics.rank_correlation import RankCorrelationResult, kendall_tau
from portrayal.statistics.repeats import RepeatResult, repeat_error, without_error
from portrayal.statistics.samples import ConceptEmbeddings, Embeddings, PickedRows
from portrayal.statistics.sequential import AnytimeResult, anytime_mean, anytime_share_interval
from portrayal.statistics.shares import prompts_share_interval
from portrayal.statistics.targets import TargetDistance, target_distance
from portrayal.statistics.text_shares import Texts
from portrayal.statistics.votes import RULES, ConsensusResult, Rule, consensus

__all__ = [
    "NOT_ASKED",
    "RULES",
    "UNKNOWN",
    "UNLIMITED",
    "AgreementResult",
    "AmplificationResult",
    "AnytimeResult",
    "AssociationResult",
    "AttributeChange",
    "Average",
    "AxisLabels",
    "BalancedAccuracyResult",
    "BiasResult",
    "BootstrapResult",
    "CellShares",
    "Change",
    "CheckedSample",
    "CombinedResult",
    "ConceptEmbeddings",
    "ConfusionResult",
    "ConsensusResult",
    "CorrelationResult",
    "CountedAmplificationResult",
    "DecompositionResult",
    "DifferenceResult",
    "DiversityResult",
    "DrawnAnswers",
    "DrawnDistance",
    "Embeddings",
    "EquivalenceResult",
    "InfluenceResult",
    "InteractionResult",
    "Interval",
    "Intervals",
    "ItemMean",
    "LabelDraws",
    "LeaningResult",
    "LevelTest",
    "LooksMethod",
    "LooksResult",
    "ManyGroupDiversityResult",
    "MeanInfluenceResult",
    "MultiAssociationResult",
    "NonInferiorityResult",
    "Occupations",
    "PairedChangeResult",
    "PermutationResult",
    "PickedRows",
    "PredictionPoweredResult",
    "PromptOrder",
    "PromptUnit",
    "PublishedScores",
    "RankCorrelationResult",
    "ReductionResult",
    "RepeatResult",
    "Rule",
    "Score",
    "SingleAssociationResult",
    "Switching",
    "TargetDistance",
    "Texts",
    "Unit",
    "UnknownResult",
    "Worse",
    "agreeing",
    "amplification",
    "amplification_against_shares",
    "amplification_from_counts",
    "amplification_reduction",
    "anytime_mean",
    "anytime_share_interval",
    "association_permutation_test",
    "association_scores",
    "association_test",
    "balanced_accuracy",
    "benjamini_hochberg",
    "bias_score",
    "cell_shares",
    "cluster_bootstrap",
    "cohen_kappa",
    "cohen_size_word",
    "combine",
    "combine_draws",
    "combine_p_values",
    "confusion",
    "confusion_scores",
    "consensus",
    "decomposition",
    "decomposition_from_counts",
    "detectable_effect",
    "detectable_share",
    "detectable_share_difference",
    "difference_between_levels",
    "difference_between_levels_of_prompts",
    "diversity_score",
    "draw_joint_labels",
    "draw_labels",
    "drawn_target_distance",
    "equivalence",
    "estimate_difference",
    "fleiss_kappa",
    "hoeffding_bound",
    "hoeffding_margin",
    "images_for_share_width",
    "images_from_pilot",
    "influence_estimate",
    "influence_weights",
    "interaction_estimate",
    "item_mean",
    "kendall_tau",
    "krippendorff_alpha",
    "leaning_change",
    "least_p_of_levels",
    "level_test",
    "look_sizes",
    "many_group_diversity",
    "mean_difference",
    "mean_influence",
    "multi_association",
    "non_inferiority",
    "pair_interactions",
    "paired_bias_change",
    "paired_change",
    "pearson_correlation",
    "percent_agreement",
    "planned_looks",
    "prediction_powered_difference",
    "prediction_powered_share",
    "prompts_share_interval",
    "reduction_from_counts",
    "repeat_error",
    "sample_subsets",
    "shapley_influence",
    "share_difference",
    "share_interval",
    "single_association",
    "spent_share",
    "target_distance",
    "unplanned_looks",
    "widen_interval",
    "without_averaged_noise",
    "without_error",
    "word_influence",
]
