// SPDX-License-Identifier: MIT
#include "equation_panel.h"

#include <new>
#include <type_traits>

#include "equation_panel_state.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Calls f with the vectors that a panel of a layer of `outputs` neurons is made of, a constant.
template <class T, class F>
GAIA_INLINE void with_panel(std::int64_t outputs, const F& f) {
  const std::int64_t vectors = (outputs + Vec<T>::lanes - 1) / Vec<T>::lanes;
  if (vectors <= 1) return f(std::type_identity<EquationPanel<T, 1>>{});
  if (vectors == 2) return f(std::type_identity<EquationPanel<T, 2>>{});
  f(std::type_identity<EquationPanel<T, kVectors>>{});
}

/// Calls f with the panel that `room` holds.
template <class T, class F>
GAIA_INLINE void with_panel_in(const EquationChunks<T>& run, T* room, const F& f) {
  with_panel<T>(run.block.outputs,
                [&](auto kind) { f(*reinterpret_cast<typename decltype(kind)::type*>(room)); });
}

}  // namespace

template <class T>
std::int64_t equation_panel_width(std::int64_t outputs) {
  std::int64_t width = 0;
  with_panel<T>(outputs, [&](auto kind) { width = decltype(kind)::type::width; });
  return width;
}

template <class T>
std::int64_t equation_panel_numbers(const EquationChunks<T>& run) {
  std::int64_t numbers = 0;
  with_panel<T>(run.block.outputs,
                [&](auto kind) { numbers = decltype(kind)::type::numbers(run); });
  return numbers;
}

template <class T>
void enter_equation_panel(const EquationChunks<T>& run, std::int64_t first, std::int64_t count,
                          T* room) {
  with_panel<T>(run.block.outputs, [&](auto kind) {
    using Panel = typename decltype(kind)::type;
    constexpr std::int64_t numbers = Panel::kOwnNumbers;
    static_assert(sizeof(Panel) <= numbers * sizeof(T));
    new (room) Panel(run, first, count, room + numbers);
  });
}

template <class T>
void start_equation_panel(const EquationChunks<T>& run, T* room, std::int64_t chunk,
                          std::int64_t begin, std::int64_t end) {
  with_panel_in<T>(run, room, [&](auto& panel) { panel.start(chunk, begin, end); });
}

template <class T>
void drive_equation_panel(const EquationChunks<T>& run, T* room, std::int64_t tick,
                          std::int64_t stream, T* drives) {
  with_panel_in<T>(run, room, [&](auto& panel) { panel.drive(tick, stream, drives); });
}

template <class T>
void take_equation_shares(const EquationChunks<T>& run, T* room, std::int64_t tick,
                          std::int64_t stream, const EquationShares<T>& dw,
                          const EquationShares<T>& de, const EquationCell<T>& answer,
                          std::int64_t column) {
  with_panel_in<T>(run, room,
                   [&](auto& panel) { panel.take(tick, stream, dw, de, answer, column); });
}

template <class T>
bool settle_equation_panel(const EquationChunks<T>& run, T* room, std::int64_t tick) {
  bool cut = false;
  with_panel_in<T>(run, room, [&](auto& panel) { cut = panel.settle(tick); });
  return cut;
}

template <class T>
void finish_equation_panel(const EquationChunks<T>& run, T* room, std::int64_t chunk,
                           std::int64_t end) {
  with_panel_in<T>(run, room, [&](auto& panel) { panel.finish(chunk, end); });
}

template <class T>
void leave_equation_panel(const EquationChunks<T>& run, T* room) {
  with_panel_in<T>(run, room, [&](auto& panel) { panel.leave(); });
}

#define GAIA_INSTANTIATE(T)                                                                      \
  template std::int64_t equation_panel_width<T>(std::int64_t);                                   \
  template std::int64_t equation_panel_numbers(const EquationChunks<T>&);                        \
  template void enter_equation_panel(const EquationChunks<T>&, std::int64_t, std::int64_t, T*);  \
  template void start_equation_panel(const EquationChunks<T>&, T*, std::int64_t, std::int64_t,   \
                                     std::int64_t);                                              \
  template void drive_equation_panel(const EquationChunks<T>&, T*, std::int64_t, std::int64_t,   \
                                     T*);                                                        \
  template void take_equation_shares(const EquationChunks<T>&, T*, std::int64_t, std::int64_t,   \
                                     const EquationShares<T>&, const EquationShares<T>&,         \
                                     const EquationCell<T>&, std::int64_t);                      \
  template bool settle_equation_panel(const EquationChunks<T>&, T*, std::int64_t);               \
  template void finish_equation_panel(const EquationChunks<T>&, T*, std::int64_t, std::int64_t); \
  template void leave_equation_panel(const EquationChunks<T>&, T*);
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
