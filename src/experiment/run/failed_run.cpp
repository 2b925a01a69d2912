// SPDX-License-Identifier: MIT
#include "failed_run.h"

#include "../../core/error.h"
#include "../../core/log.h"
#include "../../io/diverged.h"
#include "../../io/output_files.h"

namespace gaia {

void end_failed_run(const std::string& output, const std::function<void()>& abandon,
                    const std::function<void()>& finish) {
  const auto end = [&](auto&& mark, const char* why) {
    try {
      finish();
      mark(partial_path(output), why);
    } catch (const std::exception& error) {
      log_debug(std::string("the results file could not be marked as failed: ") + error.what());
    }
  };
  try {
    throw;
  } catch (const OutputError&) {
    abandon();
    throw;
  } catch (const DivergedError& error) {
    end(mark_as_diverged, error.what());
    throw;
  } catch (const std::exception& error) {
    end(mark_as_failed, error.what());
    throw;
  }
}

}  // namespace gaia
