// SPDX-License-Identifier: MIT
/// \file
/// Fourier transforms compared with sums, on every device, and what they cost there.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "../../src/signals/fourier.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/log_capture.h"
#include "../support/operands.h"
#include "plain_fourier.h"

namespace gaia::test {
namespace {

/// Numbers [0, n) of row `row` of an array [rows, columns], zeros behind.
ComplexNumbers row_of(const Values& real, const Values& imag, std::int64_t row, std::int64_t n) {
  ComplexNumbers z(static_cast<std::size_t>(n), 0.0);
  for (std::int64_t j = 0; j < std::min(n, real.shape[1]); ++j) {
    z[static_cast<std::size_t>(j)] = {real[{row, j}], imag[{row, j}]};
  }
  return z;
}

/// Whether a row of an answer is the first numbers of what is wanted, to a few units of rounding.
void check_row(const Complex& got, std::int64_t row, const ComplexNumbers& wanted, double scale,
               DType dtype) {
  REQUIRE(got.real.dtype() == dtype);
  REQUIRE(got.imag.dtype() == dtype);
  double largest = 1.0;
  for (const std::complex<double>& z : wanted) largest = std::max(largest, std::abs(z));
  const double tolerance = (dtype == DType::float32 ? 4e-7 : 8e-16) * 4.0 * largest * scale;
  double worst = 0.0;
  const std::vector<double> real = got.real[row].to_vector<double>();
  const std::vector<double> imag = got.imag[row].to_vector<double>();
  for (std::size_t k = 0; k < real.size(); ++k) {
    const std::complex<double> z(real[k], imag[k]);
    worst = std::max(worst, std::abs(z - scale * wanted[k]));
  }
  CAPTURE(row, worst, tolerance);
  CHECK(worst <= tolerance);
}

TEST_CASE("fft, ifft and rfft are sums, irfft goes back") {
  std::mt19937_64 engine(1);
  std::size_t compared = 0;
  // Short lengths, products, primes by a chirp, and those that are cut into columns.
  for (const std::int64_t n :
       {1,  2,  3,  4,  5,   6,   7,   8,   9,   11,  12,  15,  16,  25,   31,  49,
        53, 60, 64, 97, 101, 127, 128, 202, 331, 343, 720, 729, 997, 1024, 1331}) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const std::int64_t rows :
           n < 200 ? std::vector<std::int64_t>{1, 3, 9} : std::vector<std::int64_t>{2}) {
        CAPTURE(n, rows, to_string(dtype));
        const Operand real = random_operand(engine, {rows, n}, dtype, Layout::transposed);
        const Operand imag = random_operand(engine, {rows, n}, dtype, Layout::sliced);
        const Complex z{real.array, imag.array};
        const Complex forward = fft(z);
        const Complex back = ifft(z);
        const Complex half = rfft(real.array);
        REQUIRE(half.real.shape() == Shape{rows, n / 2 + 1});
        for (std::int64_t row = 0; row < rows; ++row) {
          const ComplexNumbers x = row_of(real.values, imag.values, row, n);
          check_row(forward, row, plain_fourier(x), 1.0, dtype);
          check_row(back, row, plain_fourier(x, true), 1.0 / static_cast<double>(n), dtype);
          check_row(half, row, plain_fourier(row_of(real.values, Values({rows, n}), row, n)), 1.0,
                    dtype);
        }
        const Array again = irfft(half, {.n = n});
        CHECK(all_close(again, real.array, 0.0, dtype == DType::float32 ? 1e-5 : 1e-13));
        compared += static_cast<std::size_t>(4 * rows);
      }
    }
  }
  CHECK(compared > 1500);
}

TEST_CASE("Lengths and norms of transforms are NumPy's") {
  const Array x = array({1, 2, 3, 4}, DType::float64);
  const auto numbers = [](const Array& y) { return y.to_vector<double>(); };
  CHECK(numbers(rfft(x).real) == std::vector<double>{10, -2, -2});
  CHECK(numbers(rfft(x).imag) == std::vector<double>{0, 2, 0});
  CHECK(numbers(fft(x).imag) == std::vector<double>{0, 2, 0, -2});
  CHECK(numbers(fft(x, {.n = 2}).real) == std::vector<double>{3, -1});
  CHECK(numbers(fft(x, {.n = 8}).real)[4] == -2.0);  // 1 - 2 + 3 - 4
  CHECK(numbers(rfft(x, {.norm = FourierNorm::ortho}).real) == std::vector<double>{5, -1, -1});
  CHECK(numbers(rfft(x, {.norm = FourierNorm::forward}).real) ==
        std::vector<double>{2.5, -0.5, -0.5});
  const Complex half = rfft(x);
  CHECK(numbers(irfft(half)) == std::vector<double>{1, 2, 3, 4});
  CHECK(numbers(irfft(half, {.norm = FourierNorm::forward})) == std::vector<double>{4, 8, 12, 16});
  // What is its own conjugate has no imaginary part that counts.
  const Array some = array({7, 2, 9}, DType::float64);
  CHECK(numbers(irfft(Complex{half.real, some})) == numbers(irfft(half)));
  const Array grid = arange(0, 12, 1, DType::float64).reshape({3, 4});
  const Complex twice = fft(fft(grid, {.axis = 0}), {.axis = 1});
  const Complex both = fft2(grid);
  CHECK(all_close(both.real, twice.real, 0.0, 1e-12));
  CHECK(all_close(both.imag, twice.imag, 0.0, 1e-12));
  CHECK(all_close(ifft2(both).real, grid, 0.0, 1e-12));
  CHECK(fft2(grid, {.s = {2, 8}, .axes = {1, 0}}).real.shape() == Shape{8, 2});
  CHECK(numbers(fftfreq(5, 0.5)) == std::vector<double>{0, 0.4, 0.8, -0.8, -0.4});
  CHECK(numbers(rfftfreq(4, 0.25)) == std::vector<double>{0, 1, 2});
  CHECK(numbers(fftshift(fftfreq(4))) == std::vector<double>{-0.5, -0.25, 0, 0.25});
  CHECK(numbers(ifftshift(fftshift(x))) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("Dtypes and empty axes of transforms") {
  CHECK(rfft(ones({4}, DType::bfloat16)).real.dtype() == DType::float32);
  CHECK(rfft(ones({4}, DType::int32)).real.dtype() == DType::float64);
  CHECK(fft(Complex{ones({4}), ones({4}, DType::float64)}).imag.dtype() == DType::float64);
  CHECK(fft(zeros({0, 4})).real.shape() == Shape{0, 4});
  CHECK(rfft(zeros({3, 0}), {.n = 5, .axis = 1}).real.shape() == Shape{3, 3});
  CHECK(rfft(zeros({3, 0}), {.axis = 0}).real.shape() == Shape{2, 0});
  CHECK(irfft(rfft(zeros({0, 6}))).shape() == Shape{0, 6});
}

TEST_CASE("Transforms have the same bits for any number of threads and any other rows") {
  std::mt19937_64 engine(2);
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Array rows = random_operand(engine, {70, 240}, dtype).array;
    const Array row = random_operand(engine, {1, 65536}, dtype).array;
    std::vector<std::vector<double>> one;
    for (const int threads : {1, 3}) {
      const Threads scope(threads);
      std::vector<std::vector<double>> now;
      for (const Array& x : {rows, row, row.slice(1, 0, 40000)}) {
        now.push_back(rfft(x).imag.to_vector<double>());
        now.push_back(fft(x).real.to_vector<double>());
        now.push_back(irfft(Complex{x, x}).to_vector<double>());
      }
      if (one.empty()) one = now;
      CHECK(now == one);
    }
    CHECK(rfft(rows).imag[69].to_vector<double>() == rfft(rows[69]).imag.to_vector<double>());
    const Array spoilt = rows.copy();
    spoilt[1].fill(std::nan(""));
    CHECK(rfft(spoilt).real[2].to_vector<double>() == rfft(rows).real[2].to_vector<double>());
  }
}

TEST_CASE("Transforms of other devices are those of the CPU") {
  std::mt19937_64 engine(3);
  const Array x = random_operand(engine, {3, 30}, DType::float32).array;
  const std::vector<float> wanted = rfft(x).imag.to_vector<float>();
  on_each_device([&] {
    const Array here = x.to(current_device());
    const Complex half = rfft(here);
    CHECK(half.real.device() == current_device());
    const std::vector<float> got = half.imag.to_vector<float>();
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) < 1e-4F);
    CHECK(all_close(irfft(half), here, 1e-4, 1e-5));
    CHECK(all_close(ifft(fft(here)).real, here, 1e-4, 1e-5));
  });
}

TEST_CASE("Where a device has no transforms the host computes, which counts and is told of") {
  const FakeDevice fake;
  const GPUContext scope(fake.device());
  const Array x = ones({2, 8});
  {
    LogCapture log;
    reset_transfer_stats();
    const Complex half = rfft(x);
    CHECK(half.real.device() == fake.device());
    CHECK(transfer_stats().implicit_copies == 3);  // there, and both parts back
    CHECK(transfer_stats().explicit_copies == 0);
    rfft(x);
    CHECK(log.count(LogLevel::info, "[rfft] computes on the host") == 1);
  }
  set_transfer_policy(TransferPolicy::forbid);
  CHECK_THROWS_AS(rfft(x), DeviceError);
  set_transfer_policy(TransferPolicy::allow);
  CHECK(current_device() == fake.device());
}

TEST_CASE("Transforms refuse what they cannot take") {
  const Array x = ones({4});
  CHECK_THROWS_WITH_TEXT(fft(x, {.n = 0}), ArgumentError, "[fft] expected a length n of 1 or more");
  CHECK_THROWS_WITH_TEXT(rfft(zeros({2, 0})), ArgumentError, "[rfft] expected a length n");
  CHECK_THROWS_WITH_TEXT(irfft(Complex{ones({1}), ones({1})}), ArgumentError,
                         "[irfft] expected a length n of 1 or more, got 0");
  CHECK_THROWS_WITH_TEXT(rfft(x, {.axis = 1}), ShapeError, "[rfft]");
  CHECK_THROWS_WITH_TEXT(ifft(Complex{x, ones({3})}), ShapeError, "of one shape");
  CHECK_THROWS_WITH_TEXT(fft2(ones({2, 2}), {.s = {2}}), ShapeError, "as many lengths s as axes");
  CHECK_THROWS_WITH_TEXT(rfftfreq(0), ArgumentError, "[rfftfreq]");
}

}  // namespace
}  // namespace gaia::test
