"""A run that no worker of this engine can do."""


class Refused(Exception):
    pass
