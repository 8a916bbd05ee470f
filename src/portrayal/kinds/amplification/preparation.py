"""The training side of a study, as far as it is not there yet."""

from __future__ import annotations

from pathlib import Path

from portrayal.audit import (
    AuditFolder,
    Selection,
    corpus_folder,
    object_path,
    quoted,
    read_selection,
    selection_file,
    write_selection,
)
from portrayal.corpora import Corpus, create_corpus, expanded
from portrayal.errors import StudyError
from portrayal.kinds.amplification.caption_prompts import (
    is_paraphrased,
    with_captions,
    with_paraphrases,
)
from portrayal.kinds.amplification.captions import (
    asked_of,
    links_to_try,
    select_captions,
    wants_nearest,
)
from portrayal.kinds.amplification.checks import (
    require_image_sources,
    require_images,
    require_same_corpus,
    try_images,
)
from portrayal.kinds.amplification.schema import CAPTION, PARAPHRASE, AmplificationStudy
from portrayal.kinds.amplification.training_images import fetch_images
from portrayal.language import open_paraphraser, open_recogniser, open_sentence_encoder
from portrayal.progress import OnProgress, counted, no_progress
from portrayal.studies import Study


def open_corpus(audit: AuditFolder, place: Path) -> Corpus:
    """Open a corpus; of a folder with tables or tars, make one inside the audit first.

    Args:
        audit: The audit.
        place: A corpus folder, or any source that `portrayal corpus add` takes.

    Raises:
        StudyError: There is no corpus yet, and the audit is in an object store, where none can be.
    """
    if (place / "corpus.json").exists():
        return Corpus(place)
    _check_place(place, audit.path)
    return create_corpus(corpus_folder(audit, place.resolve().stem), [place])


def _check_place(place: Path, audit: Path) -> None:
    """Raise where a corpus would have to be made inside an audit that cannot keep one."""
    if object_path(audit) is not None and not (place / "corpus.json").exists():
        raise StudyError(
            f"{place}: not a corpus yet, and {audit} in an object store can keep none; make it on "
            f"this machine with: portrayal corpus add CORPUS {quoted(place)}, and name "
            "CORPUS as `corpus`"
        )


def check_corpus(study: AmplificationStudy, out: Path, corpus: Path | None) -> None:
    """Raise, before a model is loaded, where a study lacks its training data.

    Raises:
        StudyError: No corpus was named and the audit has no captions, or it is not there, or it
            cannot be made.
        CorpusError: What was named contains no captions, or a source of it has changed or is gone.
    """
    if corpus is not None and not corpus.exists():
        raise StudyError(f"{corpus}: no such folder; `corpus` names captions and images")
    if corpus is not None:
        _check_place(corpus, out)
        _check_sources(study, out, corpus)
    if corpus is None and not selection_file(out, study.name).exists():
        raise StudyError(
            f"{study.name}: needs training captions, and {out} has none yet; name the model's "
            "training data, or a stand-in for it, with `corpus`"
        )


def _check_sources(study: AmplificationStudy, out: Path, place: Path) -> None:
    """Raise where a corpus cannot be searched or compared with, or contains no captions."""
    if (place / "corpus.json").exists():
        opened = Corpus(place)
        opened.readable()
        require_image_sources(study, opened)
        audit = AuditFolder.find(out)
        if audit is not None:
            require_same_corpus(study, audit, opened)
    else:
        expanded([place])


def prepare(
    study: AmplificationStudy,
    audit: AuditFolder,
    corpus: Path | None,
    *,
    on_progress: OnProgress | None = None,
) -> AmplificationStudy:
    """Choose a study's captions, fetch their images, and draw its prompts, as far as missing.

    Args:
        study: The study, with what was drawn for it before.
        audit: Where it is asked.
        corpus: A corpus folder, or a source for one; None: what the audit has must do.
        on_progress: Called with what, done and total.

    Returns:
        The study with its captions as prompts; the audit remembers it.

    Raises:
        StudyError: No corpus was named, and the audit has no captions for this study.
        CorpusError: The corpus cannot be read.
    """
    report = on_progress or no_progress
    opened = None if corpus is None else open_corpus(audit, corpus)
    if opened is not None:
        require_image_sources(study, opened)
        require_same_corpus(study, audit, opened)
    selection = _selected(study, audit, opened, report)
    if opened is not None:
        fetch_images(
            audit,
            opened,
            selection.table,
            on_progress=counted(report, "training images"),
        )
    if study.uses(CAPTION) or study.uses(PARAPHRASE):
        study = with_captions(study, selection)
    if study.uses(PARAPHRASE) and not is_paraphrased(study):
        study = with_paraphrases(
            study,
            open_paraphraser(study.paraphraser),
            store=lambda one: audit.remember_study(one.name, one.as_dict()),
            on_progress=counted(report, "paraphrased"),
        )
    audit.remember_study(study.name, study.as_dict())
    return study


def links_of_study(
    study: AmplificationStudy, corpus: Path, *, on_progress: OnProgress
) -> dict[tuple[int, int], str]:
    """Return the captions of a corpus whose images a study needs next, by source and row."""
    encoder = open_sentence_encoder(study.sentences) if wants_nearest(study) else None
    return links_to_try(study, Corpus(corpus), encoder, on_progress=on_progress)


def _selected(
    study: AmplificationStudy, audit: AuditFolder, corpus: Corpus | None, report: OnProgress
) -> Selection:
    stored = read_selection(audit, study.name)
    asked = asked_of(study, corpus)
    if stored is not None and all(stored.about.get(key) == asked[key] for key in asked):
        return stored
    if corpus is None:
        state = "has none yet" if stored is None else "has others, of a study that asked otherwise"
        raise StudyError(
            f"{study.name}: needs training captions, and {audit.path} {state}; name the model's "
            "training data, or a stand-in for it, with `corpus`"
        )
    encoder = open_sentence_encoder(study.sentences) if wants_nearest(study) else None
    if encoder is not None:
        corpus.require_valid("sentences", encoder.identity)
    selection = select_captions(
        study, corpus, recogniser=open_recogniser(study.names), encoder=encoder, on_progress=report
    )
    columns = (selection.table[name].to_pylist() for name in ("source", "row"))
    tried = try_images(corpus, list(zip(*columns, strict=True)), seed=study.seed)
    require_images(study, corpus, tried)
    write_selection(audit, study.name, selection)
    return selection


def carried_over(study: AmplificationStudy, before: Study) -> AmplificationStudy:
    """Return the study with what was drawn for it before.

    Args:
        study: The study.
        before: What the audit remembers under its name.
    """
    if study.drawn is not None:
        return study
    if not isinstance(before, AmplificationStudy):
        raise StudyError(
            f"{study.name}: the audit has a study of kind {before.kind} under this name; "
            "take another name"
        )
    kept: dict[str, object] = {"drawn": before.drawn}
    if not study.real_world:
        kept |= {
            "real_world": before.real_world,
            "real_world_source": before.real_world_source,
        }
    return study.model_copy(update=kept)
