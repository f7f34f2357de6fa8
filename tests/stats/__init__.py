"""Tests of simkit.stats."""
