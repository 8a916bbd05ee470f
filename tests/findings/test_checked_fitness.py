"""People's labels of a drawn sample say whether a measurer is fit, as votes of all images do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PIL import Image

from label_measurers import GENDER, ColourJudge, shown, store_images
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.findings import Results
from portrayal.findings.fitness import LabelCheck, LabelQuality, floor
from portrayal.findings.label_table import predicted_labels
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.validations import HOME
from portrayal.measurers import measure
from portrayal.raters.campaigns import ImageChoice, plan_campaign
from portrayal.raters.store import written
from portrayal.records import Ballot, Identity
from portrayal.runner.analysis import analyze
from portrayal.studies.reading import study_from_dict

FAST = AnalysisSettings(resamples=99)
STUDY = study_from_dict({
    "kind": "composition", "name": "jobs", "images": 60, "template": "a photo of a {who}",
    "axes": [GENDER], "factors": {"who": ["nurse", "judge"]},
})  # fmt: skip


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME, str(tmp_path / "home"))


class Swapped(ColourJudge):
    """Takes women for men and men for women."""

    identity = Identity("judge", "swapped")

    def measure(self, images: Sequence[Image.Image]) -> list[dict[str, object]]:
        other = {"woman": "man", "man": "woman"}
        return [{"labels": {GENDER: {other[shown(image)]: 1.0}}} for image in images]


class EverySecond(ColourJudge):
    """Takes every second woman for a man."""

    identity = Identity("judge", "second")

    def measure(self, images: Sequence[Image.Image]) -> list[dict[str, object]]:
        seen = [
            "woman" if shown(image) == "woman" and image.width % 4 == 1 else "man"
            for image in images
        ]
        return [{"labels": {GENDER: {one: 1.0}}} for one in seen]


def women_and_men(audit: AuditFolder) -> Callable[[str], str]:
    """Store images, every other one of a woman; return what each shows."""
    store_images(audit, STUDY, lambda prompt, seed: "woman" if seed % 2 else "man")
    rows = audit.images().select("key, seed").fetchall()
    truth = {key: "woman" if seed % 2 else "man" for key, seed in rows}
    return truth.__getitem__


def check(audit: AuditFolder, sample: int, answer: Callable[[str], str]) -> None:
    """Draw a sample as `annotate --sample` does, and answer it."""
    choice = ImageChoice(sample=sample, predicted=predicted_labels(audit))
    campaign = plan_campaign(audit, [STUDY], choice)
    campaign.remember(audit)
    definitions = written(campaign.questions)
    audit.append_votes([
        Ballot(one.image, question, definitions[question], "rater-1", said, source=campaign.name)
        for one in campaign.subjects
        for question, said in (("person", "yes"), ("gender", answer(one.image)))
    ])  # fmt: skip


def test_a_measurer_that_a_sample_shows_to_be_wrong_is_refused(audit: AuditFolder) -> None:
    truth = women_and_men(audit)
    measure(audit, [Swapped()])
    check(audit, 40, truth)
    with pytest.raises(AuditError, match=r"refused as unfit: swapped .* 0 .* on 40 images that pe"):
        analyze(audit, settings=FAST)
    measure(audit, [ColourJudge()])
    results = analyze(audit, settings=FAST)
    assert {one.measurer: one.verdict for one in results.labels.checks} == {
        "swapped": "unfit",
        "colours": "fit",
    }
    assert not any("not known" in line for line in results.label_warnings())


def test_recalls_are_weighted_as_the_sample_was_drawn(audit: AuditFolder) -> None:
    """Every label of a woman stands for ten times as many images as was drawn."""
    truth = women_and_men(audit)
    measure(audit, [EverySecond()])
    check(audit, 40, truth)
    ((name, campaign),) = audit.campaigns().items()
    stratum, population = campaign["design"]["drawn"], campaign["design"]["population"]
    as_women = "jobs: perceived gender woman"
    population[as_women] *= 10
    audit.remember_campaign(name, campaign)
    (found,) = analyze(audit, settings=FAST).labels.checks
    weight = {one: n / list(stratum.values()).count(one) for one, n in population.items()}
    women = [weight[stratum[key]] for key in stratum if truth(key) == "woman"]
    right = [weight[as_women] for one in stratum.values() if one == as_women]
    assert (found.source, found.n) == ("raters", 40)
    assert found.accuracy == pytest.approx((sum(right) / sum(women) + 1) / 2)
    assert found.accuracy - (len(right) / len(women) + 1) / 2 > 0.1
    assert found.low < found.accuracy < found.high


def test_estimates_that_are_corrected_are_never_called_uncorrected(audit: AuditFolder) -> None:
    women_and_men(audit)
    measure(audit, [ColourJudge()])
    check(audit, 20, lambda image: "woman")
    results = analyze(audit, settings=FAST)
    assert results.sources[0].status == "corrected"
    assert results.label_warnings()[0] == (
        "Labels of 20 images checked by people, estimates corrected: it is not known how often "
        "the measurer “colours” is right about perceived gender."
    )


def test_labels_of_people_alone_are_called_their_own(audit: AuditFolder) -> None:
    truth = women_and_men(audit)
    campaign = plan_campaign(audit, [STUDY], ImageChoice())
    definitions = written(campaign.questions)
    audit.append_votes([
        Ballot(one.image, "gender", definitions["gender"], "rater-1", truth(one.image))
        for one in campaign.subjects
    ])  # fmt: skip
    results: Results = analyze(audit, settings=FAST)
    assert results.labels.error_in_words() == "labels are people's own answers"
    fit = LabelCheck("m", "a", "raters", 0.9, 0.8, 1.0, 30, 0.0, floor(2))
    assert "people's own" not in LabelQuality(("m",), (fit,), rated=30).error_in_words()
    assert LabelQuality().error_in_words() == "unknown"
