// SPDX-License-Identifier: MIT
/// \file
/// Names of neurons: a readout that says of a sample what the neuron that answers it most is
/// called.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "readout_kind.h"

namespace gaia {

enum class NamedBy { majority, ask };

std::string to_string(NamedBy by);
/// \throws ArgumentError for an unknown name.
NamedBy named_by_from_name(std::string_view name);

struct NamingOptions {
  NamedBy by = NamedBy::majority;

  static constexpr const char* name = "naming";
  static constexpr ReadoutTask task = ReadoutTask::classes;
  static constexpr bool names_neurons = true;
  bool asks() const { return by == NamedBy::ask; }
  void keys(ConfigVisitor& v) {
    v.choice({"by",
              "majority: a neuron has the most frequent class of the samples that it answers most; "
              "ask: each neuron asks for the class of the sample that it answers most strongly"},
             choice_of({"majority", "ask"}, by, named_by_from_name));
  }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Gives every feature, the answer of a neuron, a name, which is a class.
///
/// A neuron wins a sample where its answer is the largest, of several the first.
/// - majority: the weights of a neuron are the shares of the classes among the samples that it won;
/// - ask: in their order neurons ask for the class of the sample of their largest answer, of
/// several
///   the earliest, and where another has asked for that already for the next in size.  A neuron's
///   weights are 1 for that class and 0 for all others.
/// The name is the class of the largest weight, of several the first; a neuron whose weights are
/// all 0, since it won nothing or nothing was left to ask for, has none (-1).
///
/// It predicts the weights of the neuron that wins: all 0 where that has no name.
class NamingReadout final : public ReadoutModel {
 public:
  NamingReadout(const ReadoutSizes& sizes, const NamingOptions& options);

  void add(std::span<const double> features, std::span<const double> targets) override;
  /// \throws DataError if there was no row.
  void solve() override;
  bool is_solved() const override { return is_solved_; }
  std::vector<double> predict(std::span<const double> features) override;
  std::vector<double> target_means() const override { return shares_; }

  bool is_linear() const override { return true; }
  ReadoutSolution solution() const override;
  void set_solution(const ReadoutSolution& solution) override;
  std::vector<std::int64_t> asked() const override { return asked_; }
  std::vector<std::string> notices() const override;

  /// Before `solve`, that nothing was added yet: rows come in one go.
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  /// An answer to a row, by which neurons choose what they ask for.
  struct Candidate {
    double answer;
    std::int64_t row;
    std::int64_t code;

    /// Whether it is asked for before the other.
    bool operator<(const Candidate& other) const {
      return answer != other.answer ? answer > other.answer : row < other.row;
    }
  };
  /// What is known of the answers of one neuron.
  struct Answers {
    std::vector<Candidate> best;  // in a heap, the last of them in front; as many as neurons
    std::vector<double> values;   // the first that differ, up to three
  };

  std::size_t winner(std::span<const double> answers) const;
  void consider(std::span<const double> answers, std::int64_t code);
  void ask();

  std::size_t neurons_;
  std::size_t classes_;
  bool asks_;
  bool is_solved_ = false;
  std::int64_t rows_ = 0;
  std::vector<double> weights_;  // [classes, neurons]; before `solve` how often each was won
  std::vector<double> shares_;   // [classes], of the labels that names were given by
  std::vector<Answers> answers_;
  std::vector<std::int64_t> asked_;  // number of the row that each neuron asked for; -1: none
  std::int64_t alike_ = 0;           // neurons that answered with two values or one
};

}  // namespace gaia
