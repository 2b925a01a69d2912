// SPDX-License-Identifier: MIT
#include "equation_panel.h"

#include <algorithm>
#include <new>
#include <type_traits>

#include "equation_panel_state.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Numbers before the panel in its room, the first of which tells how many vectors it is made of.
template <class T>
constexpr std::int64_t kHead = 64 / static_cast<std::int64_t>(sizeof(T));

/// Vectors of a panel of so many neurons.
template <class T>
std::int64_t vectors_for(std::int64_t neurons) {
  return std::min<std::int64_t>((neurons + Vec<T>::lanes - 1) / Vec<T>::lanes, kVectors);
}

/// Calls f with the panel that so many vectors make, a constant.
template <class T, class F>
GAIA_INLINE void with_panel(std::int64_t vectors, const F& f) {
  if (vectors <= 1) return f(std::type_identity<EquationPanel<T, 1>>{});
  if (vectors == 2) return f(std::type_identity<EquationPanel<T, 2>>{});
  f(std::type_identity<EquationPanel<T, kVectors>>{});
}

/// Calls f with the panel that `room` holds.
template <class T, class F>
GAIA_INLINE void with_panel_in(T* room, const F& f) {
  with_panel<T>(static_cast<std::int64_t>(room[0]), [&](auto kind) {
    f(*reinterpret_cast<typename decltype(kind)::type*>(room + kHead<T>));
  });
}

}  // namespace

template <class T>
std::int64_t equation_panel_width(std::int64_t outputs) {
  std::int64_t width = 0;
  with_panel<T>(vectors_for<T>(outputs), [&](auto kind) { width = decltype(kind)::type::width; });
  return width;
}

template <class T>
std::int64_t equation_panel_numbers(const EquationChunks<T>& run) {
  std::int64_t numbers = 0;
  with_panel<T>(vectors_for<T>(run.block.outputs),
                [&](auto kind) { numbers = decltype(kind)::type::numbers(run); });
  return kHead<T> + numbers;
}

template <class T>
void enter_equation_panel(const EquationChunks<T>& run, std::int64_t first, std::int64_t count,
                          T* room) {
  const std::int64_t vectors = vectors_for<T>(count);
  room[0] = static_cast<T>(vectors);
  with_panel<T>(vectors, [&](auto kind) {
    using Panel = typename decltype(kind)::type;
    constexpr std::int64_t numbers = Panel::kOwnNumbers;
    static_assert(sizeof(Panel) <= numbers * sizeof(T));
    T* const own = room + kHead<T>;
    new (own) Panel(run, first, count, own + numbers);
  });
}

template <class T>
void start_equation_panel(T* room, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
  with_panel_in<T>(room, [&](auto& panel) { panel.start(chunk, begin, end); });
}

template <class T>
void drive_equation_panel(T* room, std::int64_t tick, std::int64_t stream, T* drives, T* squares) {
  with_panel_in<T>(room, [&](auto& panel) { panel.drive(tick, stream, drives, squares); });
}

template <class T>
void take_equation_shares(T* room, std::int64_t tick, std::int64_t stream,
                          const EquationShares<T>& dw, const EquationShares<T>& de,
                          const EquationCell<T>& answer, std::int64_t column) {
  with_panel_in<T>(room, [&](auto& panel) { panel.take(tick, stream, dw, de, answer, column); });
}

template <class T>
bool settle_equation_panel(T* room, std::int64_t tick) {
  bool cut = false;
  with_panel_in<T>(room, [&](auto& panel) { cut = panel.settle(tick); });
  return cut;
}

template <class T>
void finish_equation_panel(T* room, std::int64_t chunk, std::int64_t end) {
  with_panel_in<T>(room, [&](auto& panel) { panel.finish(chunk, end); });
}

template <class T>
void leave_equation_panel(T* room) {
  with_panel_in<T>(room, [&](auto& panel) { panel.leave(); });
}

#define GAIA_INSTANTIATE(T)                                                                     \
  template std::int64_t equation_panel_width<T>(std::int64_t);                                  \
  template std::int64_t equation_panel_numbers(const EquationChunks<T>&);                       \
  template void enter_equation_panel(const EquationChunks<T>&, std::int64_t, std::int64_t, T*); \
  template void start_equation_panel(T*, std::int64_t, std::int64_t, std::int64_t);             \
  template void drive_equation_panel(T*, std::int64_t, std::int64_t, T*, T*);                   \
  template void take_equation_shares(T*, std::int64_t, std::int64_t, const EquationShares<T>&,  \
                                     const EquationShares<T>&, const EquationCell<T>&,          \
                                     std::int64_t);                                             \
  template bool settle_equation_panel(T*, std::int64_t);                                        \
  template void finish_equation_panel(T*, std::int64_t, std::int64_t);                          \
  template void leave_equation_panel(T*);
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
