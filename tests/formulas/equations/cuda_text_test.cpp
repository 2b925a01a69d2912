// SPDX-License-Identifier: MIT
// What the text of a rule's kernel says; tests/cuda/compiled_rules_test.cpp runs such texts.
#include "../../../src/formulas/equations/cuda_text.h"

#include "../../../src/formulas/equations/equations.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

std::string text_of(const EquationText& rule, const CudaTextOptions& options = {}) {
  return cuda_text(compile_equations(rule), options);
}

}  // namespace

TEST_CASE("The text of a rule's kernel has its equations and its names") {
  const std::string text =
      text_of({.equations = "theta = theta + (y^2 - theta)/tau\ndw = rate*y*(y - theta)*pre",
               .parameters = {{"rate", 0.01}, {"tau", 20.0}},
               .traces = {{"pre", 3.0}}},
              {.owners = OwnersLayout{2, 16, 5}});
  CHECK_SAYS(text, "//     theta = theta + (y^2 - theta)/tau\n");
  for (const char* const name : {" rate,", " tau,", " theta,", " pre,"}) {
    CHECK_SAYS(text, name);
  }
  CHECK_SAYS(text, "run_owners<OwnersShape<2, 16, 5>>(", "#include \"cuda/equation_owners.cuh\"",
             "kMayCross = false");
}

TEST_CASE("Names that C++ or the text has for itself get others in it") {
  const std::string text = text_of({.equations = "double = 0.9*double + y\ndw = new*v1*double*x",
                                    .parameters = {{"new", 0.01}, {"v1", 2.0}}});
  for (const char* const name : {" p_double,", " p_new,", " p_v1,"}) {
    CHECK_SAYS(text, name);
  }
  CHECK_THAT(text, !ContainsSubstring(" double,"));
}

TEST_CASE("A tick that does not learn has no change of weights in its kernel") {
  const EquationText rule = {.equations = "y = softmax(z)\ndw = 0.01*y*(x - back(y))"};
  CHECK_SAYS(text_of(rule), "cross(EquationOp::softmax, ");
  CHECK_SAYS(text_of(rule), "dw = ");
  CHECK_SAYS(text_of(rule), "kMayGoBack = true");
  const std::string still = text_of(rule, {.learns = false});
  CHECK_THAT(still, !ContainsSubstring("dw = 0;"));
  CHECK_SAYS(still, "kMayLearn = false", "kMayGoBack = false");
}
