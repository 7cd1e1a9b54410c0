"""A module of the family in wrong.py."""


def helps(rows):
    return rows["no such key"]
