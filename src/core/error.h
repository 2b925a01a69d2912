// SPDX-License-Identifier: MIT
/// \file
/// What gaia throws.
///
/// Every message names the function or key in brackets, says what was expected and what came, and
/// where there is a way out, names it.  `Error` is anything a user can cause; `InternalError` is a
/// bug of ours.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gaia {

/// Root of everything a user, a file or a machine can cause.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument has a value that the function does not take.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// Shapes that do not fit each other or the function.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// A dtype that the function does not take.
class DTypeError : public Error {
 public:
  using Error::Error;
};

/// The device asked for cannot be used, or a transfer was forbidden.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Memory of a device is exhausted.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// A configuration or command line that cannot be run.
class ConfigError : public Error {
 public:
  using Error::Error;
  ConfigError(const std::string& what, int at_line, int at_column)
      : Error(what), line(at_line), column(at_column) {}
  int line = 0;    ///< From 1, of the first thing that is wrong; 0: it stands in no file.
  int column = 0;  ///< The same.
};

/// Source text that a compiler refuses; the message ends with what the compiler says, line and
/// caret.
class CompileError : public Error {
 public:
  using Error::Error;
};

/// Content of an input file that cannot be used.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A result cannot be written.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// The output belongs to another process that is still running.
class LockedError : public Error {
 public:
  using Error::Error;
};

/// NaN or Inf in weights or representations.
class DivergedError : public Error {
 public:
  DivergedError(const std::string& what, int level_index, int layer_index, std::int64_t at_step)
      : Error(what), level(level_index), layer(layer_index), step(at_step) {}
  int level;          ///< Index of the level, from 0.
  int layer;          ///< Index of the layer within the level, from 0.
  std::int64_t step;  ///< First step with a value that is not finite.
};

/// A broken promise inside gaia.  Please report it.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace gaia
