// SPDX-License-Identifier: MIT
/// \file
/// The numbers from which a thing goes on, written and read by one list of its fields: with a list
/// for each way, one of them would sooner or later have a field that the other has not.
///
///     std::vector<double> Sums::state() const { return StateFields::of(*this); }
///     void Sums::set_state(std::span<const double> numbers) {
///       StateFields::set(*this, "Sums", numbers);
///     }
///     void Sums::fields(auto& self, auto& state) {  // private, static; StateFields is a friend
///       state(self.count_, self.is_solved_, self.means_);
///       if (self.is_solved_) state.list(self.weights_);
///     }
///
/// `self` is constant where its fields are written.  Where they are read, each has its new value
/// before the next one is looked at, so that conditions and lengths hold both ways.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "message.h"

namespace gaia {

/// What `fields` has as `state` where they are written; the functions are those of StateReader.
class StateWriter {
 public:
  void operator()(const auto&... fields) { (put(fields), ...); }
  void numbers(const auto& values, std::size_t /*count*/, std::size_t /*each*/ = 1) { put(values); }
  void list(const auto& values) { (*this)(values.size(), values); }
  void list(const auto& values, const auto& each) {
    put(values.size());
    for (const auto& value : values) each(value);
  }
  void part(const auto& thing) { list(thing.state()); }
  void part(const auto& thing, std::size_t /*length*/) { put(thing.state()); }
  void rest(const auto& thing) { put(thing.state()); }

  std::vector<double> written;

 private:
  template <class T>
  void put(const T& field) {
    if constexpr (std::is_arithmetic_v<T>) {
      written.push_back(static_cast<double>(field));
    } else {
      written.insert(written.end(), field.begin(), field.end());
    }
  }
};

/// What `fields` has as `state` where they are read.  Nothing that it reads is trusted: lengths are
/// compared with what is left before there is room made for them.
/// \throws ShapeError for numbers that are missing and lengths that are none, E for counts that are
///         none.
template <class E>
class StateReader {
 public:
  StateReader(const char* who, std::span<const double> state)
      : who_(who), left_(state), size_(state.size()) {}

  /// Fields one after the other: numbers, flags, counts (int64_t), lengths of what follows
  /// (size_t), and as many values as there are.
  void operator()(auto&&... fields) { (get(fields), ...); }
  /// `count` times `each` values, whatever there were before.
  void numbers(auto& values, std::size_t count, std::size_t each = 1) {
    if (each > 0 && count > left_.size() / each) refuse_short();
    values.resize(count * each);
    get(values);
  }
  /// Values behind their number.
  void list(auto& values) { numbers(values, length()); }
  /// Things behind their number; `each` lists the fields of one, of which there are some.
  void list(auto& values, const auto& each) {
    values.resize(length());
    for (auto& value : values) each(value);
  }
  /// A thing that has a state itself, behind the length of that.
  void part(auto& thing) { thing.set_state(take(length())); }
  /// Such a thing, of that length.
  void part(auto& thing, std::size_t length) { thing.set_state(take(length)); }
  /// Such a thing, to the end.
  void rest(auto& thing) { thing.set_state(take(left_.size())); }
  /// \throws ShapeError unless all was read.
  void finish() const {
    require<ShapeError>(left_.empty(), "[{}] expected a state of {} numbers, got {}", who_,
                        size_ - left_.size(), size_);
  }

 private:
  [[noreturn]] void refuse_short() const {
    fail<ShapeError>("[{}] expected a state of more than {} numbers", who_, size_);
  }
  std::span<const double> take(std::size_t count) {
    if (count > left_.size()) refuse_short();
    return std::exchange(left_, left_.subspan(count)).first(count);
  }
  /// Up to 2^53, above which not every whole number is a double.
  template <class Refusal>
  std::int64_t whole(double least) {
    const double number = take(1).front();
    require<Refusal>(number >= least && number <= 0x1p53 && number == std::floor(number),
                     "[{}] expected a state with a count of rows, got {}", who_, number);
    return static_cast<std::int64_t>(number);
  }
  std::size_t length() {
    const auto length = static_cast<std::size_t>(whole<ShapeError>(0.0));
    if (length > left_.size()) refuse_short();
    return length;
  }

  void get(double& field) { field = take(1).front(); }
  void get(bool& field) { field = take(1).front() != 0.0; }
  void get(std::int64_t& field) { field = whole<E>(0.0); }
  void get(std::size_t& field) { field = length(); }
  void get(std::span<double> field) { std::ranges::copy(take(field.size()), field.begin()); }
  void get(std::vector<std::int64_t>& field) {
    for (std::int64_t& one : field) one = whole<E>(-0x1p53);
  }

  const char* who_;
  std::span<const double> left_;
  std::size_t size_;
};

/// Calls the `fields` of classes that have it as a friend.
class StateFields {
 public:
  /// The numbers of a thing.  `more` is passed on to its `fields`: what they list and is no member.
  template <class T>
  static std::vector<double> of(const T& thing, const auto&... more) {
    StateWriter writer;
    T::fields(thing, writer, more...);
    return std::move(writer.written);
  }

  /// Gives a thing the numbers that `of` gave; `who` begins the messages.
  /// \throws ShapeError for a list that is no such state; it may have taken some of it by then.
  template <class T>
  static void set(T& thing, const char* who, std::span<const double> state, auto&... more) {
    StateReader<ShapeError> reader(who, state);
    T::fields(thing, reader, more...);
    reader.finish();
  }

  /// The same of a thing whose state is always of `length` numbers.
  /// \throws ShapeError for a list of another length, before it has taken any; ArgumentError for
  ///         counts that are none.
  template <class T>
  static void set_sized(T& thing, const char* who, std::span<const double> state,
                        std::size_t length) {
    require<ShapeError>(state.size() == length, "[{}] expected a state of {} numbers, got {}", who,
                        length, state.size());
    StateReader<ArgumentError> reader(who, state);
    T::fields(thing, reader);
  }
};

}  // namespace gaia
