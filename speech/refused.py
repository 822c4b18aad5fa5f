"""A run that the engine cannot do; another worker could not either."""


class Refused(Exception):
    pass
