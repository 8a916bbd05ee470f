"""Composition studies: who is shown?"""
