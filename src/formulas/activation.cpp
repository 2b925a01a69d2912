// SPDX-License-Identifier: MIT
#include "activation.h"

#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<Activation, 7> kActivations = {{{"linear", Activation::linear},
                                                    {"relu", Activation::relu},
                                                    {"leaky_relu", Activation::leaky_relu},
                                                    {"tanh", Activation::tanh},
                                                    {"sigmoid", Activation::sigmoid},
                                                    {"softmax", Activation::softmax},
                                                    {"gelu", Activation::gelu}}};

}  // namespace

std::string to_string(Activation activation) { return name_of(kActivations, activation); }

Activation activation_from_name(std::string_view name) {
  return from_name(kActivations, name, "activation");
}

}  // namespace gaia
