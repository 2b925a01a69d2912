// SPDX-License-Identifier: MIT
#include "cuda_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "../../core/message.h"
#include "code.h"
#include "how_it_runs.h"
#include "numbering.h"

namespace gaia {
namespace {

/// Name of an operation that the language writes as a function, and of the others, in EquationOp.
std::string operation_name(EquationOp op) {
  static constexpr std::array names = {"copy",          "add",
                                       "subtract",      "multiply",
                                       "divide",        "power",
                                       "negate",        "less",
                                       "less_equal",    "greater",
                                       "greater_equal", "equal",
                                       "not_equal",     "logical_and",
                                       "logical_or",    "logical_not",
                                       "where",         "exp",
                                       "log",           "sqrt",
                                       "abs",           "sign",
                                       "tanh",          "sigmoid",
                                       "relu",          "floor",
                                       "sin",           "cos",
                                       "minimum",       "maximum",
                                       "layer_sum",     "layer_mean",
                                       "layer_largest", "layer_smallest",
                                       "softmax",       "rank",
                                       "kwta",          "winner"};
  static_assert(names.size() == static_cast<std::size_t>(EquationOp::winner) + 1);
  return names[static_cast<std::size_t>(op)];
}

/// How many of a, b and c an operation reads.
int operands_of(EquationOp op) {
  if (op == EquationOp::where) return 3;
  if (op == EquationOp::copy || op == EquationOp::negate || op == EquationOp::logical_not) return 1;
  if (op >= EquationOp::exp && op <= EquationOp::cos) return 1;
  return crosses_layer(op) && op != EquationOp::kwta ? 1 : 2;
}

/// Names of places that the text speaks of, by number; each is an identifier of C++ and stands
/// once.
class PlaceNames {
 public:
  PlaceNames(const EquationProgram& program, const EquationNumbering& numbering)
      : names_(numbering.vector() + EquationPlaces::kFirstTrace + program.traces.size() +
               program.backs.size()) {
    const auto add = [this](std::size_t place, const std::string& name) {
      names_[place] = of_its_own(name);
    };
    add(EquationPlaces::kInputs, "n_in");
    add(EquationPlaces::kOutputs, "n_out");
    add(EquationPlaces::kLearning, "learning");
    for (std::size_t k = 0; k < program.parameters.size(); ++k) {
      add(EquationPlaces::kFirstParameter + k, program.parameters[k]);
    }
    add(numbering.layer() + EquationPlaces::kTick, "t");
    add(numbering.layer() + EquationPlaces::kSquare, "xx");
    add(numbering.neuron() + EquationPlaces::kDrive, "z");
    add(numbering.neuron() + EquationPlaces::kActivated, "activated");
    add(numbering.neuron() + EquationPlaces::kWeightSquare, "ww");
    for (std::size_t m = 0; m < program.memories.size(); ++m) {
      add(numbering.neuron() + EquationPlaces::kFirstMemory + m, program.memories[m].name);
    }
    std::size_t of_layer = numbering.layer() + EquationPlaces::kFirstLayerSignal;
    std::size_t of_neurons = numbering.neuron() + program.first_neuron_signal();
    for (const EquationSignal& signal : program.signals) {
      add(signal.of_neurons ? of_neurons++ : of_layer++, signal.name);
    }
    for (std::size_t k = 0; k < program.draws.size(); ++k) {
      add(numbering.neuron() + program.first_draw() + k, message("drawn_{}", k));
    }
    add(numbering.vector() + EquationPlaces::kWeights, "w");
    add(numbering.vector() + EquationPlaces::kSample, "x");
    add(numbering.vector() + EquationPlaces::kEligibility, "e");
    for (std::size_t k = 0; k < program.traces.size(); ++k) {
      add(numbering.vector() + EquationPlaces::kFirstTrace + k, program.traces[k].name);
    }
    for (std::size_t k = 0; k < program.backs.size(); ++k) {
      add(numbering.vector() + EquationPlaces::kFirstTrace + program.traces.size() + k,
          message("fed_back_{}", k));
    }
    for (std::size_t place = 0; place < names_.size(); ++place) {
      if (!names_[place].empty()) continue;
      const char* const kind = place < numbering.layer() ? "constant" : "number";
      const std::size_t first = place < numbering.layer() ? 0 : numbering.layer();
      add(place, message("{}_{}", kind, place - first));
    }
  }

  const std::vector<std::string>& all() const { return names_; }
  const std::string& operator[](std::size_t place) const { return names_[place]; }

 private:
  /// Whether steps may have a variable of that name: v0, v1, …
  static bool is_variable(const std::string& name) {
    return name[0] == 'v' && name.find_first_not_of("0123456789", 1) == std::string::npos;
  }
  /// What a name of the language may be and a place in the text may not.
  std::string of_its_own(const std::string& wanted) {
    static const std::set<std::string_view> taken = {
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
        "case", "catch", "char", "class", "compl", "concept", "const", "consteval", "constexpr",
        "constinit", "continue", "co_await", "co_return", "co_yield", "decltype", "default",
        "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false", "float",
        "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
        "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected",
        "public", "register", "requires", "return", "short", "signed", "sizeof", "static", "struct",
        "switch", "template", "this", "throw", "true", "try", "typedef", "typeid", "typename",
        "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
        "xor_eq", "signed", "restrict",
        // Names that the text itself has.
        "Number", "Rule", "T", "at", "n", "dw", "de", "k", "each", "cross", "compute", "change",
        "constants", "trace_keeps", "first_number", "first_neuron", "first_vector",
        "first_temporary", "output", "first_neuron_signal", "layer_signals", "neuron_signals",
        "traces", "reads_square", "reads_weight_square", "reads_activation", "memories", "draws",
        "backs", "sums", "numbers", "temporaries", "memory_from", "draw", "back", "take_steps",
        "take_steps_across", "gaia", "std", "Activation", "EquationOp", "EquationDraw"};
    std::string name;
    for (const char c : wanted) {
      const bool is_plain =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (is_plain) name += c;
    }
    if (name.empty() || name != wanted || taken.contains(name) || name.front() == '_' ||
        name.starts_with("kIs") || name.find("__") != std::string::npos || is_variable(name)) {
      name = "p_" + name;
    }
    while (name.find("__") != std::string::npos) name.erase(name.find("__"), 1);
    std::string whole = name;
    for (int again = 2; !used_.insert(whole).second; ++again) whole = message("{}_{}", name, again);
    return whole;
  }

  std::vector<std::string> names_;
  std::set<std::string> used_;
};

/// Steps one after another as variables, each written once, so that the compiler keeps in registers
/// what it likes.
class StepsText {
 public:
  /// `read` is how a place is read that no step has written: "n" reads n[place].
  StepsText(const PlaceNames& names, std::size_t first_number, const char* open, const char* close,
            int indent)
      : names_(names),
        first_number_(first_number),
        open_(open),
        close_(close),
        indent_(static_cast<std::size_t>(indent), ' ') {}

  std::string operand(std::uint16_t place) const {
    if (const auto written = written_.find(place); written != written_.end()) {
      return message("v{}", written->second);
    }
    if (place < first_number_) return message("constants[{}]", names_[place]);
    return open_ + names_[place] + close_;
  }

  void take(const EquationCode& code) {
    const int count = operands_of(code.op);
    const std::string a = operand(code.a);
    const std::string b = count > 1 ? operand(code.b) : "";
    const std::string c = count > 2 ? operand(code.c) : "";
    line(message("const T v{} = {};", next_, formula(code.op, a, b, c)));
    written_[code.to] = next_++;
  }

  /// n.set(place, …) for every place of numbers that a step has written and somebody reads later.
  template <class Wanted>
  void keep(const Wanted& wanted) {
    for (const auto& [place, variable] : written_) {
      if (wanted(place)) line(message("n.set({}, v{});", names_[place], variable));
    }
  }

  /// The places that steps have written are read from their memory again.
  void forget() { written_.clear(); }

  void indent(int by) { indent_.resize(indent_.size() + static_cast<std::size_t>(by), ' '); }
  void line(const std::string& text) { text_ += indent_ + text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  static std::string formula(EquationOp op, const std::string& a, const std::string& b,
                             const std::string& c) {
    switch (op) {
      case EquationOp::copy:
        return a;
      case EquationOp::add:
        return a + " + " + b;
      case EquationOp::subtract:
        return a + " - " + b;
      case EquationOp::multiply:
        return a + " * " + b;
      case EquationOp::divide:
        return a + " / " + b;
      case EquationOp::negate:
        return "-" + a;
      case EquationOp::where:
        return message("{} != T(0) ? {} : {}", a, b, c);
      default:
        return message("compute<EquationOp::{}>({}{}{})", operation_name(op), a,
                       b.empty() ? "" : ", ", b);
    }
  }

  const PlaceNames& names_;
  std::size_t first_number_;
  std::string open_, close_, indent_;
  std::map<std::uint16_t, int> written_;
  int next_ = 0;
  std::string text_;
};

class RuleText {
 public:
  RuleText(const EquationProgram& program, const CudaTextOptions& options)
      : program_(program),
        options_(options),
        numbering_(program),
        tick_(options.learns ? program.learning : program.still),
        names_(program, numbering_),
        steps_(numbered_steps(tick_.steps, numbering_)) {}

  std::string text() const {
    return head() + "struct Rule" + options_.suffix + " {\n" + facts() + places() + starts() +
           lists() + numbers() + change() +
           "};\n\n}  // namespace gaia::cuda\n\nusing namespace gaia::cuda;\n\n" + kernel();
  }

 private:
  std::string head() const {
    std::string text = options_.owners ? "#include \"cuda/equation_owners.cuh\"\n"
                                       : "#include \"cuda/equations.cuh\"\n";
    text += "\nnamespace gaia::cuda {\n\n";
    text += message("// A tick that {} under\n//\n", options_.learns ? "learns" : "does not learn");
    std::string line;
    for (const char c : program_.text + "\n") {
      if (c != '\n') {
        line += c >= ' ' && c != '\\' ? c : ' ';  // a backslash would join the next line
        continue;
      }
      if (!line.empty()) text += "//     " + line + "\n";
      line.clear();
    }
    return text;
  }

  std::string facts() const {
    const auto truth = [](bool holds) { return holds ? "true" : "false"; };
    return message(
        "  using T = {};\n"
        "  static constexpr bool kIsCompiled = true;\n"
        "  static constexpr bool kMayLearn = {};\n"
        "  static constexpr bool kMayCross = {}, kMayNotCross = !kMayCross;\n"
        "  static constexpr bool kMayGoBack = {}, kMayNotGoBack = !kMayGoBack;\n"
        "  static constexpr bool kHasEligibility = {};\n"
        "  static constexpr Activation kActivation = Activation::{};\n"
        "  static constexpr bool reads_square = {};\n"
        "  static constexpr bool reads_weight_square = {};\n"
        "  static constexpr bool reads_activation = {};\n\n",
        options_.dtype == DType::float64 ? "double" : "float", truth(options_.learns),
        truth(crosses_layer(program_, options_.activation)),
        truth(options_.learns && !program_.backs.empty()), truth(program_.has_eligibility),
        to_string(options_.activation), truth(program_.reads_square),
        truth(program_.reads_weight_square), truth(program_.reads_activation));
  }

  std::string places() const {
    std::string text = "  enum : int {\n";
    const auto list = [&](const char* what, std::size_t from, std::size_t to) {
      if (from == to) return;
      text += message("    // {}\n", what);
      for (std::size_t place = from; place < to; ++place) {
        text += message("    {}{},", names_[place], place == 0 ? " = 0" : "");
        const bool is_known = place < program_.constants.size() &&
                              place >= EquationPlaces::kFirstParameter + program_.parameters.size();
        text += is_known && program_.constants[place] != 0.0
                    ? message("  // {}\n", program_.constants[place])
                    : "\n";
      }
    };
    list("constants", 0, numbering_.layer());
    list("numbers of the layer", numbering_.layer(), numbering_.neuron());
    list("numbers of a neuron", numbering_.neuron(), numbering_.vector());
    list("vectors", numbering_.vector(), names_.all().size());
    return text + "  };\n\n";
  }

  std::string starts() const {
    std::size_t of_neurons = 0;
    for (const EquationSignal& signal : program_.signals) of_neurons += signal.of_neurons ? 1 : 0;
    return message(
        "  static constexpr int first_number = {}, first_neuron = {}, first_vector = {};\n"
        "  static constexpr int first_temporary = {}, kNumbers = first_vector - first_number;\n"
        "  static constexpr int output = {}, first_neuron_signal = {};\n"
        "  static constexpr int layer_signals = {}, neuron_signals = {}, traces = {};\n\n"
        "  T constants[first_number];\n{}\n",
        numbering_.layer(), numbering_.neuron(), numbering_.vector(), names_.all().size(),
        names_[numbering_(tick_.output)], numbering_.neuron() + program_.first_neuron_signal(),
        program_.signals.size() - of_neurons, of_neurons, program_.traces.size(),
        program_.traces.empty() ? "" : "  T trace_keeps[traces];\n");
  }

  /// What kernels ask for one by one.
  std::string lists() const {
    const std::size_t backs = options_.learns ? program_.backs.size() : 0;
    std::string memories, draws, fed_back;
    for (const EquationPlace& place : tick_.memory) {
      memories += (memories.empty() ? "" : ", ") + names_[numbering_(place)];
    }
    std::size_t drawn = 0;
    const std::vector<bool> is_read = program_.draws_read(options_.learns);
    for (std::size_t k = 0; k < is_read.size(); ++k) {
      if (!is_read[k]) continue;
      ++drawn;
      draws += message("{}{{{}, {}, EquationDraw::{}}}", draws.empty() ? "" : ", ", k,
                       names_[numbering_.neuron() + program_.first_draw() + k],
                       program_.draws[k] == EquationDraw::uniform ? "uniform" : "normal");
    }
    for (std::size_t k = 0; k < backs; ++k) {
      fed_back +=
          message("{}{{{}, {}}}", fed_back.empty() ? "" : ", ",
                  names_[numbering_(program_.backs[k].factors)], program_.backs[k].upto ? 1 : 0);
    }
    const auto list = [](const char* type, const char* name, const std::string& items) {
      if (items.empty()) {
        return message("  __device__ static constexpr {} {}(int) {{ return {{}}; }}\n", type, name);
      }
      return message(
          "  __device__ static constexpr {} {}(int k) {{\n"
          "    constexpr {} all[] = {{{}}};\n"
          "    return all[k];\n"
          "  }}\n",
          type, name, type, items);
    };
    return message(
               "  __device__ T trace_keep(int k) const {{ return {}; }}\n"
               "  __host__ __device__ static constexpr int memories() {{ return {}; }}\n"
               "  __host__ __device__ static constexpr int draws() {{ return {}; }}\n"
               "  __host__ __device__ static constexpr int backs() {{ return {}; }}\n"
               "  __host__ __device__ static constexpr int sums() {{ return {}; }}\n"
               "  __host__ __device__ static constexpr int numbers() {{ return kNumbers; }}\n"
               "  __host__ __device__ static constexpr int temporaries() {{ return 0; }}\n",
               program_.traces.empty() ? "T(k)" : "trace_keeps[k]", tick_.memory.size(), drawn,
               backs,
               1 + (program_.reads_square ? 1 : 0) + (program_.reads_weight_square ? 1 : 0)) +
           list("int", "memory_from", memories) + list("EquationDrawCode", "draw", draws) +
           list("EquationBackCode", "back", fed_back) + "\n";
  }

  /// Whether anyone reads a number behind the steps.
  bool is_kept(std::uint16_t place) const {
    const auto is = [&](const EquationPlace& one) { return numbering_(one) == place; };
    if (is(tick_.output)) return true;
    if (std::any_of(tick_.memory.begin(), tick_.memory.end(), is)) return true;
    if (!options_.learns) return false;
    const auto has_factor = [&](const EquationTerm& term) { return is(term.factor); };
    const auto reads = [&](const EquationStep& step) {
      return is(step.a) || is(step.b) || is(step.c);
    };
    return std::any_of(program_.dw_terms.begin(), program_.dw_terms.end(), has_factor) ||
           std::any_of(program_.de_terms.begin(), program_.de_terms.end(), has_factor) ||
           std::any_of(program_.vector_steps.begin(), program_.vector_steps.end(), reads) ||
           std::any_of(program_.backs.begin(), program_.backs.end(),
                       [&](const EquationBack& back) { return is(back.factors); }) ||
           (program_.dw && is(*program_.dw)) || (program_.de && is(*program_.de));
  }

  std::string numbers() const {
    const bool crosses = std::any_of(steps_.begin(), steps_.end(), [](const EquationCode& code) {
      return crosses_layer(code.op);
    });
    StepsText text(names_, numbering_.layer(), "n[", "]", 4);
    if (!crosses) {
      for (const EquationCode& code : steps_) text.take(code);
      text.keep([this](std::uint16_t place) { return is_kept(place); });
    } else {
      across(text);
    }
    // Steps that cross the layer are few; between them each neuron takes its own.
    return message(
        "  /// The steps of a neuron.\n"
        "  template <class Numbers>\n"
        "  __device__ void take_steps(const Numbers& n) const {{\n{}  }}\n"
        "  /// The same where some of them need the whole layer.\n"
        "  template <class Each, class Cross>\n"
        "  __device__ void take_steps_across(const Each& each, const Cross& cross) const {{\n"
        "{}  }}\n\n",
        crosses ? "" : text.text(),
        crosses ? text.text() : "    each([&](const auto& n) { take_steps(n); });\n");
  }

  void across(StepsText& text) const {
    const auto all = [](std::uint16_t) { return true; };
    bool is_open = false;
    const auto close = [&] {
      if (!is_open) return;
      text.keep(all);
      text.forget();
      text.indent(-2);
      text.line("});");
      is_open = false;
    };
    for (const EquationCode& code : steps_) {
      if (crosses_layer(code.op)) {
        close();
        const std::string b = operands_of(code.op) > 1 ? names_[code.b] : names_[0];
        text.line(message("cross(EquationOp::{}, {}, {}, {});", operation_name(code.op),
                          names_[code.to], names_[code.a], b));
        continue;
      }
      if (!is_open) {
        text.line("each([&](const auto& n) {");
        text.indent(2);
        is_open = true;
      }
      text.take(code);
    }
    close();
  }

  std::string change() const {
    if (!options_.learns) return "";
    StepsText text(names_, numbering_.layer(), "at(", ")", 4);
    if (program_.rule_class == EquationProgram::Class::matrix) {
      text.line("dw = " + sum(program_.dw_terms, text) + ";");
      if (program_.has_eligibility) text.line("de = " + sum(program_.de_terms, text) + ";");
    } else {
      for (const EquationCode& code : numbered_steps(program_.vector_steps, numbering_)) {
        text.take(code);
      }
      if (program_.dw) text.line("dw = " + text.operand(numbering_(*program_.dw)) + ";");
      if (program_.de) text.line("de = " + text.operand(numbering_(*program_.de)) + ";");
    }
    return message(
        "  /// What a weight, and its eligibility, change by.\n"
        "  template <class At>\n"
        "  __device__ void change(const At& at, T& dw, T& de) const {{\n"
        "    dw = 0;\n"
        "    de = 0;\n{}  }}\n",
        text.text());
  }

  std::string sum(const std::vector<EquationTerm>& terms, const StepsText& text) const {
    using Kind = EquationVector::Kind;
    std::string sum;
    for (const EquationTerm& term : terms) {
      sum += (sum.empty() ? "" : " + ") + text.operand(numbering_(term.factor));
      if (term.vector.kind == Kind::ones) continue;
      std::size_t index = EquationPlaces::kSample;
      if (term.vector.kind == Kind::w) index = EquationPlaces::kWeights;
      if (term.vector.kind == Kind::e) index = EquationPlaces::kEligibility;
      if (term.vector.kind == Kind::trace) index = EquationPlaces::kFirstTrace + term.vector.index;
      if (term.vector.kind == Kind::back) {
        index = EquationPlaces::kFirstTrace + program_.traces.size() + term.vector.index;
      }
      sum += message(" * at({})", names_[numbering_.vector() + index]);
    }
    return sum.empty() ? "T(0)" : sum;
  }

  std::string kernel() const {
    const std::string rule = "Rule" + options_.suffix;
    const std::string head = message(
        "extern \"C\" __global__ void __launch_bounds__(kThreads)\n"
        "    {}(const __grid_constant__ EquationLayer<{}::T, {}> layer",
        kCudaKernelName + options_.suffix, rule, rule);
    if (options_.owners) {
      const OwnersLayout& owners = *options_.owners;
      return message(
          "/// Streams, threads of a neuron, and weights of a thread.\n"
          "{},\n"
          "                const EquationLayer<{}::T, {}>* replicas, int tile) {{\n"
          "  run_owners<OwnersShape<{}, {}, {}>>(replicas == nullptr ? layer : "
          "replicas[blockIdx.y],\n"
          "                                    tile);\n"
          "}}\n",
          head, rule, rule, owners.streams, owners.team, owners.weights);
    }
    return head +
           ",\n"
           "                const __grid_constant__ EquationForm form, EquationsBy by,\n"
           "                std::int64_t first, std::int64_t last) {\n"
           "  run_stages(layer, form, by, first, last);\n"
           "}\n";
  }

  const EquationProgram& program_;
  const CudaTextOptions& options_;
  EquationNumbering numbering_;
  const EquationTick& tick_;
  PlaceNames names_;
  std::vector<EquationCode> steps_;
};

}  // namespace

std::string cuda_text(const EquationProgram& program, const CudaTextOptions& options) {
  return RuleText(program, options).text();
}

}  // namespace gaia
