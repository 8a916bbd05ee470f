"""The practice world: a text-to-image model whose truth is known. Fiction for calibration."""
