"""Captions that serve as prompts, and their paraphrases; kept in the study."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from portrayal.audit import SAMPLED, Selection
from portrayal.kinds.amplification.schema import (
    CAPTION,
    PARAPHRASE,
    AmplificationStudy,
    CaptionPrompt,
    DrawnCaptions,
)
from portrayal.language import Caption, Paraphraser, kept
from portrayal.progress import OnCount

CHUNK = 128
"""Captions that are paraphrased before what there is is stored."""


def with_captions(study: AmplificationStudy, selection: Selection) -> AmplificationStudy:
    """Return the study with the sampled captions that serve as prompts, the first ones.

    Paraphrases of an earlier choice are kept where the caption is the same.
    """
    wanted = study.uses(CAPTION) or study.uses(PARAPHRASE)
    at_most = study.caption_prompts or study.captions
    before = {
        (occupation, one.caption): one
        for occupation, captions in (study.drawn.captions if study.drawn else {}).items()
        for one in captions
    }
    chosen: dict[str, list[CaptionPrompt]] = {occupation: [] for occupation in study.occupations}
    columns = ("occupation", "prompt", "rank", "caption", "indicator", "key")
    rows = zip(*(selection.table[name].to_pylist() for name in columns), strict=True)
    for occupation, prompt, rank, caption, indicator, key in rows:
        if wanted and prompt == SAMPLED and rank < at_most:
            known = before.get((occupation, caption))
            chosen[occupation].append(
                CaptionPrompt(
                    caption=caption,
                    indicator=indicator,
                    paraphrase=known.paraphrase if known else None,
                    key=key,
                    long=known.long if known else False,
                )
            )
    drawn = DrawnCaptions(
        corpus=dict(selection.about["corpus"]),
        paraphraser=study.drawn.paraphraser if study.drawn else None,
        captions={occupation: tuple(captions) for occupation, captions in chosen.items()},
    )
    return study.model_copy(update={"drawn": drawn})


def without_texts(study: AmplificationStudy, texts: Collection[str]) -> AmplificationStudy:
    """Return the study with captions, and paraphrases, that are too long marked as no prompts."""
    if study.drawn is None:
        return study
    captions = {
        occupation: tuple(
            one.model_copy(
                update={
                    "long": one.long or one.caption in texts,
                    "paraphrase": "" if one.paraphrase in texts else one.paraphrase,
                }
            )
            for one in drawn
        )
        for occupation, drawn in study.drawn.captions.items()
    }
    drawn = study.drawn.model_copy(update={"captions": captions})
    return study.model_copy(update={"drawn": drawn})


def is_paraphrased(study: AmplificationStudy) -> bool:
    """Tell whether every caption has been paraphrased by whom the study names.

    Then nobody need be asked, and no key is wanted.
    """
    drawn, wanted = study.drawn, study.paraphraser
    if drawn is None or drawn.paraphraser is None:
        return False
    return wanted.is_meant(drawn.paraphraser) and all(
        one.paraphrase is not None for captions in drawn.captions.values() for one in captions
    )


def with_paraphrases(
    study: AmplificationStudy,
    paraphraser: Paraphraser,
    *,
    store: Callable[[AmplificationStudy], None],
    on_progress: OnCount | None = None,
) -> AmplificationStudy:
    """Return the study with a paraphrase of every caption that has none.

    Args:
        study: A study with its captions.
        paraphraser: Who paraphrases. What another one wrote is written again.
        store: Called with the study as far as it is, so that nothing is paid for twice.
        on_progress: Called with how many are done, and how many there are.
    """
    drawn = study.drawn
    assert drawn is not None
    identity = paraphraser.identity.as_dict()
    known = {
        (occupation, one.caption): one.paraphrase
        for occupation, captions in drawn.captions.items()
        for one in captions
        if one.paraphrase is not None and drawn.paraphraser == identity
    }
    wanted = [
        (occupation, one.caption)
        for occupation, captions in drawn.captions.items()
        for one in captions
    ]
    missing = list(dict.fromkeys(pair for pair in wanted if pair not in known))
    total = len(set(wanted))
    study = _written(study, identity, known)
    for start in range(0, len(missing), CHUNK):
        some = missing[start : start + CHUNK]
        texts = kept(paraphraser, [Caption(caption, occupation) for occupation, caption in some])
        known.update(zip(some, texts, strict=True))
        study = _written(study, identity, known)
        store(study)
        if on_progress is not None:
            on_progress(total - len(missing) + start + len(some), total)
    return study


def _written(
    study: AmplificationStudy, identity: dict[str, object], known: Mapping[tuple[str, str], str]
) -> AmplificationStudy:
    assert study.drawn is not None
    captions = {
        occupation: tuple(
            one.model_copy(update={"paraphrase": known.get((occupation, one.caption))})
            for one in drawn
        )
        for occupation, drawn in study.drawn.captions.items()
    }
    drawn = study.drawn.model_copy(update={"paraphraser": identity, "captions": captions})
    return study.model_copy(update={"drawn": drawn})
