// SPDX-License-Identifier: MIT
/// \file
/// What tensor cores do for a warp, as functions: with instructions.cuh the only file with inline
/// PTX.  Under a C++ compiler each has a twin that does the same by plain loops.
///
/// A warp holds a matrix in its lanes' registers as PTX says ("Matrix fragments for mma.m16n8k16"
/// and "m16n8k8").  With g = lane / 4 and t = lane % 4, and numbers of 16 or 32 bits of which a
/// register holds two or one:
///   a [16, K]: rows g, g + 8, g, g + 8; columns from t on in registers 0 and 1, and from t + 4 on
///              in 2 and 3, counted in registers;
///   b [K, 8]:  column g; rows from t on in register 0, from t + 4 on in 1, counted in registers;
///   d [16, 8]: rows g, g, g + 8, g + 8; columns 2 t, 2 t + 1, 2 t, 2 t + 1.
#pragma once

#include "../src/formulas/dtype.h"
#include "block_reduce.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The bits of x rounded to TF32: 10 bits of mantissa, halves away from zero.
__device__ inline std::uint32_t tf32_bits(float x) {
  std::uint32_t bits = 0;
#ifdef __CUDACC__
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
  std::memcpy(&bits, &x, sizeof bits);
  const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
  if (is_finite) bits += 0x1000u;
  bits &= ~0x1fffu;
  if (x != x) bits |= 0x400000u;
#endif
  return bits;
}

/// Two numbers rounded to bfloat16, the first in the lower half.
__device__ inline std::uint32_t bfloat16_bits(float first, float second) {
#ifdef __CUDACC__
  std::uint32_t bits = 0;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return bits;
#else
  return bfloat16(first).bits | std::uint32_t{bfloat16(second).bits} << 16;
#endif
}

#ifdef __CUDACC__

/// Four matrices of 8 rows of 16 bytes from shared memory: lane l names the address of row l % 8 of
/// matrix l / 8, a multiple of 16, and gets from each matrix the four bytes at row g, word t.
__device__ inline void load_matrices(std::uint32_t (&to)[4], const void* row) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at)
               : "memory");
}

/// The same of numbers of 16 bits, each matrix transposed.
__device__ inline void load_matrices_transposed(std::uint32_t (&to)[4], const void* row) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at)
               : "memory");
}

/// d += a b, with a [16, 16] and b [16, 8] of bfloat16.
__device__ inline void mma_bfloat16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// d += a b, with a [16, 8] and b [8, 8] of TF32, of which the lowest 13 bits do not count.
__device__ inline void mma_tf32(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#else

using CodePlace = emulator::CodePlace;

/// The addresses that all lanes name.
inline emulator::Slots all_rows(const void* row, const CodePlace& at) {
  if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0) {
    emulator::fail("ldmatrix: the address of a row is no multiple of 16", at);
  }
  return emulator::exchange(kWholeWarp, &row, sizeof row, false, at);
}

/// Numbers `column` and after it of row `row` of matrix `matrix`.
template <class T>
T row_element(emulator::Slots rows, unsigned matrix, unsigned row, unsigned column) {
  const auto* const from = emulator::brought<const T*>(rows, 8 * matrix + row);
  return from[column];
}

inline void load_matrices(std::uint32_t (&to)[4], const void* row,
                          const CodePlace& at = CodePlace::here()) {
  const emulator::Slots rows = all_rows(row, at);
  const unsigned lane = emulator::lane_index();
  for (unsigned m = 0; m < 4; ++m) {
    to[m] = row_element<std::uint32_t>(rows, m, lane / 4, lane % 4);
  }
}

inline void load_matrices_transposed(std::uint32_t (&to)[4], const void* row,
                                     const CodePlace& at = CodePlace::here()) {
  const emulator::Slots rows = all_rows(row, at);
  const unsigned lane = emulator::lane_index();
  for (unsigned m = 0; m < 4; ++m) {
    const unsigned column = lane / 4;
    const unsigned first = lane % 4 * 2;
    to[m] = row_element<std::uint16_t>(rows, m, first, column) |
            std::uint32_t{row_element<std::uint16_t>(rows, m, first + 1, column)} << 16;
  }
}

/// What a lane brings to a product.
struct Fragments {
  std::uint32_t a[4];
  std::uint32_t b[2];
};

/// d += a b for registers of `Each` numbers, which number(register, i) reads.
template <unsigned Each, class Number>
void mma_of(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1,
            const CodePlace& at, const Number& number) {
  const Fragments mine{{a[0], a[1], a[2], a[3]}, {b0, b1}};
  const emulator::Slots all = emulator::exchange(kWholeWarp, &mine, sizeof mine, false, at);
  const unsigned lane = emulator::lane_index();
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned lower = i / 2;  // row lane / 4, or 8 below it
    const unsigned column = lane % 4 * 2 + i % 2;
    float sum = d[i];
    for (unsigned half = 0; half < 2; ++half) {
      for (unsigned t = 0; t < 4; ++t) {
        const auto left = emulator::brought<Fragments>(all, lane / 4 * 4 + t);
        const auto right = emulator::brought<Fragments>(all, column * 4 + t);
        for (unsigned j = 0; j < Each; ++j) {
          sum += number(left.a[lower + 2 * half], j) * number(right.b[half], j);
        }
      }
    }
    d[i] = sum;
  }
}

inline float float_of(std::uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

inline void mma_bfloat16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                         std::uint32_t b1, const CodePlace& at = CodePlace::here()) {
  mma_of<2>(d, a, b0, b1, at, [](std::uint32_t bits, unsigned i) {
    return float_of(i == 0 ? bits << 16 : bits & 0xffff0000u);
  });
}

inline void mma_tf32(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1,
                     const CodePlace& at = CodePlace::here()) {
  mma_of<1>(d, a, b0, b1, at,
            [](std::uint32_t bits, unsigned) { return float_of(bits & ~0x1fffu); });
}

#endif

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
