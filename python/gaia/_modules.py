# SPDX-License-Identifier: MIT
"""What nn.Module is in Python in addition to its functions: classes derived from it, copies, pickles.

A module is built anew from what it was built from (its constructor keeps that as `_arguments`,
python/src/call_errors.cpp), and takes over parameters, buffers, counts and modes.
"""
from . import _gaia
from .errors import ArgumentError

_Module, _Sequential = _gaia.Module, _gaia.Sequential


def _native(cls):
    """The class of the library that a class is or derives from."""
    return next(one for one in cls.__mro__ if one.__module__ == _Module.__module__)


def _init_subclass(cls, **named):
    super(_Module, cls).__init_subclass__(**named)
    if "forward" not in vars(cls):
        return
    native = _native(cls)
    if native is not _Module:
        raise ArgumentError(f"[{cls.__name__}] expected a class with a forward of its own to derive from nn.Module, got "
                            f"{native.__name__}; hold a {native.__name__} as an attribute")
    if "__call__" not in vars(cls):
        cls.__call__ = _call


def _call(self, *args, **named):
    """What forward makes of the arguments."""
    return self.forward(*args, **named)


def _set(self, name, value):
    attributes = self.__dict__
    if isinstance(value, (_Module, _gaia.Tensor, _gaia.Array)) and "_arguments" not in attributes:
        raise ArgumentError(f"[{type(self).__name__}] call super().__init__() before {name} is set")
    if isinstance(getattr(type(self), name, None), property):
        object.__setattr__(self, name, value)
    elif isinstance(value, _Module):
        self._keep_child(name, value)
        attributes[name] = value
    elif isinstance(value, _gaia.Tensor) and value.requires_grad and value.is_leaf:
        attributes.pop(name, None)
        self._keep_parameter(name, value)
    elif isinstance(value, _gaia.Array):
        attributes.pop(name, None)
        self._keep_buffer(name, value)
    elif isinstance(value, (list, tuple)) and any(isinstance(one, _Module) for one in value):
        raise ArgumentError(f"[{type(self).__name__}] {name}: a list of modules would hide their parameters; hold them in an "
                            "nn.Sequential, which has positions and a length")
    elif name != "_arguments" and "_arguments" in attributes and self._kept(name) is not None:
        raise ArgumentError(f"[{type(self).__name__}] {name} is a parameter or a buffer: expected a Tensor that collects "
                            f"gradients, or an Array, got {type(value).__name__}")
    elif isinstance(attributes.get(name), _Module):
        raise ArgumentError(f"[{type(self).__name__}] {name} is a part of the module: expected a Module, got "
                            f"{type(value).__name__}")
    else:
        object.__setattr__(self, name, value)


def _get(self, name):
    kept = None if name.startswith("__") or "_arguments" not in self.__dict__ else self._kept(name)
    if kept is None:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
    return kept


def _delete(self, name):
    if isinstance(self.__dict__.get(name), _Module) or ("_arguments" in self.__dict__ and self._kept(name) is not None):
        raise ArgumentError(f"[{type(self).__name__}] {name} is a part of the module and stays; another may take its place")
    object.__delattr__(self, name)


def _modes(module):
    return module.is_training, [_modes(child) for _, child in module.children()]


def _set_modes(module, modes):
    mode, of_children = modes
    module.train(mode) if not isinstance(module, _Sequential) else _Sequential.train(module, mode)
    for (_, child), one in zip(module.children(), of_children):
        _set_modes(child, one)


def _reduce(self, protocol):
    cls, native = type(self), _native(type(self))
    if native is _Sequential:
        arguments = tuple(child for _, child in self.children()), {}
    elif "_arguments" in self.__dict__:
        arguments = self.__dict__["_arguments"]
    else:
        raise ArgumentError(f"[{cls.__name__}] cannot be copied or pickled, since no constructor makes it; copy what it was "
                            "made of")
    state = {"attributes": {name: value for name, value in self.__dict__.items() if name != "_arguments"},
             "kept": self._all_kept(), "modes": _modes(self), "counts": self._counts()}
    if native not in (_Module, _Sequential):
        state["arrays"] = self.state()
        state["frozen"] = [name for name, one in self.named_parameters() if not one.requires_grad]
        state["properties"] = {name: getattr(self, name) for name in dir(native)
                               if isinstance(getattr(native, name), property) and getattr(native, name).fset is not None}
    return _made_anew, (cls, native, arguments), state


def _made_anew(cls, native, arguments):
    made = cls.__new__(cls)
    native.__init__(made, *arguments[0], **arguments[1])
    return made


def _set_state(self, state):
    for name, value in state["kept"].items():
        if isinstance(value, _gaia.Tensor):
            self._keep_parameter(name, value)
        else:
            self._keep_buffer(name, value)
    for name, value in state["attributes"].items():
        setattr(self, name, value)
    if "arrays" in state:
        self.set_state(state["arrays"])
        for name, one in self.named_parameters():
            if name in state["frozen"]:
                one.requires_grad = False
        for name, value in state["properties"].items():
            setattr(self, name, value)
    self._set_counts(state["counts"])
    _set_modes(self, state["modes"])


_Module.__init_subclass__ = classmethod(_init_subclass)
_Module.__setattr__ = _set
_Module.__getattr__ = _get
_Module.__delattr__ = _delete
_Module.__reduce_ex__ = _reduce
_Module.__setstate__ = _set_state
