// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "../../core/message.h"
#include "syntax.h"
#include "tokens.h"

namespace gaia::equation_language {
namespace {

/// How strongly operators bind, as Python has it.
enum Binding : int {
  kAnything = 0,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kAdd,
  kMultiply,
  kNegate,
  kPower,
};

struct BinaryOperator {
  const char* text;
  EquationOp op;
  Binding binding;
};

constexpr std::array kBinaryOperators = {
    BinaryOperator{"or", EquationOp::logical_or, kOr},
    BinaryOperator{"and", EquationOp::logical_and, kAnd},
    BinaryOperator{"<", EquationOp::less, kCompare},
    BinaryOperator{"<=", EquationOp::less_equal, kCompare},
    BinaryOperator{">", EquationOp::greater, kCompare},
    BinaryOperator{">=", EquationOp::greater_equal, kCompare},
    BinaryOperator{"==", EquationOp::equal, kCompare},
    BinaryOperator{"!=", EquationOp::not_equal, kCompare},
    BinaryOperator{"+", EquationOp::add, kAdd},
    BinaryOperator{"-", EquationOp::subtract, kAdd},
    BinaryOperator{"*", EquationOp::multiply, kMultiply},
    BinaryOperator{"/", EquationOp::divide, kMultiply},
    BinaryOperator{"^", EquationOp::power, kPower},
};

/// A line cannot be read further; why is in the problems.
struct LineIsWrong {};

class Parser {
 public:
  Parser(std::string_view text, ProblemList& problems)
      : problems_(problems), tokens_(tokens_of(text, problems)) {}

  SyntaxTree run() {
    while (token().kind != Token::Kind::end_of_text) {
      if (token().kind == Token::Kind::end_of_line) {
        ++at_;
        continue;
      }
      statement();
    }
    return std::move(tree_);
  }

 private:
  using Node = std::uint32_t;

  const Token& token() {
    // Inside parentheses a line goes on, unless the next one begins an assignment.
    while (!open_.empty() && tokens_[at_].kind == Token::Kind::end_of_line &&
           !assignment_at(at_ + 1)) {
      ++at_;
    }
    return tokens_[at_];
  }

  bool assignment_at(std::size_t i) const {
    return i + 1 < tokens_.size() && tokens_[i].kind == Token::Kind::name &&
           tokens_[i + 1].kind == Token::Kind::sign && tokens_[i + 1].text == "=";
  }

  bool is(std::string_view text) {
    const Token& next = token();
    return (next.kind == Token::Kind::sign || next.kind == Token::Kind::name) && next.text == text;
  }

  bool ends_line() {
    return token().kind == Token::Kind::end_of_line || token().kind == Token::Kind::end_of_text;
  }

  Token take() {
    const Token taken = token();
    ++at_;
    return taken;
  }

  /// The word or sign before the next one.
  const Token& previous() const {
    std::size_t i = at_ - 1;
    while (tokens_[i].kind == Token::Kind::end_of_line) --i;
    return tokens_[i];
  }

  /// "'x' comes", "the line ends".
  std::string what_comes() {
    if (ends_line()) return "the line ends";
    return "'" + problems_.quote(token().span) + "' comes";
  }

  [[noreturn]] void fail(const Token& where, const std::string& message) {
    if (token().kind != Token::Kind::wrong) problems_.at(where.span.begin, message);
    throw LineIsWrong{};
  }

  void statement() {
    SyntaxStatement statement;
    statement.first = static_cast<Node>(tree_.nodes.size());
    open_.clear();
    depth_ = 0;
    const std::size_t begin = at_;
    try {
      target(statement);
      expression(kAnything);
      end_of_statement();
      statement.end = static_cast<Node>(tree_.nodes.size());
    } catch (const LineIsWrong&) {
      tree_.nodes.resize(statement.first);
      statement.end = statement.first;
      skip_from(begin);
    }
    if (statement.target.empty()) {
      tree_.lost_target = true;
    } else {
      tree_.statements.push_back(statement);
    }
  }

  void target(SyntaxStatement& statement) {
    const Token name = token();
    if (name.kind != Token::Kind::name) {
      fail(name,
           "a line is an assignment, NAME = expression, but this one begins with " + quoted(name));
    }
    ++at_;
    const Token next = token();
    if (!is("=")) {
      const std::string expected =
          message("'=' is expected after '{}', but {}", name.text, what_comes());
      if (is("==")) fail(next, expected + ", which compares; write = to assign");
      const bool updates = next.kind == Token::Kind::sign && at_ + 1 < tokens_.size() &&
                           tokens_[at_ + 1].text == "=" &&
                           tokens_[at_ + 1].span.begin == next.span.end;
      if (updates) fail(next, message("{}; {}", expected, instead_of_update(name.text, next.text)));
      if (is("/") && name.text.size() > 1 && name.text.front() == 'd') {
        fail(next, expected + "; " + instead_of_derivative(name.text));
      }
      fail(next, expected + "; a line is an assignment, NAME = expression");
    }
    ++at_;
    statement.target = name.text;
    statement.target_span = name.span;
  }

  static std::string instead_of_update(std::string_view name, std::string_view sign) {
    const std::string written(name);
    if (name == "dw" || name == "de") return "it is a change already: write " + written + " = ...";
    return message("write {} = {} {} ...", written, written, sign);
  }

  /// For "dw/dt".
  static std::string instead_of_derivative(std::string_view name) {
    if (name == "dw" || name == "de") {
      return message("a tick is the unit of time: write {} = ...", name);
    }
    const std::string_view changed = name.substr(1);
    return message("a tick is the unit of time: write {} = {} + ...", changed, changed);
  }

  void end_of_statement() {
    if (ends_line()) return;
    const Token next = token();
    if (is("=")) {
      fail(next, "a second '=' comes; a line is one assignment, and == compares");
    }
    fail_after_operand();
  }

  [[noreturn]] void fail_after_operand() {
    const Token next = token();
    if (is(")")) fail(next, "this ')' closes nothing; leave it out");
    if (is(",")) fail(next, "a comma stands between the arguments of a function only");
    std::string wrong = message("an operator or the end of the line is expected after '{}', but {}",
                                problems_.quote(previous().span), what_comes());
    const bool name = next.kind == Token::Kind::name && !is_operator_word(next.text);
    const Token before = previous();
    if (next.text == "if") {
      wrong += "; write where(c, a, b) for a choice";
    } else if (before.kind == Token::Kind::name && function_named(before.text) != nullptr) {
      const bool is_one = name || next.kind == Token::Kind::number;
      wrong += message("; {} is a function: write {}({})", before.text, before.text,
                       is_one ? problems_.quote(next.span) : std::string("..."));
    } else if (name || next.kind == Token::Kind::number || is("(")) {
      wrong += "; write * to multiply";
    }
    fail(next, wrong);
  }

  /// To the next line that is not a part of this statement.
  void skip_from(std::size_t begin) {
    int depth = 0;
    for (std::size_t i = begin;; ++i) {
      const Token& skipped = tokens_[i];
      if (skipped.kind == Token::Kind::end_of_text) {
        at_ = i;
        return;
      }
      if (skipped.kind == Token::Kind::end_of_line && i >= at_ &&
          (depth <= 0 || assignment_at(i + 1))) {
        at_ = i;
        return;
      }
      if (skipped.text == "(") ++depth;
      if (skipped.text == ")") --depth;
    }
  }

  std::string quoted(const Token& token) const { return "'" + problems_.quote(token.span) + "'"; }

  /// An expression whose operators bind at least so strongly.
  Node expression(int least) {
    Node left = prefix(least);
    while (true) {
      const BinaryOperator* const found = binary_operator();
      if (found == nullptr || found->binding < least) return left;
      const Token sign = take();
      // To the left, but powers, whose exponent may have a sign.
      const bool power = found->binding == kPower;
      if (power) enter(sign);
      const Node right = expression(power ? static_cast<int>(kNegate) : found->binding + 1);
      if (power) --depth_;
      left = operation(found->op, {left, right});
      if (found->binding == kCompare) refuse_chain(left);
    }
  }

  Node prefix(int least) {
    const Token first = token();
    if (is("not")) {
      if (least > kNot) {
        fail(first, "'not' binds less than '" + problems_.quote(previous().span) +
                        "' before it; put it in parentheses, (not a)");
      }
      return prefix_operation(EquationOp::logical_not, kNot);
    }
    if (is("-")) return prefix_operation(EquationOp::negate, kNegate);
    if (is("+")) fail(first, "a plus sign stands between two numbers only; leave it out");
    return operand();
  }

  Node prefix_operation(EquationOp op, Binding binding) {
    const Token sign = take();
    enter(sign);
    const Node inner = expression(binding);
    --depth_;
    const Node made = operation(op, {inner});
    tree_.nodes[made].span.begin = tree_.nodes[made].outer.begin = sign.span.begin;
    return made;
  }

  Node operand() {
    const Token first = token();
    if (first.kind == Token::Kind::number) {
      ++at_;
      return add({.kind = SyntaxNode::Kind::number,
                  .value = first.value,
                  .span = first.span,
                  .outer = first.span});
    }
    if (first.kind == Token::Kind::name && !is_operator_word(first.text)) {
      ++at_;
      if (is("(")) return call(first);
      return add({.kind = SyntaxNode::Kind::name,
                  .name = first.text,
                  .span = first.span,
                  .outer = first.span});
    }
    if (is("(")) {
      open(take());
      const Node inner = expression(kAnything);
      const Token last = close();
      tree_.nodes[inner].outer = {first.span.begin, last.span.end};
      return inner;
    }
    std::string wrong = message("a number, a name or '(' is expected after {}, but {}",
                                quoted(previous()), what_comes());
    const bool twice = first.text == previous().text;
    if (twice && first.text == "*") wrong += "; write ^ for a power";
    if (twice && first.text == "/") wrong += "; write floor(a/b) for a whole quotient";
    fail(first, wrong);
  }

  Node call(const Token& name) {
    open(take());
    std::array<Node, 3> operands = {};
    std::uint32_t count = 0;
    if (!is(")")) {
      while (true) {
        const Node argument = expression(kAnything);
        if (count < operands.size()) operands[count] = argument;
        ++count;
        if (!is(",")) break;
        ++at_;
      }
    }
    const Token last = close();
    const Span span = {name.span.begin, last.span.end};
    return add({.kind = SyntaxNode::Kind::call,
                .argument_count = count,
                .operands = operands,
                .name = name.text,
                .span = span,
                .outer = span});
  }

  void open(const Token& parenthesis) {
    enter(parenthesis);
    open_.push_back(parenthesis);
  }

  Token close() {
    if (is(")")) {
      const Token last = take();
      open_.pop_back();
      --depth_;
      return last;
    }
    if (ends_line() || is("=")) fail(open_.back(), "this '(' is never closed");
    fail_after_operand();
  }

  void enter(const Token& where) {
    if (++depth_ <= kDeepest) return;
    fail(where, message("the expression is nested more than {} deep; give a part of it a name in a "
                        "line of its own",
                        kDeepest));
  }

  const BinaryOperator* binary_operator() {
    const Token& next = token();
    if (next.kind != Token::Kind::sign && next.kind != Token::Kind::name) return nullptr;
    const auto* const found =
        std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                     [&](const BinaryOperator& known) { return next.text == known.text; });
    return found == kBinaryOperators.end() ? nullptr : found;
  }

  void refuse_chain(Node left) {
    const BinaryOperator* const next = binary_operator();
    if (next == nullptr || next->binding != kCompare) return;
    const SyntaxNode& first = tree_.nodes[left];
    const std::string middle = problems_.quote(tree_.nodes[first.operands[1]].outer);
    fail(token(), message("comparisons do not chain; write {} and {} {} ...",
                          problems_.quote(first.outer), middle, next->text));
  }

  Node operation(EquationOp op, std::array<Node, 3> operands) {
    const Node last =
        op == EquationOp::negate || op == EquationOp::logical_not ? operands[0] : operands[1];
    const Span span = {tree_.nodes[operands[0]].outer.begin, tree_.nodes[last].outer.end};
    return add({.kind = SyntaxNode::Kind::operation,
                .op = op,
                .operands = operands,
                .span = span,
                .outer = span});
  }

  Node add(const SyntaxNode& node) {
    tree_.nodes.push_back(node);
    return static_cast<Node>(tree_.nodes.size() - 1);
  }

  ProblemList& problems_;
  std::vector<Token> tokens_;
  SyntaxTree tree_;
  std::vector<Token> open_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

SyntaxTree parse_equations(std::string_view text, ProblemList& problems) {
  return Parser(text, problems).run();
}

}  // namespace gaia::equation_language
