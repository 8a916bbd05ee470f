"""The practice world: a text-to-image model whose truth is known. Fiction for calibration."""

NAME = "practice"
"""The trained model; the encoder and the text models that belong to it are called the same."""

PAINTER = "practice:painter"
"""The painter as a generator."""
