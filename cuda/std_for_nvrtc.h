// SPDX-License-Identifier: MIT
/// \file
/// NVRTC's own standard library: it knows no headers, and what kernels and the formulas of src/ use
/// of them is here.  Each standard header that they include is this text under another name.
///
/// What only the host calls (texts, lists, errors) is declared as far as signatures need it.
#pragma once

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using intptr_t = long long;
using uintptr_t = unsigned long long;
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));

namespace std {

// <cstddef>, <cstdint>, <cstring>

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
using nullptr_t = decltype(nullptr);
using ::memcpy;
using ::memset;

// <type_traits>, <concepts>

template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return V; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <bool V>
using bool_constant = integral_constant<bool, V>;

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;

template <class T, class U>
inline constexpr bool is_same_v = false;
template <class T>
inline constexpr bool is_same_v<T, T> = true;
template <class T, class U>
struct is_same : bool_constant<is_same_v<T, U>> {};
template <class T, class U>
concept same_as = is_same_v<T, U> && is_same_v<U, T>;

template <bool Holds, class T, class U>
struct conditional : type_identity<T> {};
template <class T, class U>
struct conditional<false, T, U> : type_identity<U> {};
template <bool Holds, class T, class U>
using conditional_t = typename conditional<Holds, T, U>::type;

template <bool Holds, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> : type_identity<T> {};
template <bool Holds, class T = void>
using enable_if_t = typename enable_if<Holds, T>::type;

template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_const : type_identity<T> {};
template <class T>
struct remove_const<const T> : type_identity<T> {};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
struct remove_cv : type_identity<T> {};
template <class T>
struct remove_cv<const T> : type_identity<T> {};
template <class T>
struct remove_cv<volatile T> : type_identity<T> {};
template <class T>
struct remove_cv<const volatile T> : type_identity<T> {};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T>
using decay_t = remove_cvref_t<T>;  // for neither arrays nor functions

template <class T>
inline constexpr bool is_const_v = false;
template <class T>
inline constexpr bool is_const_v<const T> = true;

template <class T>
inline constexpr bool is_floating_point_v =
    is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>;
template <class T, class... Us>
inline constexpr bool is_one_of_v = (is_same_v<remove_cv_t<T>, Us> || ...);
template <class T>
inline constexpr bool is_integral_v =
    is_one_of_v<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned,
                long, unsigned long, long long, unsigned long long>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
inline constexpr bool is_signed_v = is_arithmetic_v<T> && T(-1) < T(0);
template <class T>
inline constexpr bool is_unsigned_v = is_arithmetic_v<T> && !(T(-1) < T(0));
template <class T>
struct is_integral : bool_constant<is_integral_v<T>> {};
template <class T>
struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <class T>
concept integral = is_integral_v<T>;
template <class T>
concept floating_point = is_floating_point_v<T>;

template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T>
inline constexpr bool is_empty_v = __is_empty(T);
template <class T>
inline constexpr bool is_enum_v = __is_enum(T);
template <class Base, class T>
inline constexpr bool is_base_of_v = __is_base_of(Base, T);

template <class T>
struct make_unsigned {};
template <class T>
struct make_signed {};
#define GAIA_SIGNED_PAIR(with, without)                      \
  template <>                                                \
  struct make_unsigned<with> : type_identity<without> {};    \
  template <>                                                \
  struct make_unsigned<without> : type_identity<without> {}; \
  template <>                                                \
  struct make_signed<with> : type_identity<with> {};         \
  template <>                                                \
  struct make_signed<without> : type_identity<with> {};
GAIA_SIGNED_PAIR(signed char, unsigned char)
GAIA_SIGNED_PAIR(short, unsigned short)
GAIA_SIGNED_PAIR(int, unsigned)
GAIA_SIGNED_PAIR(long, unsigned long)
GAIA_SIGNED_PAIR(long long, unsigned long long)
#undef GAIA_SIGNED_PAIR
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <class T>
using make_signed_t = typename make_signed<T>::type;

template <class T>
T declval();  // named in unevaluated operands alone

// <cmath>: CUDA's own functions, which are overloaded for float and double

using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::rint;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;

// <limits>

template <class T>
struct numeric_limits {
  static_assert(is_integral_v<T>);
  static constexpr bool is_signed = is_signed_v<T>;
  static constexpr bool is_integer = true;
  static constexpr int digits = static_cast<int>(sizeof(T) * 8) - is_signed;
  static constexpr T max() {
    if constexpr (is_same_v<T, bool>)
      return true;
    else
      return static_cast<T>(~make_unsigned_t<T>(0) >> is_signed);
  }
  static constexpr T min() {
    if constexpr (is_signed)
      return static_cast<T>(-max() - 1);
    else
      return T(0);
  }
  static constexpr T lowest() { return min(); }
};
template <>
struct numeric_limits<float> {
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr int digits = 24;
  static constexpr int min_exponent = -125;
  static constexpr int max_exponent = 128;
  static constexpr float max() { return 0x1.fffffep+127f; }
  static constexpr float min() { return 0x1p-126f; }
  static constexpr float lowest() { return -max(); }
  static constexpr float epsilon() { return 0x1p-23f; }
  static constexpr float denorm_min() { return 0x1p-149f; }
  static constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000u); }
  static constexpr float quiet_NaN() { return __builtin_bit_cast(float, 0x7fc00000u); }
};
template <>
struct numeric_limits<double> {
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr int digits = 53;
  static constexpr int min_exponent = -1021;
  static constexpr int max_exponent = 1024;
  static constexpr double max() { return 0x1.fffffffffffffp+1023; }
  static constexpr double min() { return 0x1p-1022; }
  static constexpr double lowest() { return -max(); }
  static constexpr double epsilon() { return 0x1p-52; }
  static constexpr double denorm_min() { return 0x1p-1074; }
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ull); }
  static constexpr double quiet_NaN() { return __builtin_bit_cast(double, 0x7ff8000000000000ull); }
};

// <algorithm>, <utility>

template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
template <class I, class T>
constexpr I find(I first, I last, const T& value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class I, class J>
constexpr bool equal(I first, I last, J other, J other_last) {
  for (; first != last && other != other_last; ++first, ++other) {
    if (!(*first == *other)) return false;
  }
  return first == last && other == other_last;
}
template <class T>
constexpr void swap(T& a, T& b) {
  T old = a;
  a = b;
  b = old;
}
template <class T, class U>
struct pair {
  T first;
  U second;
};

// <array>, <tuple>

template <class T, size_t N>
struct array {
  T held[N == 0 ? 1 : N];
  constexpr T& operator[](size_t i) { return held[i]; }
  constexpr const T& operator[](size_t i) const { return held[i]; }
  static constexpr size_t size() { return N; }
  constexpr T* data() { return held; }
  constexpr const T* data() const { return held; }
  constexpr T* begin() { return held; }
  constexpr const T* begin() const { return held; }
  constexpr T* end() { return held + N; }
  constexpr const T* end() const { return held + N; }
};
template <class T, class... Ts>
array(T, Ts...) -> array<T, 1 + sizeof...(Ts)>;

template <class... Ts>
class tuple;  // a list of types
template <class List>
struct tuple_size;
template <class... Ts>
struct tuple_size<tuple<Ts...>> : integral_constant<size_t, sizeof...(Ts)> {};
template <class List>
inline constexpr size_t tuple_size_v = tuple_size<List>::value;
template <size_t I, class List>
struct tuple_element;
template <size_t I, class T, class... Ts>
struct tuple_element<I, tuple<T, Ts...>> : tuple_element<I - 1, tuple<Ts...>> {};
template <class T, class... Ts>
struct tuple_element<0, tuple<T, Ts...>> : type_identity<T> {};
template <size_t I, class List>
using tuple_element_t = typename tuple_element<I, List>::type;

// <optional>: of what is copied byte by byte

struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class T>
class optional {
 public:
  constexpr optional() {}
  constexpr optional(nullopt_t) {}
  constexpr optional(const T& value) : value_(value), has_(true) {}
  constexpr bool has_value() const { return has_; }
  constexpr explicit operator bool() const { return has_; }
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }
  constexpr T value_or(const T& other) const { return has_ ? value_ : other; }

 private:
  T value_{};
  bool has_ = false;
};

// What only the host uses

class string;
class string_view;
struct runtime_error {
  runtime_error(const string& what);
  runtime_error(const char* what);
};
using logic_error = runtime_error;
template <class T>
class vector;
template <class... Ts>
class variant;
template <class T>
struct span {
  span(T* data, size_t size);
};
template <class F, class... Vs>
void visit(F&& f, Vs&&... variants);

}  // namespace std
