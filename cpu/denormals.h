// SPDX-License-Identifier: MIT
/// \file
/// Numbers too small to be normal cost a hundred times as much as others on some processors.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gaia::cpu {

/// Until the scope ends, this thread takes subnormal numbers for zero, as GPUs can.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushResults | kFlushOperands); }
  ~FlushDenormals() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned kFlushResults = 0x8000;
  static constexpr unsigned kFlushOperands = 0x0040;
  unsigned before_;
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    set(before_ | kFlush);
  }
  ~FlushDenormals() { set(before_); }

 private:
  static constexpr unsigned long kFlush = 1UL << 24;  // results and operands
  static void set(unsigned long control) {
    asm volatile("msr fpcr, %0" : : "r"(control) : "memory");
  }
  unsigned long before_;
#else
  FlushDenormals() {}
  ~FlushDenormals() {}
#endif

 public:
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace gaia::cpu
