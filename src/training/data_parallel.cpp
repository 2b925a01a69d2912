// SPDX-License-Identifier: MIT
#include "data_parallel.h"

#include <algorithm>
#include <optional>
#include <set>

#include "../array/create.h"
#include "../array/indexing.h"
#include "../array/joining.h"
#include "../array/ops.h"
#include "../array/reductions.h"
#include "../core/log.h"
#include "../core/message.h"

namespace gaia {
namespace {

/// Loss, hits: what stands in a slot behind gradients and buffers.
constexpr std::int64_t kSums = 2;

/// From one member to the next in the counts of random draws: more than a pass through a network
/// draws.
constexpr std::int64_t kDrawsOfMember = std::int64_t{1} << 20;

/// FNV-1a, 64 bits, over the bytes of arrays in the order of their names.
std::uint64_t fingerprint(const ArrayMap& arrays) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const auto& [name, array] : arrays) {
    const Array here = to_cpu(array).contiguous();
    const auto* bytes = static_cast<const unsigned char*>(here.view().data);
    for (std::int64_t i = 0; i < here.bytes(); ++i) {
      hash = (hash ^ bytes[i]) * 0x100000001b3U;
    }
  }
  return hash;
}

}  // namespace

Rows rows_of_member(std::int64_t member, std::int64_t members, std::int64_t samples) {
  const auto from = [&](std::int64_t i) { return (i * samples + members - 1) / members; };
  return {from(member), from(member + 1)};
}

bool has_accuracy(const Array& answers, const Array& targets) {
  return answers.rank() == 2 && targets.rank() == 1 && is_integer(targets.dtype()) &&
         answers.shape(0) == targets.shape(0) && answers.shape(1) > 0;
}

Tensor checked_loss(const Loss& loss, const Tensor& answer, const Array& target,
                    const char* function) {
  Tensor value = loss(answer, target);
  if (value.size() != 1) {
    fail<ArgumentError>(
        "[{}] expected a loss of one element, got shape {}; reduce it by mean or sum", function,
        value.shape());
  }
  return value;
}

DataParallel::DataParallel(Module& net, const Loss& loss, Optimiser& optimiser,
                           const DataParallelOptions& options)
    : net_(net),
      loss_(loss),
      optimiser_(optimiser),
      members_(options.members),
      alone_(options.communicator == nullptr ? alone() : nullptr),
      communicator_(alone_ ? alone_.get() : options.communicator),
      dtype_(DType::float32),
      slot_size_(kSums) {
  if (members_ < communicator_->size()) {
    fail<ArgumentError>("[fit] members: expected at least one for each of the {} processes, got {}",
                        communicator_->size(), members_);
  }
  const auto count = [&](const Array& array) {
    slot_size_ += array.size();
    if (array.dtype() == DType::float64) dtype_ = DType::float64;
  };
  for (const Tensor& parameter : optimiser_.parameters()) count(parameter.value());
  used_.resize(optimiser_.parameters().size(), 0);
  for (const Array& buffer : buffers()) count(buffer);
}

std::vector<Array> DataParallel::buffers() const {
  std::set<std::string> parameters;
  for (const auto& [name, value] : net_.named_parameters()) parameters.insert(name);
  std::vector<Array> found;
  for (const auto& [name, value] : net_.state()) {
    if (!parameters.contains(name)) found.push_back(value);
  }
  return found;
}

std::int64_t DataParallel::first_member(int rank) const {
  return rank * members_ / communicator_->size();
}

Array DataParallel::empty_slot() const { return zeros({slot_size_}, dtype_); }

Array DataParallel::slot_of(const Batch& rows, double share, std::int64_t& counted) {
  const auto samples = static_cast<double>(rows.x.shape(0));
  optimiser_.zero_grad();
  const Tensor answer = net_.forward(rows.x);
  const Tensor loss = checked_loss(loss_, answer, rows.y, "fit");
  loss.backward();
  std::vector<Array> parts;
  const auto put = [&](const Array& values, double factor) {
    parts.push_back(values.reshape({-1}).astype(dtype_) * factor);
  };
  const std::vector<Tensor>& parameters = optimiser_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = parameters[i];
    if (parameter.has_grad()) used_[i] = 1;
    put(parameter.has_grad() ? parameter.grad() : zeros(parameter.shape(), dtype_), share);
  }
  for (const Array& buffer : buffers()) put(buffer, share);
  put(loss.value(), samples);
  if (has_accuracy(answer.value(), rows.y)) {
    put(sum(equal(argmax(answer.value(), 1), rows.y)), 1.0);
    counted += rows.x.shape(0);
  } else {
    parts.push_back(zeros({1}, dtype_));
  }
  return concatenate(parts);
}

void DataParallel::take(const Array& total, BatchSums& sums) const {
  std::int64_t at = 0;
  const auto next = [&](const Shape& shape) {
    const std::int64_t count = count_elements(shape);
    const Array part = total.slice(0, at, at + count).reshape(shape);
    at += count;
    return part;
  };
  for (std::size_t i = 0; i < used_.size(); ++i) {
    Tensor parameter = optimiser_.parameters()[i];
    const Array gradient = next(parameter.shape()).astype(parameter.dtype());
    // The optimiser leaves parameters without a gradient alone.
    if (used_[i] != 0) parameter.set_grad(gradient.copy());
  }
  for (const Array& buffer : buffers()) buffer.assign(next(buffer.shape()));
  sums.loss = next({}).astype(DType::float64);
  sums.hits = next({}).astype(DType::int64);
}

void DataParallel::find_used() {
  knows_used_ = true;
  const std::size_t count = used_.size();
  std::vector<unsigned char> all(count * static_cast<std::size_t>(communicator_->size()));
  communicator_->all_gather(used_.data(), all.data(), count);
  for (std::size_t i = 0; i < all.size(); ++i) used_[i % count] |= all[i];
}

BatchSums DataParallel::gradients(const Batch& batch, std::int64_t number) {
  const std::int64_t samples = batch.x.shape(0);
  const std::vector<Array> live = buffers();
  std::vector<Array> before;
  for (const Array& buffer : live) before.push_back(buffer.copy());
  std::map<std::string, std::int64_t> draws = net_.counts();

  BatchSums sums;
  const int rank = communicator_->rank();
  std::vector<Array> mine;
  for (std::int64_t member = first_member(rank); member < first_member(rank + 1); ++member) {
    const auto [begin, end] = rows_of_member(member, members_, samples);
    if (begin == end) {
      mine.push_back(empty_slot());
      continue;
    }
    for (std::size_t i = 0; i < live.size(); ++i) live[i].assign(before[i]);
    for (auto& [name, count] : draws) count = (number * members_ + member) * kDrawsOfMember;
    net_.set_counts(draws);
    const double share = static_cast<double>(end - begin) / static_cast<double>(samples);
    mine.push_back(
        slot_of({batch.x.slice(0, begin, end), batch.y.slice(0, begin, end)}, share, sums.counted));
  }
  const int size = communicator_->size();
  const auto most = static_cast<std::size_t>((members_ + size - 1) / size);
  while (mine.size() < most) mine.push_back(empty_slot());
  const Array all = communicator_->all_gather(stack(mine));
  std::optional<Array> total;
  for (int r = 0; r < size; ++r) {
    for (std::int64_t i = 0; i < first_member(r + 1) - first_member(r); ++i) {
      const Array slot = all[r][i];
      total = total ? *total + slot : slot;
    }
  }
  if (!knows_used_) find_used();
  take(*total, sums);
  sums.samples = samples;
  if (sums.counted > 0) sums.counted = samples;
  return sums;
}

void DataParallel::agree() {
  const int size = communicator_->size();
  if (size == 1) return;
  const ArrayMap net = net_.state();
  const ArrayMap optimiser = optimiser_.state();
  const std::uint64_t mine = fingerprint(net) ^ (3 * fingerprint(optimiser));
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  communicator_->all_gather(&mine, all.data(), sizeof mine);
  if (std::all_of(all.begin(), all.end(), [&](std::uint64_t one) { return one == all.front(); })) {
    return;
  }
  if (communicator_->rank() == 0) {
    log_once(
        LogLevel::warning, "data_parallel/agree",
        "the processes that train together round differently, so the results depend on how many "
        "there are; run them on processors of one kind, or set GAIA_INSTRUCTION_SET alike");
  }
  for (const auto& [name, array] : net) array.assign(communicator_->all_gather(array)[0]);
  ArrayMap same;
  for (const auto& [name, array] : optimiser) same[name] = communicator_->all_gather(array)[0];
  optimiser_.set_state(same);
}

}  // namespace gaia
