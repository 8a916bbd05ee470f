"""Training of the practice model: from painted images to weights that ship with the package.

    recipe.py         every size and setting, full and smoke
    images.py       paints the corpus into one array, keeps captions and labels beside it
    questions.py      short label captions ("a photo of a woman") and which image each one fits
    vocabularies.py   the two tokenizers
    schedule.py       budget in minutes or steps, learning rate, moving average
    device.py         where tensors live, precision, one step; storage.py: fp16 files
    autoencoder.py    AutoencoderKL          -> pipeline/vae
    clip.py           CLIPModel              -> clip/
    masked_words.py   BertForMaskedLM        -> masked-words/
    denoiser.py       UNet2DConditionModel   -> pipeline/
    evaluation.py     the figures of the model card; sheet.py draws the contact sheet
    card.py           the model card
    bundle.py         carries a folder as a few files of bounded size
    stages.py         the order of it all; `python -m portrayal_practice.training STAGE`

Only this package needs torch at import; nothing outside it imports it before training is asked for.
"""
