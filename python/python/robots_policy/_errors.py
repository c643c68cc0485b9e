"""The exceptions of the package."""


class RobotsError(Exception):
    """Any error of this package. Pages and robots.txt files never cause one: every content is accepted."""


class AgentError(RobotsError, ValueError):
    """The name of a robot is invalid."""


class AlreadyInstalled(RobotsError, RuntimeError):
    """A default policy is already installed in this process."""


class ArchiveError(RobotsError):
    """An archive cannot be read, or not to its end."""


class ArchiveWarning(UserWarning):
    """An archive is damaged or unusual. What can be read of it was decided."""


class BatchError(RobotsError):
    """A stream of batches failed, or a batch is malformed."""


class DialectError(RobotsError, ValueError):
    """No dialect has this name."""


class FileObjectError(RobotsError, TypeError):
    """A file object is not a binary file: its method `read` does not return bytes."""


class InputError(RobotsError, ValueError):
    """An argument has the right type and no meaning: lone surrogates, a time that is not finite."""


class LoadError(RobotsError, ValueError):
    """Bytes cannot be loaded as rules or a book, or a text as a decision: damage, or another version, dialect or robot."""


class ProfileError(RobotsError, ValueError):
    """No built-in profile has this name, or a TOML text is not a profile."""


class UrlError(RobotsError, ValueError):
    """A URL has no origin."""
