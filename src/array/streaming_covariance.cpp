// SPDX-License-Identifier: MIT
#include "streaming_covariance.h"

#include <algorithm>
#include <limits>

#include "../core/message.h"
#include "create.h"
#include "linear.h"
#include "ops.h"

namespace gaia {

StreamingCovariance::StreamingCovariance(std::int64_t variables) : variables_(variables) {
  if (variables < 1) {
    fail<ArgumentError>("[StreamingCovariance] expected at least 1 variable, got {}", variables);
  }
  mean_ = zeros({variables}, DType::float64);
  scatter_ = zeros({variables, variables}, DType::float64);
}

StreamingCovariance::StreamingCovariance(std::int64_t count, const Array& mean,
                                         const Array& scatter)
    : StreamingCovariance(mean.rank() == 1 ? mean.size() : 1) {
  if (mean.rank() != 1 || scatter.shape() != Shape{variables_, variables_}) {
    fail<ShapeError>("[StreamingCovariance] expected a mean [v] and scatter [v, v], got {} and {}",
                     mean.shape(), scatter.shape());
  }
  if (count < 0) {
    fail<ArgumentError>("[StreamingCovariance] expected a count of 0 or more, got {}", count);
  }
  if (count > 0) join(count, mean.astype(DType::float64), scatter.astype(DType::float64));
}

void StreamingCovariance::add(const Array& observations) {
  const Array rows = observations.rank() == 1 ? observations.expand_dims(0) : observations;
  if (rows.rank() != 2 || rows.shape(1) != variables_) {
    fail<ShapeError>("[StreamingCovariance.add] expected [n, {}] or [{}], got shape {}", variables_,
                     variables_, observations.shape());
  }
  if (rows.shape(0) == 0) return;
  const Array numbers = rows.astype(DType::float64);
  const Array center = gaia::mean(numbers, {0});
  const Array apart = numbers - center;
  join(rows.shape(0), center, matmul(apart.transpose(), apart));
}

void StreamingCovariance::merge(const StreamingCovariance& other) {
  if (other.variables_ != variables_) {
    fail<ShapeError>("[StreamingCovariance.merge] expected {} variables, got {}", variables_,
                     other.variables_);
  }
  if (other.count_ > 0) join(other.count_, other.mean_, other.scatter_);
}

void StreamingCovariance::join(std::int64_t count, const Array& mean, const Array& scatter) {
  if (count_ == 0) {
    count_ = count;
    mean_ = mean.copy();
    scatter_ = scatter.copy();
    return;
  }
  const auto before = static_cast<double>(count_);
  const auto more = static_cast<double>(count);
  const Array apart = mean - mean_;
  mean_ = mean_ + apart * (more / (before + more));
  scatter_ = scatter_ + scatter + outer(apart, apart) * (before / (before + more) * more);
  count_ += count;
}

Array StreamingCovariance::mean() const {
  if (count_ == 0)
    return full({variables_}, std::numeric_limits<double>::quiet_NaN(), DType::float64);
  return mean_.copy();
}

Array StreamingCovariance::scatter() const { return scatter_.copy(); }

Array StreamingCovariance::covariance(std::int64_t ddof) const {
  return scatter_ / static_cast<double>(std::max<std::int64_t>(0, count_ - ddof));
}

Array StreamingCovariance::corrcoef() const {
  const Array deviations = sqrt(scatter_.diagonal());
  return clip(scatter_ / deviations.expand_dims(1) / deviations, -1.0, 1.0);
}

}  // namespace gaia
