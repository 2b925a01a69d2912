// SPDX-License-Identifier: MIT
/// \file
/// Gradients with less memory: parts of a computation that the backward sweep computes again.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "../array/array.h"
#include "tensor.h"

namespace gaia {

/// f(inputs), of which only the inputs are kept until `backward`, which computes f again and then
/// undoes it (Chen et al. 2016, arXiv:1604.06174).  A chain of n such parts holds the intermediate
/// results of one part at a time, for one more forward pass.
///
/// Values are, bit for bit, those of f(inputs), and so are gradients, but for the rounding of sums
/// where a tensor is used within a part and beside it.  f is computed again on the device,
/// with the matmul precision and with all random numbers of the first time: streams of
/// `next_stream`, masks of dropout, draws of plastic layers.  Running statistics of batch norm,
/// plastic weights and traces begin as they did then, and change once only.  A TraceGuard lives
/// meanwhile.  What is seen here are draws of the calling thread; `parallel_map` within f therefore
/// works on one thread.  Modules must be in the mode (`train`, `eval`) of the first time.
///
/// The gradient cannot be differentiated again.  f may read parameters, which get their gradients,
/// and other leaves.  What it holds by reference must live until the sweep.  Under NoGrad it is a
/// call of f.
/// \throws ArgumentError where f reads a tensor that was computed outside of it and is not among
///         the inputs.  In the sweep: where inputs or leaves that it read were changed in place
///         since, or where its results have other shapes or dtypes, or it takes other random
///         numbers, than the first time.
std::vector<Tensor> checkpoint(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& inputs);
/// The same for a function with one result.
Tensor checkpoint(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                  const std::vector<Tensor>& inputs);
/// The same for a function of one tensor, such as a Module by std::ref.
Tensor checkpoint(const std::function<Tensor(const Tensor&)>& f, const Tensor& input);

/// What a layer changes while it computes, in a scope around the computation.  Where `checkpoint`
/// computes it again, arrays and count are what they were the first time, and at the end of the
/// scope again what they were before it.  Elsewhere it does nothing.
class RepeatedState {
 public:
  explicit RepeatedState(std::initializer_list<Array*> arrays, std::vector<Array>* more = nullptr,
                         std::int64_t* count = nullptr);
  ~RepeatedState();
  RepeatedState(const RepeatedState&) = delete;
  RepeatedState& operator=(const RepeatedState&) = delete;

 private:
  std::vector<Array*> places_ = {};  ///< Empty where nothing is put back.
  std::vector<Array> before_ = {};
  std::int64_t* count_ = nullptr;  ///< Null where there is none, or it is not put back.
  std::int64_t count_before_ = 0;
};

}  // namespace gaia
