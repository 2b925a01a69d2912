# SPDX-License-Identifier: MIT
"""What gaia raises: `Error` and its kinds.

    try:
        gaia.run(experiment, array)
    except gaia.ConfigError as error:
        print(error.line, error.column, error)

Every message names the function or key, says what was expected and what came, and tells the way out where there is one.
Each kind is also the exception of Python's that comes nearest, so that `except ValueError` catches what it should.
"""

__all__ = ["Error", "ArgumentError", "ArgumentTypeError", "ShapeError", "DTypeError", "DeviceError", "OutOfMemory",
           "ConfigError", "CompileError", "DataError", "OutputError", "LockedError", "DivergedError", "PositionError", "InternalError"]


class Error(Exception):
    """Something that a user, a file or a machine can cause: all kinds but InternalError."""


class ArgumentError(Error, ValueError):
    """An argument has a value that the function does not take."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument is of a kind that the function does not take, is missing, or has a name that it has not."""


class ShapeError(Error, ValueError):
    """Shapes do not fit each other, or not the function."""


class DTypeError(Error, TypeError):
    """A dtype is none that the function takes; cast by astype."""


class DeviceError(Error, RuntimeError):
    """The device cannot be used, or a transfer to it was forbidden; why_no_cuda tells more."""


class OutOfMemory(Error, MemoryError):
    """The memory of a device does not suffice."""


class ConfigError(Error, ValueError):
    """An experiment or a hierarchy has keys or values with which it cannot run.

    line, column   place of the first that is wrong, from 1; 0 where it stands in no text (an argument, a missing file)
    """

    line = 0
    column = 0


class CompileError(Error, ValueError):
    """The text of a kernel is refused by the compiler; the message has its words, line and caret."""


class DataError(Error, ValueError):
    """The content of a file or an array cannot be used."""


class OutputError(Error, OSError):
    """A file cannot be written: it is there already, or its folder does not take it."""


class LockedError(Error, OSError):
    """The results file belongs to another process that is still running."""


class DivergedError(Error, ArithmeticError):
    """Weights or representations have come to NaN or infinity; a smaller learning_rate often helps.

    level, layer   where, from 0
    step           the first with a value that is not finite
    """

    level = 0
    layer = 0
    step = 0


class PositionError(Error, IndexError):
    """An index lies beyond the axis that it counts along, or there are more indices than axes."""


class InternalError(RuntimeError):
    """A promise inside gaia was broken.  Please report it."""
