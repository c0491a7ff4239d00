"""Evaluating the measures and the collection themselves: what is a good measure?"""
