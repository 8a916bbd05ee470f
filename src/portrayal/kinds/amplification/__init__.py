"""Amplification studies: are group shares further from even than in the training data?"""
