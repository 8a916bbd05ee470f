"""Influence studies: which word of the prompt causes it? After word-level explanations."""
