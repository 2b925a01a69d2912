// SPDX-License-Identifier: MIT
#include "sequential.h"

#include "../../core/message.h"
#include "../../core/text.h"

namespace gaia {

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  if (!is_mixed_) {
    for (const auto& [name, module] : children()) y = module->forward(y);
    return y;
  }
  for (std::size_t i = 0; i < children().size(); ++i) {
    Module& module = *children()[i].second;
    const DType answer = i + 1 < children().size() ? DType::bfloat16 : DType::float32;
    if (y.dtype() == DType::float32) y = y.astype(DType::bfloat16);
    // Classes that are looked up, or float64.
    y = y.dtype() == DType::bfloat16 ? module.forward_bfloat16(y, answer) : module.forward(y);
  }
  return y;
}

Sequential& Sequential::add(std::shared_ptr<Module> module) {
  Module::add(std::to_string(size()), std::move(module));
  return *this;
}

Module& Sequential::operator[](std::int64_t index) const {
  if (index < 0 || index >= size()) {
    fail<ArgumentError>("[sequential] expected a module from 0 to {}, got {}", size() - 1, index);
  }
  return *children()[static_cast<std::size_t>(index)].second;
}

std::string Sequential::summary() const {
  std::string text;
  for (const auto& [name, module] : children()) {
    text += message("{}  {}", name, module->type());
    if (module->parameter_count() > 0) text += "  " + grouped(module->parameter_count());
    for (const auto& [parameter, value] : module->named_parameters()) {
      text += message("  {} {}", parameter, value.shape());
    }
    text += "\n";
  }
  return message("{}parameters: {}\n", text, grouped(parameter_count()));
}

}  // namespace gaia
