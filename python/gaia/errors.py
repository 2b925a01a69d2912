# SPDX-License-Identifier: MIT
"""What gaia raises: `Error` and its kinds.

Every message names the function or key, says what was expected and what came, and names the way out where
there is one.  Each kind is also the exception of Python's that comes nearest, so `except ValueError` catches what it
should.
"""

__all__ = ["Error", "ArgumentError", "ShapeError", "DTypeError", "DeviceError", "OutOfMemory", "ConfigError",
           "DataError", "OutputError", "LockedError", "DivergedError", "InternalError"]


class Error(Exception):
    """Anything that a user, a file or a machine can cause."""


class ArgumentError(Error, ValueError):
    """An argument has a value that the function does not take."""


class ShapeError(Error, ValueError):
    """Shapes that do not fit each other or the function."""


class DTypeError(Error, TypeError):
    """A dtype that the function does not take."""


class DeviceError(Error, RuntimeError):
    """The device asked for cannot be used, or a transfer was forbidden."""


class OutOfMemory(Error, MemoryError):
    """Memory of a device is exhausted."""


class ConfigError(Error, ValueError):
    """An experiment that cannot be run.

    line, column   from 1, of the first thing that is wrong; 0 where it stands in no text (an argument, a missing file)
    """

    line = 0
    column = 0


class DataError(Error, ValueError):
    """Content of data that cannot be used."""


class OutputError(Error, OSError):
    """A result cannot be written."""


class LockedError(Error, OSError):
    """The output belongs to another process that is still running."""


class DivergedError(Error, ArithmeticError):
    """NaN or infinity in weights or representations.

    level, layer, step   where: indices from 0, and the first step with a value that is not finite
    """

    level = 0
    layer = 0
    step = 0


class InternalError(RuntimeError):
    """A broken promise inside gaia.  Please report it."""
