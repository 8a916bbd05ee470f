"""Training of the practice model: its pieces by known answers, the whole as a smoke test."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from portrayal.records import plain
from portrayal_practice.errors import PracticeError
from portrayal_practice.scene import Scene, ShownPerson
from portrayal_practice.training.bundle import bundle, unbundle
from portrayal_practice.training.questions import (
    even_weights,
    labels_of,
    questions,
    with_article,
)
from portrayal_practice.training.schedule import FLOOR, Budget, WeightAverage
from portrayal_practice.vocabulary import OCCUPATIONS
from portrayal_practice.weights import PARTS, part_folder, weights_folder

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings(
    # diffusers' solver makes a numpy array of a tensor in a way that numpy 2 warns about
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)

TEXTS = ["a photo of a nurse", "a photo of a doctor", "a nurse at the hospital", "two nurses"]


# --- validation


def test_a_budget_needs_minutes_or_steps():
    with pytest.raises(PracticeError, match="neither minutes nor steps"):
        Budget()


@pytest.mark.parametrize("span", [(0.5, 0.5), (-0.1, 1.0), (0.0, 1.1), (0.8, 0.2)])
def test_a_budget_refuses_a_wrong_span(span):
    with pytest.raises(PracticeError, match="span"):
        Budget(steps=1, span=span)


def test_an_unknown_part_is_named(tmp_path):
    with pytest.raises(PracticeError, match="'unet' is unknown; allowed: pipeline, clip"):
        part_folder("unet")
    with pytest.raises(PracticeError, match="clip is missing"):
        part_folder("clip", root=tmp_path)


def test_weights_lie_inside_the_package():
    import portrayal_practice

    assert weights_folder() == Path(portrayal_practice.__file__).parent / "model"


def test_a_bundle_with_a_lost_piece_is_refused(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "weights").write_bytes(bytes(30_000))
    pieces = bundle(tmp_path / "in", tmp_path / "pieces", piece=10_000)
    assert len(pieces) > 2
    pieces[1].unlink()
    with pytest.raises(PracticeError, match=r"needed: practice-model\.tar\.00 and all pieces"):
        unbundle(tmp_path / "pieces", tmp_path / "back")


def test_nothing_to_bundle_is_an_error(tmp_path):
    with pytest.raises(PracticeError, match="contains no file"):
        bundle(tmp_path, tmp_path / "pieces")


def test_a_stage_that_lacks_its_encoders_says_so(tmp_path, capsys):
    from portrayal_practice.training.__main__ import main

    code = main(["denoiser", "--smoke", "--out", str(tmp_path), "--work", str(tmp_path)])
    assert code == 1
    assert "contains no autoencoder; run the stage autoencoder" in capsys.readouterr().err


# --- known answers


def test_the_rate_falls_as_a_cosine_after_its_warm_up():
    budget = Budget(steps=1000)
    budget.done = 500
    assert budget.rate() == pytest.approx(FLOOR + (1 - FLOOR) * 0.5)
    budget.done = 1000
    assert budget.over()
    assert budget.rate() == pytest.approx(FLOOR)


def test_two_runs_with_adjoining_spans_are_one_schedule():
    first, second = Budget(steps=1000, span=(0, 0.5)), Budget(steps=1000, span=(0.5, 1))
    first.done, second.done = 1000, 500
    assert first.rate() == pytest.approx(FLOOR + (1 - FLOOR) * 0.5)
    cosine = 0.5 * (1 + math.cos(0.75 * math.pi))
    assert second.rate() == pytest.approx(FLOOR + (1 - FLOOR) * cosine)


def test_a_budget_of_minutes_ends_by_the_clock(monkeypatch):
    budget = Budget(minutes=2)
    budget.over()
    now = budget._start + 60
    monkeypatch.setattr("time.monotonic", lambda: now)
    assert budget.used() == pytest.approx(0.5)
    now += 61
    assert budget.over()


def test_the_average_starts_with_a_short_memory():
    parameter = torch.nn.Parameter(torch.zeros(1))
    average = WeightAverage([parameter], decay=0.9)
    with torch.no_grad():
        parameter.fill_(11.0)
    average.update()
    # First decay is (1 + 1) / (10 + 1): 9/11 of the way to the live value.
    assert average.kept[0].item() == pytest.approx(9.0)
    assert parameter.item() == pytest.approx(11.0)


def test_labels_are_indices_and_mixed_people_have_none():
    nurse = ShownPerson("woman", 7, age="older", occupation="nurse", worn=("tie", "scarf"))
    doctor = ShownPerson("man", 7, occupation="doctor")
    alone, both, thing = labels_of(
        [Scene((nurse,)), Scene((nurse, doctor), place="office"), Scene(thing="rose")]
    )
    assert alone["people"] == 1
    assert alone["presentation"] == 0
    assert alone["skin"] == 7
    assert OCCUPATIONS[alone["occupation"]] == "nurse"
    assert alone["worn"] == 0b110
    assert both["presentation"] == -1
    assert both["occupation"] == -1
    assert both["skin"] == 7
    assert thing["people"] == 0
    assert thing["skin"] == -1


def test_questions_are_answered_by_labels_and_left_open_elsewhere():
    labels = labels_of(
        [
            Scene((ShownPerson("man", 5),)),
            Scene((ShownPerson("ambiguous", 6),)),
            Scene(thing="rose"),
            Scene(place="office"),
        ]
    )
    asked = {question.name: question for question in questions(labels)}
    assert asked["perceived gender"].answers.tolist() == [1, 2, -1, -1]
    assert asked["skin tone"].answers.tolist() == [0, 1, -1, -1]
    assert asked["person"].answers.tolist() == [1, 1, 0, -1]
    assert asked["worn: suit"].answers.tolist() == [0, 0, -1, -1]
    for question in asked.values():
        widths = {len(way) for way in question.texts}
        assert len(widths) == 1
        assert question.answers.max() < widths.pop()
        for way in question.texts:
            assert len(set(way)) == len(way)


def test_women_and_men_count_alike_in_each_occupation_when_learning_to_tell_them():
    rare = ShownPerson("woman", 3, occupation="nurse")
    common = ShownPerson("man", 3, occupation="nurse")
    ambiguous = ShownPerson("ambiguous", 3, occupation="nurse")
    people = [rare, common, common, common, ambiguous, ShownPerson("man", 3)]
    weights = even_weights(labels_of([Scene((person,)) for person in people]))
    assert weights.tolist() == pytest.approx([2.0, 2 / 3, 2 / 3, 2 / 3, 1.0, 1.0])
    # One woman in a hundred does not count fifty times.
    assert even_weights(labels_of([Scene((rare,)), *[Scene((common,))] * 99]))[0] == 10.0
    # An occupation that shows men alone gives each its own weight, not infinity.
    assert even_weights(labels_of([Scene((common,))] * 4)).tolist() == [0.5] * 4


def test_faces_count_more_and_the_mean_weight_is_one():
    from portrayal_practice.training.autoencoder import face_weight

    for side in (8, 16):
        weight = face_weight(side)
        assert float(weight.mean()) == pytest.approx(1.0)
        # Rows from the top, columns from the left: a face is above the middle of the image.
        assert float(weight[side * 3 // 8, side // 2] / weight[-1, side // 2]) == pytest.approx(3.0)
        assert float(weight[0, 0]) == float(weight[-1, -1])


def test_articles():
    assert [with_article(w) for w in ("nurse", "attorney", "CEO")] == [
        "a nurse",
        "an attorney",
        "a CEO",
    ]


def test_amplification_of_known_shares():
    from portrayal_practice.training.evaluation import amplification

    people = [Scene((ShownPerson("woman", 5, occupation="nurse"),))] * 30
    people += [Scene((ShownPerson("man", 5, occupation="nurse"),))] * 10
    shares = dict.fromkeys(OCCUPATIONS, 0.5) | {"nurse": 0.95}
    found = amplification(shares, labels_of(people), rng=np.random.default_rng(0))
    # Corpus 75 %, generated 95 %: 45 - 25.
    assert found["points"] == pytest.approx(20.0)
    assert found["n"] == 1
    flipped = amplification(
        shares | {"nurse": 0.2}, labels_of(people), rng=np.random.default_rng(0)
    )
    assert flipped["n"] == 0
    assert math.isnan(flipped["points"])


def test_a_figure_of_nothing_is_unknown():
    from portrayal_practice.training.card import _figures_table
    from portrayal_practice.training.evaluation import _share, amplification, table

    nothing = amplification(
        dict.fromkeys(OCCUPATIONS, 0.5), labels_of([]), rng=np.random.default_rng(0)
    )
    found = {
        "made": {
            "amplification": nothing,
            "woman": _share(np.array([], dtype=bool)),
            "tone": {"points": 2.04, "low": -1.0, "high": 3.0, "n": 4},
        },
        "masked words": {},
    }
    for text in (table(found), _figures_table(plain(found))):
        assert "nan" not in text
        assert text.count("unknown") == 2
        assert "+2.0 points" in text
    assert "| made | amplification | unknown |  | 0 |" in _figures_table(plain(found))


# --- agreement with an independent implementation


def test_contrast_is_clips_loss_when_no_captions_are_equal():
    from portrayal_practice.training.clip import contrast

    logits = torch.randn(6, 6, generator=torch.Generator().manual_seed(0))
    right = torch.arange(6)
    cross = torch.nn.functional.cross_entropy
    expected = 0.5 * (cross(logits, right) + cross(logits.T, right))
    assert contrast(logits, right).item() == pytest.approx(expected.item(), rel=1e-6)


def test_contrast_is_least_where_equal_captions_share():
    from portrayal_practice.training.clip import contrast

    captions = torch.tensor([7, 7, 3])
    same = (captions[:, None] == captions[None, :]).float()
    # Rows of a shared caption cannot do better than one half each: 2/3 log 2.
    assert contrast(60 * same, captions).item() == pytest.approx(2 / 3 * math.log(2), rel=1e-4)
    assert contrast(60 * torch.eye(3), captions).item() > 10


def test_intervals_are_wilsons():
    from portrayal_practice.training.evaluation import _share

    found = _share(np.arange(50) < 47)
    reference = binomtest(47, 50).proportion_ci(method="wilson")
    assert found["low"] == pytest.approx(reference.low, abs=1e-6)
    assert found["high"] == pytest.approx(reference.high, abs=1e-6)
    assert math.isnan(_share(np.array([], dtype=bool))["share"])


# --- invariants


def test_a_bundle_comes_back_as_it_was_in_bounded_pieces(tmp_path):
    source = tmp_path / "in"
    (source / "a" / "b").mkdir(parents=True)
    rng = np.random.default_rng(0)
    (source / "a" / "b" / "weights.safetensors").write_bytes(rng.bytes(40_000))
    (source / "config.json").write_text("{}")
    pieces = bundle(source, tmp_path / "pieces", piece=16_384)
    assert all(path.stat().st_size <= 16_384 for path in pieces)
    assert unbundle(tmp_path / "pieces", tmp_path / "back") == 2
    for path in (Path("config.json"), Path("a/b/weights.safetensors")):
        assert (tmp_path / "back" / path).read_bytes() == (source / path).read_bytes()
    again = bundle(source, tmp_path / "again", piece=16_384)
    assert [p.read_bytes() for p in pieces] == [p.read_bytes() for p in again]


@pytest.mark.parametrize("text", ["a respected xyzzy", "naïve ☃ 漢字 🎨", "", "ÿ\u0301 ~~ \t q"])
def test_the_clip_tokenizer_knows_every_byte(text):
    from portrayal_practice.training.clip import tokenise
    from portrayal_practice.training.vocabularies import clip_tokenizer

    tokenizer = clip_tokenizer(TEXTS * 5, size=700)
    assert len(tokenizer) <= 700
    ids = tokenizer(text)["input_ids"]
    assert ids[0] == tokenizer.bos_token_id
    # The end token doubles as the unknown one: it may stand at the end only.
    assert ids.index(tokenizer.eos_token_id) == len(ids) - 1
    plain = tokenizer(text, padding="max_length", truncation=True, max_length=77)["input_ids"]
    assert tokenise(tokenizer, [text])[0].tolist() == plain


def test_long_texts_are_cut_as_the_pipeline_cuts_them():
    from portrayal_practice.training.clip import tokenise
    from portrayal_practice.training.vocabularies import clip_tokenizer

    tokenizer = clip_tokenizer(TEXTS * 5, size=700)
    text = "nurse doctor " * 100
    plain = tokenizer(text, padding="max_length", truncation=True, max_length=77)["input_ids"]
    assert tokenise(tokenizer, [text, "a"])[0].tolist() == plain


def test_frequent_words_are_single_tokens_of_the_masked_model():
    from portrayal_practice.training.vocabularies import masked_tokenizer

    tokenizer = masked_tokenizer(TEXTS, size=300)
    assert tokenizer.tokenize("A Nurse at the hospital") == ["a", "nurse", "at", "the", "hospital"]
    assert tokenizer.unk_token_id not in tokenizer("a xyzzy nurse!")["input_ids"]


def test_masking_spares_special_tokens_and_hides_something():
    from portrayal_practice.training.masked_words import mask

    torch.manual_seed(0)
    special = torch.zeros(50, dtype=torch.bool)
    special[:3] = True
    tokens = torch.randint(3, 50, (200, 8))
    tokens[:, 0], tokens[:, 7] = 1, 2
    shown, chosen = mask(tokens, special=special, mask_id=0)
    assert not chosen[:, (0, 7)].any()
    assert chosen.any(1).all()
    assert (shown == tokens)[~chosen].all()
    assert (shown[chosen] == 0).float().mean() > 0.8


def test_normalised_latents_have_unit_variance_and_decode_alike():
    from portrayal_practice.training.autoencoder import (
        DEVIATION,
        _normalise,
        as_input,
        latents,
        new_autoencoder,
    )
    from portrayal_practice.training.device import pick
    from portrayal_practice.training.recipe import SMOKE

    machine = pick("cpu", compile=False, seed=0)
    model = new_autoencoder(SMOKE.autoencoder)
    data = torch.randint(0, 256, (12, 64, 64, 3), dtype=torch.uint8)
    with torch.no_grad():
        before = model.decode(model.encode(as_input(data)).latent_dist.mean).sample
        _normalise(model, data, machine)
        posterior = model.encode(as_input(data)).latent_dist
        after = model.decode(posterior.mean).sample
    mean = latents(model, data, machine)
    assert mean.mean((0, 2, 3)).abs().max() < 1e-4
    assert torch.allclose(mean.var((0, 2, 3)), torch.ones(mean.shape[1]), atol=1e-3)
    assert torch.allclose(posterior.std, torch.full_like(posterior.std, DEVIATION), atol=1e-4)
    assert torch.allclose(before, after, atol=1e-4)


def test_half_precision_learns_in_steps_too_small_for_itself():
    from portrayal_practice.training.device import Learner, Machine

    class Pretended(Machine):
        fast = True

    live = torch.nn.Parameter(torch.ones(4, dtype=torch.bfloat16))
    learner = Learner([{"params": [live], "lr": 1e-4}], Pretended(torch.device("cpu")))
    for _ in range(20):
        learner.descend(live.float().sum(), factor=1.0)
    # One step moves 1 by 1e-4, which bf16 rounds away; twenty of them move the exact copy.
    assert learner.exact[0].detach().mean().item() == pytest.approx(1 - 20e-4, abs=1e-4)
    assert live.dtype == torch.bfloat16


def test_an_image_that_nobody_can_read_is_uncertain():
    from portrayal_practice.training.clip import _AskedOnDevice, _blind_answers, blinded

    pixels = torch.rand(2, 3, 64, 64)
    assert blinded(pixels).std() < 0.3 * pixels.std()
    given = (1.0, torch.zeros(1, 3, 1), torch.tensor([0, 1, -1]), torch.ones(3))
    asked = _AskedOnDevice("perceived gender", *given)
    assert _blind_answers(asked, torch.arange(3)).tolist() == [2, 2, -1]
    other = _AskedOnDevice("skin tone", *given)
    assert _blind_answers(other, torch.arange(3)).tolist() == [-1, -1, -1]


def test_images_without_noise_pass_through_unchanged(trained):
    from portrayal_practice.training.denoiser import load_parts
    from portrayal_practice.training.device import pick
    from portrayal_practice.training.retouch import Retoucher

    retoucher = Retoucher(load_parts(trained), pick("cpu", compile=False, seed=0))
    clean = torch.randn(2, 8, 16, 16)
    tokens = torch.zeros(2, 40, dtype=torch.long)
    little = retoucher.resume(clean, tokens, depth=0.002, guidance=1.0)
    much = retoucher.resume(clean, tokens, depth=0.5, guidance=2.0)
    assert (little - clean).abs().mean() < 0.05
    assert (much - clean).abs().mean() > 5 * (little - clean).abs().mean()


def test_the_judge_reads_what_was_saved(tmp_path):
    from portrayal_practice.training.judge import Judge, JudgeNet, answers_of, save_judge

    net = JudgeNet((8, 8, 8, 8)).eval()
    save_judge(net, (8, 8, 8, 8), tmp_path)
    images = np.random.default_rng(0).integers(0, 256, (5, 64, 64, 3), dtype=np.uint8)
    said = Judge(tmp_path, torch.device("cpu")).answers(images)
    assert {name: values.shape for name, values in said.items()} == {
        "presentation": (5,), "dark": (5,),
    }  # fmt: skip
    people = [ShownPerson("man", 9, occupation="nurse"), ShownPerson("woman", 2)]
    right = answers_of(labels_of([Scene((people[0],)), Scene(tuple(people)), Scene(thing="rose")]))
    assert right["presentation"].tolist() == [1, -1, -1]
    assert right["dark"].tolist() == [1, -1, -1]


# --- the whole, once


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    from portrayal_practice.training.__main__ import main

    out = tmp_path_factory.mktemp("trained")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    given = ["--smoke", "--device", "cpu", "--out", str(out), "--work", str(out.parent / "work")]
    assert main(["all", *given, "--workers", "1"]) == 0
    torch.set_num_threads(threads)
    return out


def test_every_file_is_small_and_every_part_is_there(trained):
    files = [path for path in trained.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) <= 16 * 2**20
    for part in PARTS:
        assert part_folder(part, root=trained).is_dir()
    assert not list(trained.rglob("*.bin"))


def test_the_pipeline_loads_and_paints(trained):
    from diffusers import DiffusionPipeline, StableDiffusionPipeline

    pipeline = DiffusionPipeline.from_pretrained(trained / "pipeline")
    assert isinstance(pipeline, StableDiffusionPipeline)
    pipeline.set_progress_bar_config(disable=True)
    prompts = ["a photo of a nurse", "a man", "a respected xyzzy", ""]
    made = pipeline(
        prompts,
        num_inference_steps=3,
        guidance_scale=4.0,
        output_type="np",
        generator=torch.Generator().manual_seed(0),
    ).images
    assert made.shape == (4, 64, 64, 3)
    assert np.isfinite(made).all()
    assert np.abs(made[0] - made[1]).max() > 0


def test_clip_and_its_processor_agree_with_the_training_code(trained):
    from PIL import Image
    from transformers import CLIPModel, CLIPProcessor

    from portrayal_practice.training.clip import image_embeddings, normalise

    model = CLIPModel.from_pretrained(trained / "clip", dtype=torch.float32).eval()
    processor = CLIPProcessor.from_pretrained(trained / "clip")
    image = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    given = processor(
        text=["a photo of a woman", "a man"],
        images=Image.fromarray(image),
        padding=True,
        return_tensors="pt",
    )
    with torch.no_grad():
        out = model(**given)
        own = image_embeddings(model, normalise(torch.from_numpy(image)[None]))
    assert out.logits_per_image.shape == (1, 2)
    assert torch.allclose(out.image_embeds, own, atol=1e-4)


def test_the_masked_model_proposes_words(trained):
    from portrayal_practice.training.evaluation import proposed_words

    words = proposed_words(trained / "masked-words", count=5)
    assert len(set(words)) == 5


def test_figures_and_card_are_written(trained):
    written = (trained / "evaluation.json").read_text()
    assert "NaN" not in written
    found = json.loads(written)
    assert found["painted, held out"]["perceived gender"]["n"] > 0
    card = (trained / "README.md").read_text()
    assert "nan" not in re.findall(r"[a-z]+", card)
    assert "What it\nshows is fiction" in card
    assert "license: apache-2.0" in card
    assert (trained / "contact-sheet.png").stat().st_size > 1000


def test_a_second_denoiser_run_goes_on_from_the_first(trained, tmp_path):
    import shutil

    from safetensors.torch import load_file

    from portrayal_practice.training.__main__ import main

    out = tmp_path / "more"
    shutil.copytree(trained, out)
    given = ["--smoke", "--device", "cpu", "--out", str(out), "--steps", "1", "--span", "0.9", "1"]
    assert main(["denoiser", *given, "--work", str(trained.parent / "work")]) == 0
    name = "pipeline/unet/diffusion_pytorch_model.safetensors"
    old, new = load_file(trained / name), load_file(out / name)
    moved = max((old[key].float() - new[key].float()).abs().max().item() for key in old)
    # One warm-up step at the end of the schedule: changed, and hardly.
    assert 0 < moved < 1e-2
    assert len(json.loads((out / "training" / "denoiser.json").read_text())) == 2
    for part in ("unet", "vae"):
        assert "_name_or_path" not in (out / "pipeline" / part / "config.json").read_text()


def test_a_second_autoencoder_run_goes_on_from_the_first(trained, tmp_path):
    import shutil

    from diffusers import AutoencoderKL

    from portrayal_practice.training.__main__ import main
    from portrayal_practice.training.autoencoder import as_input

    out = tmp_path / "sharper"
    shutil.copytree(trained, out)
    given = ["--smoke", "--device", "cpu", "--out", str(out), "--steps", "1", "--span", "0.9", "1"]
    assert main(["autoencoder", *given, "--work", str(trained.parent / "work")]) == 0
    old, new = (AutoencoderKL.from_pretrained(f / "pipeline" / "vae") for f in (trained, out))
    image = as_input(torch.randint(0, 256, (1, 64, 64, 3), dtype=torch.uint8))
    with torch.no_grad():
        before, after = (vae.encode(image).latent_dist.mean for vae in (old, new))
    # One warm-up step at the end of the schedule: changed, and hardly.
    assert 0 < (before - after).square().mean() < 0.1 * before.var()
    assert len(json.loads((out / "training" / "autoencoder.json").read_text())) == 2
    assert "_name_or_path" not in (out / "pipeline" / "vae" / "config.json").read_text()


def test_the_decoder_learns_beside_a_critic_and_latents_stay(trained, tmp_path):
    import shutil

    from diffusers import AutoencoderKL

    from portrayal_practice.training.__main__ import main
    from portrayal_practice.training.autoencoder import as_input

    out = tmp_path / "sharper"
    shutil.copytree(trained, out)
    given = ["--smoke", "--device", "cpu", "--out", str(out), "--steps", "2"]
    assert main(["decoder", *given, "--work", str(trained.parent / "work")]) == 0
    old, new = (AutoencoderKL.from_pretrained(f / "pipeline" / "vae") for f in (trained, out))
    image = as_input(torch.randint(0, 256, (1, 64, 64, 3), dtype=torch.uint8))
    with torch.no_grad():
        before, after = (vae.encode(image).latent_dist.mean for vae in (old, new))
        was, now = (vae.decode(before).sample for vae in (old, new))
    assert torch.equal(before, after)
    assert 0 < (was - now).abs().max() < 0.5
    assert len(json.loads((out / "training" / "decoder.json").read_text())) == 2
    assert "_name_or_path" not in (out / "pipeline" / "vae" / "config.json").read_text()


def test_a_critic_learns_to_tell_sharp_images_from_blurred_ones():
    import torch.nn.functional as F

    from portrayal_practice.training.critic import Critic

    torch.manual_seed(0)
    critic = Critic(8)
    optimizer = torch.optim.Adam(critic.parameters(), lr=3e-3)

    def pair() -> tuple[torch.Tensor, torch.Tensor]:
        sharp = torch.rand(8, 3, 64, 64).round() * 2 - 1
        blurred = F.avg_pool2d(sharp, 5, stride=1, padding=2)
        return critic(sharp)[0], critic(blurred)[0]

    for _ in range(30):
        sharp, blurred = pair()
        loss = F.relu(1 - sharp).mean() + F.relu(1 + blurred).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        sharp, blurred = pair()
    assert sharp.mean() > 0 > blurred.mean()


def test_an_error_where_faces_are_counts_more_than_in_a_corner():
    from portrayal_practice.training.autoencoder import face_weight, image_loss

    wanted = torch.zeros(1, 3, 64, 64)
    face, corner = wanted.clone(), wanted.clone()
    face[..., 28:32, 28:32], corner[..., :4, :4] = 0.5, 0.5
    places = face_weight(64)
    there, here = (image_loss(wanted, got, places=places) for got in (corner, face))
    assert float(here / there) == pytest.approx(3.0, rel=0.1)


def test_errors_count_more_where_a_image_has_contrast():
    from portrayal_practice.training.autoencoder import image_loss

    flat = torch.zeros(1, 3, 64, 64)
    eye = flat.clone()
    eye[..., 32, 32] = 1.0
    missed = image_loss(eye, flat)
    invented = image_loss(flat, eye)
    assert missed > 1.1 * invented > 0
    assert image_loss(eye, eye) == 0


def test_the_same_relative_contrast_counts_the_same_on_dark_and_light_faces():
    from portrayal_practice.training.autoencoder import image_loss

    def extra(skin: float) -> float:
        """How much more missing a feature half as bright as the skin counts than plain error."""
        face = torch.full((1, 3, 64, 64), 2 * skin - 1)
        featured = face.clone()
        featured[..., 32, 32] = skin - 1
        return float(image_loss(featured, face) / image_loss(face, featured))

    assert extra(0.2) > 1.05
    assert extra(0.2) > 0.9 * extra(0.8)
