// SPDX-License-Identifier: MIT
/// \file
/// Copies between devices: that operations make them where they must, count them, and obey the
/// policy.
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../../src/array/convolution.h"
#include "../../src/array/create.h"
#include "../../src/array/device.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/array/pool2d.h"
#include "../../src/array/sorting.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

const Device kCuda = Device::cuda(0);

/// A policy for a scope, and statistics from zero.
struct Policy {
  explicit Policy(TransferPolicy policy) {
    set_transfer_policy(policy);
    reset_transfer_stats();
  }
  ~Policy() { set_transfer_policy(TransferPolicy::allow); }
};

void check_stats(std::int64_t implicit_copies, std::int64_t explicit_copies, std::int64_t bytes) {
  CHECK(transfer_stats().implicit_copies == implicit_copies);
  CHECK(transfer_stats().explicit_copies == explicit_copies);
  CHECK(transfer_stats().bytes == bytes);
}

struct Operation {
  std::string name;  // as errors give it
  std::function<Array(const Array&)> run;
};

/// A matrix as one image of one channel.
Array plane(const Array& x) { return x.expand_dims(0).expand_dims(0); }

/// Every operation that makes an array, on a float32 array of shape [3, 3].
std::vector<Operation> operations() {
  using A = const Array&;
  return {
      {"negative", [](A x) { return negative(x); }},
      {"abs", [](A x) { return abs(x); }},
      {"sign", [](A x) { return sign(x); }},
      {"square", [](A x) { return square(x); }},
      {"sqrt", [](A x) { return sqrt(x); }},
      {"exp", [](A x) { return exp(x); }},
      {"log", [](A x) { return log(x); }},
      {"tanh", [](A x) { return tanh(x); }},
      {"sigmoid", [](A x) { return sigmoid(x); }},
      {"relu", [](A x) { return relu(x); }},
      {"leaky_relu", [](A x) { return leaky_relu(x); }},
      {"gelu", [](A x) { return gelu(x); }},
      {"gelu", [](A x) { return gelu(x, GeluForm::exact); }},
      {"softmax", [](A x) { return softmax(x, 0); }},
      {"softmax", [](A x) { return activate(Activation::softmax, x); }},
      {"activate", [](A x) { return activate(Activation::relu, x); }},
      {"activate", [](A x) { return activate(Activation::linear, x); }},
      {"add", [](A x) { return x + x; }},
      {"add", [](A x) { return 2 + x; }},
      {"subtract", [](A x) { return x - x; }},
      {"subtract", [](A x) { return 1.0 - x; }},
      {"multiply", [](A x) { return x * x; }},
      {"multiply", [](A x) { return x * 3; }},
      {"divide", [](A x) { return x / x; }},
      {"divide", [](A x) { return 1 / x; }},
      {"maximum", [](A x) { return maximum(x, x); }},
      {"minimum", [](A x) { return minimum(x, x); }},
      {"equal", [](A x) { return equal(x, x); }},
      {"not_equal", [](A x) { return not_equal(x, x); }},
      {"less", [](A x) { return less(x, x); }},
      {"less_equal", [](A x) { return less_equal(x, x); }},
      {"sum", [](A x) { return sum(x); }},
      {"mean", [](A x) { return mean(x, {0}); }},
      {"max", [](A x) { return max(x, {1}, true); }},
      {"min", [](A x) { return min(x); }},
      {"norm", [](A x) { return norm(x, {0}); }},
      {"matmul", [](A x) { return matmul(x, x.transpose()); }},
      {"matmul", [](A x) { return matmul(x[0], x); }},
      {"concatenate", [](A x) { return concatenate({x, x}); }},
      {"stack", [](A x) { return stack({x, x}); }},
      {"roll", [](A x) { return roll(x, 1); }},
      {"roll", [](A x) { return roll(x, 1, 0); }},
      {"repeat", [](A x) { return repeat(x, 2, 1); }},
      {"tile", [](A x) { return tile(x, {2, 2}); }},
      {"take", [](A x) { return take(x, arange(2)); }},
      {"take", [](A x) { return take(x, arange(2), 1); }},
      {"take_along_axis", [](A x) { return take_along_axis(x, zeros({3, 1}, DType::int64), 1); }},
      {"gather", [](A x) { return gather(x, zeros({2, 1}, DType::int64), 1); }},
      {"one_hot", [](A x) { return one_hot(x.astype(DType::int64), 10); }},
      {"masked_select", [](A x) { return masked_select(x, ones({3}, DType::boolean)); }},
      {"argwhere", [](A x) { return argwhere(x); }},
      {"flatnonzero", [](A x) { return flatnonzero(x); }},
      {"sort", [](A x) { return sort(x, 0, SortOrder::descending); }},
      {"argsort", [](A x) { return argsort(x); }},
      {"top_k", [](A x) { return top_k(x, 2).values; }},
      {"searchsorted", [](A x) { return searchsorted(x[0], x); }},
      {"unique", [](A x) { return unique(x); }},
      {"dot", [](A x) { return dot(x, x); }},
      {"outer", [](A x) { return outer(x, x); }},
      {"trace", [](A x) { return trace(x); }},
      {"einsum", [](A x) { return einsum("ij->j", x); }},
      {"einsum", [](A x) { return einsum("ij,jk->k", x, x); }},
      {"convolve1d", [](A x) { return convolve1d(x[0], x[1]); }},
      {"temporal_convolution", [](A x) { return temporal_convolution(x, x); }},
      {"conv2d", [](A x) { return conv2d(plane(x), plane(x)); }},
      {"conv2d_input_gradient",
       [](A x) { return conv2d_input_gradient(plane(x), ones({1, 1, 1, 1}), {1, 1, 3, 3}); }},
      {"conv2d_weight_gradient",
       [](A x) { return conv2d_weight_gradient(plane(x), plane(x), {1, 1, 1, 1}); }},
      {"max_pool2d", [](A x) { return max_pool2d(plane(x)).values; }},
      {"avg_pool2d", [](A x) { return avg_pool2d(plane(x)); }},
      {"sum", [](A x) { return sum(x.slice(1, {}, {}, -2)); }},
      {"exp", [](A x) { return exp(x.astype(DType::int32)); }},
      {"add", [](A x) { return x + x[1].astype(DType::float64); }},
  };
}

TEST_CASE("Every operation runs on the current device, with operands from anywhere") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const FakeDevice fake;
  for (const Operation& operation : operations()) {
    INFO(operation.name);
    const Array expected = operation.run(x);
    CHECK(expected.device() == Device::cpu());
    reset_transfer_stats();
    {
      const GPUContext scope("cuda");
      const std::int64_t calls = fake.backend().calls();
      const Array y = operation.run(x);
      CHECK(y.device() == kCuda);
      CHECK(fake.backend().calls() > calls);
      CHECK(transfer_stats().implicit_copies >= 1);
      CHECK(y.to_vector<double>() == expected.to_vector<double>());
    }
    reset_transfer_stats();
    const Array there = x.to(kCuda);
    const Array back = operation.run(there);  // and the other way
    CHECK(back.device() == Device::cpu());
    CHECK(transfer_stats().implicit_copies >= 1);
    CHECK(back.to_vector<double>() == expected.to_vector<double>());
    reset_transfer_stats();
    const GPUContext scope("cuda");
    CHECK(operation.run(there).device() == kCuda);  // nothing moves where all is at home
    check_stats(0, 0, 0);
  }
}

TEST_CASE("Under TransferPolicy::forbid every operation refuses, naming itself and the remedy") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const FakeDevice fake;
  const Policy policy(TransferPolicy::forbid);
  const GPUContext scope("cuda");
  for (const Operation& operation : operations()) {
    INFO(operation.name);
    CHECK_THROWS_WITH_TEXT(operation.run(x), DeviceError, "[" + operation.name + "] an operand of");
  }
  CHECK_THROWS_WITH(sum(x),
                    "[sum] an operand of 36 bytes lives on cpu, the operation runs on "
                    "cuda:0, and set_transfer_policy forbids the copy; move it with to_gpu, "
                    "to_cpu or Array::to, or compute in a GPUContext of its device");
  check_stats(0, 0, 0);
  // What was asked for is done.
  const Array there = to_gpu(x);
  CHECK(sum(there).item() == 45.0);
  check_stats(0, 2, 40);
}

TEST_CASE("Implicit copies are counted, each with its bytes") {
  const FakeDevice fake;
  const Policy policy(TransferPolicy::allow);
  const Array a = ones({4, 5});
  const Array b = ones({5}, DType::float64);
  const GPUContext scope("cuda");
  const Array c = a + b;
  check_stats(2, 0, 4 * 20 + 8 * 5);
  const Array d = c * c;
  check_stats(2, 0, 120);
  sum(a.slice(0, 0, 1));  // of a view, only what it shows
  check_stats(3, 0, 140);
}

TEST_CASE("Copies that are asked for are counted apart") {
  const FakeDevice fake;
  const Policy policy(TransferPolicy::allow);
  const Array x = arange(6).reshape({2, 3});
  const Array there = to_gpu(x.transpose());
  check_stats(0, 1, 48);
  CHECK(there.device() == kCuda);
  CHECK(there.is_contiguous());
  check_equal(to_cpu(there), DType::int64, {3, 2}, {0, 3, 1, 4, 2, 5});
  CHECK(transfer_stats().explicit_copies >= 2);
  CHECK(transfer_stats().implicit_copies == 0);
  reset_transfer_stats();
  CHECK(to_cpu(x).view().data == x.view().data);  // at home already
  CHECK(to_gpu(there).view().data == there.view().data);
  CHECK(there.to(kCuda).view().data == there.view().data);
  check_stats(0, 0, 0);
  CHECK(there.item({1, 1}) == 4);  // one element travels
  check_stats(0, 1, 8);
}

TEST_CASE("Arrays travel between devices and back unharmed, in every dtype and layout") {
  const FakeDevice fake;
  for (const DType dtype : {DType::boolean, DType::int32, DType::int64, DType::bfloat16,
                            DType::float32, DType::float64}) {
    const Array x = arange(24).astype(dtype).reshape({4, 6});
    for (const Array& view : {x, x.transpose(), x.slice(1, {}, {}, -2), x[0].broadcast_to({3, 6}),
                              x[1][1], x.slice(0, 0, 0)}) {
      const Array there = view.to(kCuda);
      CHECK(there.shape() == view.shape());
      CHECK(there.dtype() == dtype);
      CHECK(there.to_vector<double>() == view.to_vector<double>());
      CHECK(there.transpose().to(Device::cpu()).to_vector<double>() ==
            view.transpose().to_vector<double>());
    }
  }
  CHECK(to_gpu(Array()).device() == kCuda);
}

TEST_CASE("A copy that fails is not counted") {
  reset_transfer_stats();
  if (is_available(Device::cuda(5))) GAIA_SKIP("there is a device cuda:5");
  CHECK_THROWS_AS(ones({2}).to(Device::cuda(5)), DeviceError);
  check_stats(0, 0, 0);
}

TEST_CASE("Under TransferPolicy::warn_once the first implicit copy is logged") {
  const FakeDevice fake;
  const Policy policy(TransferPolicy::warn_once);
  const LogCapture log;
  const Array x = ones({2});
  const GPUContext scope("cuda");
  exp(x);
  x + x;
  CHECK(log.lines.size() == 1);
  CHECK(log.count(LogLevel::warning,
                  "[exp] an operand of 8 bytes lives on cpu, the operation runs on cuda:0") == 1);
  CHECK(transfer_stats().implicit_copies == 3);
}

TEST_CASE("assign moves its values to where the array lives") {
  const FakeDevice fake;
  const Policy policy(TransferPolicy::allow);
  const Array there = zeros({2, 2}).to(kCuda);
  reset_transfer_stats();
  there.assign(array({1, 2}));
  check_stats(1, 0, 8);
  check_equal(there, DType::float32, {2, 2}, {1, 2, 1, 2});
  const Policy forbid(TransferPolicy::forbid);
  CHECK_THROWS_WITH_TEXT(there.assign(array({1, 2})), DeviceError,
                         "[assign] an operand of 8 bytes");
}

TEST_CASE("Policy and statistics belong to a thread") {
  const FakeDevice fake;
  const Policy policy(TransferPolicy::forbid);
  const Array x = ones({2});
  std::int64_t copies_of_other = 0;
  TransferPolicy policy_of_other = TransferPolicy::forbid;
  std::thread other([&] {
    policy_of_other = transfer_policy();
    const GPUContext scope("cuda");
    exp(x);
    copies_of_other = transfer_stats().implicit_copies;
  });
  other.join();
  CHECK(policy_of_other == TransferPolicy::allow);
  CHECK(transfer_policy() == TransferPolicy::forbid);
  CHECK(copies_of_other == 1);
  check_stats(0, 0, 0);
}

TEST_CASE("Questions are answered wherever the arrays live") {
  const Array x = array({1, 2, std::nan("")});
  const FakeDevice fake;
  const Array there = to_gpu(x);
  CHECK(first_not_finite(there) == 2);
  CHECK(first_not_finite(there.astype(DType::bfloat16)) == 2);
  CHECK(first_not_finite(there.slice(0, 0, 2)) == -1);
  CHECK(all_close(there.slice(0, 0, 2), x.slice(0, 0, 2)));
  CHECK_FALSE(all_close(there, x));
  const GPUContext scope("cuda");
  CHECK(first_not_finite(x) == 2);
  CHECK(all_close(there.slice(0, 0, 2), x.slice(0, 0, 2)));
}

}  // namespace
}  // namespace gaia::test
