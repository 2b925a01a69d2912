// SPDX-License-Identifier: MIT
/// \file
/// Messages for a human, on stderr or to a callback.
#pragma once

#include <functional>
#include <string>

namespace gaia {

enum class LogLevel { debug, info, warning, error, off };

using LogCallback = std::function<void(LogLevel, const std::string&)>;

/// Messages below `level` are dropped.  Default: info.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Sends messages to `callback` in place of stderr; an empty function restores stderr.
/// Returns the callback that was set before.
LogCallback set_log_callback(LogCallback callback);

void log(LogLevel level, const std::string& message);
inline void log_debug(const std::string& message) { log(LogLevel::debug, message); }
inline void log_info(const std::string& message) { log(LogLevel::info, message); }
inline void log_warning(const std::string& message) { log(LogLevel::warning, message); }

/// Logs `message` the first time `key` comes by in this process.
void log_once(LogLevel level, const std::string& key, const std::string& message);

/// Forgets which keys `log_once` has seen (for tests).
void reset_log_once();

}  // namespace gaia
