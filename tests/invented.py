"""Real audits with invented embeddings: what an encoder might have seen, without an encoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from portrayal.audit import AuditFolder
from portrayal.records import Identity, ImageRecord, Measurement, Prompt, image_key
from portrayal.studies.schema import Study

GENERATOR = Identity("folder", "invented", {"steps": 50, "guidance": 7.5})
ENCODER = Identity("clip", "invented-encoder", {"logit_scale": 100.0})
OTHER_ENCODER = Identity("clip", "other-encoder", {"logit_scale": 100.0})
WIDTH = 32

Vectors = Callable[[Prompt, int], np.ndarray | None]
"""Embedding of a prompt's image with this seed; None: the encoder gives a reason instead."""

Status = Callable[[Prompt, int], str]


def direction(name: str) -> np.ndarray:
    """A fixed random unit vector for every name."""
    rng = np.random.default_rng([7, *name.encode()])
    vector = rng.normal(size=WIDTH)
    return vector / np.linalg.norm(vector)


def leaning(
    lean: Mapping[str, float], *, attribute: float = 0.5, stimulus: float = 0.2, noise: float = 0.3
) -> Vectors:
    """Images of a concept lean by so much towards the first attribute's direction."""

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        factors = prompt.factors
        rng = np.random.default_rng([seed, *prompt.text.encode()])
        axis = direction("valence")
        vector = direction("base") * 2 + 0.3 * direction(factors["concept"])
        vector = vector + stimulus * direction(factors["stimulus"])
        if factors["attribute"] == "neutral":
            vector = vector + lean.get(factors["concept"], 0.0) * axis
        else:
            sign = 1 if factors["attribute"] in ("pleasant", "male", "A") else -1
            vector = vector + sign * attribute * axis
        return vector + noise * rng.normal(size=WIDTH) / np.sqrt(WIDTH) * 2

    return vectors


def fill_audit(
    audit: AuditFolder,
    studies: Sequence[Study],
    vectors: Vectors,
    *,
    encoder: Identity = ENCODER,
    status: Status = lambda prompt, seed: "ok",
    texts: Callable[[str], np.ndarray] | None = direction,
    measured: Callable[[Prompt, int], bool] = lambda prompt, seed: True,
    seeds: Callable[[Prompt], range] = lambda prompt: range(prompt.images),
) -> AuditFolder:
    """Store images, embeddings and text embeddings of some studies.

    Seeds are 0, 1, 2 ... of every prompt, as of imported images; `Prompt.seeds` for those that the
    verbs would take.
    """
    records, measurements = [], []
    for study in studies:
        audit.remember_study(study.name, study.as_dict())
        for prompt in study.prompts():
            for seed in seeds(prompt):
                how = status(prompt, seed)
                data = b"image" if how == "ok" else None
                reason = None if how == "ok" else "invented"
                records.append(ImageRecord(prompt.text, seed, how, reason, data))  # type: ignore[arg-type]
                if how == "ok" and measured(prompt, seed):
                    vector = vectors(prompt, seed)
                    key = image_key(audit.generator, prompt.text, seed)
                    values = None if vector is None else {"embedding": vector}
                    why = "unreadable" if vector is None else None
                    measurements.append(Measurement(key, values, why))
    audit.append_images(records)
    audit.append_measurements(encoder, {"embedding": "vector"}, measurements)
    if texts is not None:
        wanted = list(dict.fromkeys(text for study in studies for text in study.texts()))
        absent = audit.missing_texts(encoder, wanted)
        if absent:
            rows = np.stack([texts(text) for text in absent])
            n = len(absent)
            audit.append_texts(encoder, absent, rows, tokens=[5] * n, truncated=[False] * n)
    return audit
