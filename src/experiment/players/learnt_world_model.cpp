// SPDX-License-Identifier: MIT
#include "learnt_world_model.h"

#include <utility>

namespace gaia {
namespace {

/// "read", "unit_1", ... "output": what layer i reads and, as i + 1, what it answers.
std::string layer_axis(std::size_t i, std::size_t layers) {
  return i == 0 ? "read" : i == layers ? "output" : "unit_" + std::to_string(i);
}

}  // namespace

void add_learnt_world_model(AgentLayout& layout, const agents::ContinuousAgent& agent,
                            const std::vector<std::string>& observed,
                            const std::vector<std::string>& acted) {
  const agents::WorldModel& model = agent.model();
  const std::vector<std::int64_t>& hidden = agent.options().model.hidden;
  const std::size_t layers = hidden.size() + 1;
  std::vector<std::string> read;
  for (const std::int64_t d : model.read()) read.push_back(observed[static_cast<std::size_t>(d)]);
  read.insert(read.end(), acted.begin(), acted.end());
  std::vector<std::string> outputs;
  for (const char* const of : {"mean of ", "log variance of "}) {
    for (const std::string& name : observed) outputs.push_back(of + name);
  }
  layout.axes.push_back({"member", model.ensemble().members(), "network of the ensemble"});
  layout.axes.push_back({"read", std::ssize(read), "what a network reads", read});
  layout.axes.push_back({"output", std::ssize(outputs), "what a network answers", outputs});
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    layout.axes.push_back(
        {layer_axis(i + 1, layers), hidden[i], "unit of hidden layer " + std::to_string(i + 1)});
  }
  const auto add = [&](const std::string& name, const std::string& long_name,
                       std::vector<std::string> axes) {
    layout.learnt.push_back({.name = name, .long_name = long_name, .axes = std::move(axes)});
  };
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string number = std::to_string(i);
    const std::string answers = layer_axis(i + 1, layers);
    add("weights_" + number, "weights of layer " + number,
        {"member", answers, layer_axis(i, layers)});
    add("bias_" + number, "bias of layer " + number, {"member", answers});
  }
  add("least_log_variance", "lower soft bound of the log variance", {"member", "observed"});
  add("most_log_variance", "upper soft bound of the log variance", {"member", "observed"});
  add("read_mean", "subtracted from what is read", {"read"});
  add("read_scale", "what is read is divided by it", {"read"});
  add("change_mean", "added to what is answered, times its scale", {"observed"});
  add("change_scale", "what is answered is multiplied by it", {"observed"});
}

AgentColumns learnt_world_model(const agents::ContinuousAgent& agent) {
  const agents::WorldModel& model = agent.model();
  const ArrayMap parameters = model.ensemble().state();
  AgentColumns columns;
  const auto add = [&](const std::string& name) {
    columns.push_back(parameters.at(name).to_vector<double>());
  };
  for (std::size_t i = 0; i <= agent.options().model.hidden.size(); ++i) {
    add("weights." + std::to_string(i));
    add("bias." + std::to_string(i));
  }
  add("least");
  add("most");
  for (const agents::RunningMoments* const moments :
       {&model.read_moments(), &model.change_moments()}) {
    columns.push_back(moments->mean());
    columns.push_back(moments->deviation());
  }
  return columns;
}

}  // namespace gaia
