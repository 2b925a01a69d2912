// SPDX-License-Identifier: MIT
#include "module.h"

#include "../../core/message.h"
#include "../../core/names.h"

namespace gaia {

void Module::add(std::string name, Tensor& parameter) {
  parameters_.emplace_back(std::move(name), &parameter);
}

void Module::add(std::string name, Array& buffer) {
  buffers_.emplace_back(std::move(name), &buffer);
}

void Module::add(std::string name, std::int64_t& count) {
  counts_.emplace_back(std::move(name), &count);
}

void Module::add(std::string name, std::shared_ptr<Module> child) {
  if (child == nullptr) throw ArgumentError("[module] expected a module, got none");
  child->train(training_);
  for (auto& [held, module] : children_) {
    if (held == name) {
      module = std::move(child);
      return;
    }
  }
  children_.emplace_back(std::move(name), std::move(child));
}

void Module::visit(const std::string& prefix,
                   const std::function<void(const std::string&, Tensor*, Array*)>& visitor) const {
  for (const auto& [name, parameter] : parameters_) visitor(prefix + name, parameter, nullptr);
  for (const auto& [name, buffer] : buffers_) visitor(prefix + name, nullptr, buffer);
  for (const auto& [name, child] : children_) child->visit(prefix + name + ".", visitor);
}

std::vector<std::pair<std::string, Tensor>> Module::named_parameters() const {
  std::vector<std::pair<std::string, Tensor>> named;
  visit("", [&](const std::string& name, Tensor* parameter, Array*) {
    if (parameter != nullptr) named.emplace_back(name, *parameter);
  });
  return named;
}

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> all;
  for (auto& [name, parameter] : named_parameters()) all.push_back(parameter);
  return all;
}

std::int64_t Module::parameter_count() const {
  std::int64_t count = 0;
  for (const Tensor& parameter : parameters()) count += parameter.size();
  return count;
}

ArrayMap Module::state() const {
  ArrayMap arrays;
  visit("", [&](const std::string& name, Tensor* parameter, Array* buffer) {
    arrays.emplace(name, parameter != nullptr ? parameter->value() : *buffer);
  });
  return arrays;
}

void Module::set_state(const ArrayMap& values) {
  const ArrayMap mine = state();
  std::vector<std::string> known;
  for (const auto& [name, value] : mine) known.push_back(name);
  for (const auto& [name, value] : values) {
    if (!mine.contains(name)) {
      fail<ArgumentError>("[set_state] unknown array '{}'{}; known: {}", name,
                          did_you_mean(name, known), join(known));
    }
  }
  for (const auto& [name, value] : mine) {
    const auto found = values.find(name);
    if (found == values.end()) {
      throw ArgumentError("[set_state] expected an array '" + name + "', got none");
    }
    if (!(found->second.shape() == value.shape())) {
      fail<ShapeError>("[set_state] expected {} of shape {}, got {}", name, value.shape(),
                       found->second.shape());
    }
  }
  for (const auto& [name, value] : mine) value.assign(values.at(name));
}

void Module::visit_counts(
    const std::string& prefix,
    const std::function<void(const std::string&, std::int64_t&)>& visitor) const {
  for (const auto& [name, count] : counts_) visitor(prefix + name, *count);
  for (const auto& [name, child] : children_) child->visit_counts(prefix + name + ".", visitor);
}

std::map<std::string, std::int64_t> Module::counts() const {
  std::map<std::string, std::int64_t> values;
  visit_counts("", [&](const std::string& name, std::int64_t& count) { values[name] = count; });
  return values;
}

void Module::set_counts(const std::map<std::string, std::int64_t>& values) {
  for (const auto& [name, count] : counts()) {
    if (!values.contains(name)) {
      throw ArgumentError("[set_counts] expected a count '" + name + "', got none");
    }
  }
  visit_counts("", [&](const std::string& name, std::int64_t& count) { count = values.at(name); });
}

Tensor Module::forward_bfloat16(const Tensor& x, DType answer) {
  return forward(x.astype(DType::float32)).astype(answer);
}

void Module::train(bool training) {
  training_ = training;
  for (const auto& [name, child] : children_) child->train(training);
}

void Module::set_requires_grad(bool required) {
  visit("", [&](const std::string&, Tensor* parameter, Array*) {
    if (parameter != nullptr) parameter->set_requires_grad(required);
  });
}

void Module::zero_grad() {
  visit("", [](const std::string&, Tensor* parameter, Array*) {
    if (parameter != nullptr) parameter->zero_grad();
  });
}

void Module::to(Device device) {
  visit("", [&](const std::string&, Tensor* parameter, Array* buffer) {
    if (buffer != nullptr) {
      *buffer = buffer->to(device);
    } else if (parameter->device() != device) {
      *parameter = Tensor(parameter->value().to(device), parameter->requires_grad());
    }
  });
}

Evaluating::Evaluating(Module& module) {
  collect(module);
  module.eval();
}

Evaluating::~Evaluating() {
  for (Module* module : were_training_) module->training_ = true;
}

void Evaluating::collect(Module& module) {
  if (module.training_) were_training_.push_back(&module);
  for (const auto& [name, child] : module.children_) collect(*child);
}

}  // namespace gaia
