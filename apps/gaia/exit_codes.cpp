// SPDX-License-Identifier: MIT
#include "exit_codes.h"

#include <exception>
#include <new>

#include "../../src/core/error.h"
#include "console.h"

namespace gaia::app {
namespace {

int report(ExitCode code, const char* message) {
  tell(message);
  tell("\n");
  return code;
}

}  // namespace

int report_exception() {
  try {
    throw;
  } catch (const ConfigError& error) {
    return report(kUsage, error.what());
  } catch (const ArgumentError& error) {
    return report(kUsage, error.what());
  } catch (const DataError& error) {
    return report(kBadData, error.what());
  } catch (const OutputError& error) {
    return report(kNoOutput, error.what());
  } catch (const OutOfMemory& error) {
    return report(kOutOfMemory, error.what());
  } catch (const std::bad_alloc&) {
    return report(
        kOutOfMemory,
        "out of memory; `gaia check` tells what an experiment needs, and recording less or "
        "smaller levels need less");
  } catch (const DeviceError& error) {
    return report(kNoDevice, error.what());
  } catch (const LockedError& error) {
    return report(kLocked, error.what());
  } catch (const DivergedError& error) {
    return report(kDiverged, error.what());
  } catch (const Error& error) {
    return report(kFailed, error.what());
  } catch (const std::exception& error) {
    tell("a bug of gaia's, please report it: ");
    return report(kBug, error.what());
  }
}

}  // namespace gaia::app
