// SPDX-License-Identifier: MIT
/// \file
/// Several Fourier transforms side by side: Eigen's, whose numbers are packets of Eigen's.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// Of Eigen's FFT the one transform that is used, which includes nothing itself.
#include <unsupported/Eigen/FFT>

namespace gaia {

/// Numbers of a register, each of another transform.
template <class T>
struct Lanes {
  using Packet = typename Eigen::internal::packet_traits<T>::type;
  static constexpr std::int64_t kCount = Eigen::internal::unpacket_traits<Packet>::size;

  Packet packet;

  Lanes() : packet(Eigen::internal::pset1<Packet>(T(0))) {}
  explicit Lanes(Packet lanes) : packet(lanes) {}
  /// The same number in all, which Eigen's transform works out in double.
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Lanes(Number number) : packet(Eigen::internal::pset1<Packet>(static_cast<T>(number))) {}

  static Lanes load(const T* from) { return Lanes(Eigen::internal::ploadu<Packet>(from)); }
  void store(T* to) const { Eigen::internal::pstoreu(to, packet); }

  friend Lanes operator+(Lanes a, Lanes b) {
    return Lanes(Eigen::internal::padd(a.packet, b.packet));
  }
  friend Lanes operator-(Lanes a, Lanes b) {
    return Lanes(Eigen::internal::psub(a.packet, b.packet));
  }
  friend Lanes operator*(Lanes a, Lanes b) {
    return Lanes(Eigen::internal::pmul(a.packet, b.packet));
  }
  friend Lanes operator-(Lanes a) { return Lanes(Eigen::internal::pnegate(a.packet)); }
  Lanes& operator+=(Lanes b) { return *this = *this + b; }
  Lanes& operator-=(Lanes b) { return *this = *this - b; }
  Lanes& operator*=(Lanes b) { return *this = *this * b; }
};

template <class T>
using ComplexLanes = std::complex<Lanes<T>>;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // of packets as arguments of templates

/// A square of numbers, each row in lanes of its own, whose rows and columns can be exchanged.
template <class T>
struct LanesSquare {
  Eigen::internal::PacketBlock<typename Lanes<T>::Packet, static_cast<int>(Lanes<T>::kCount)> block;

  void load(std::int64_t row, const T* from) {
    block.packet[row] = Eigen::internal::ploadu<typename Lanes<T>::Packet>(from);
  }
  void store(std::int64_t row, T* to) const { Eigen::internal::pstoreu(to, block.packet[row]); }
  void exchange() { Eigen::internal::ptranspose(block); }
};

#pragma GCC diagnostic pop

/// Transforms of one length, forwards.  Not for two threads at once.
template <class T>
class LanesTransform {
 public:
  explicit LanesTransform(std::int64_t length) : length_(length) {
    if (length == 1) return;  // which Eigen's does not take
    transform_.make_twiddles(static_cast<int>(length), false);
    transform_.factorize(static_cast<int>(length));
  }

  /// `from` and `to` are apart.
  void run(const ComplexLanes<T>* from, ComplexLanes<T>* to) {
    if (length_ == 1) {
      *to = *from;
    } else {
      transform_.work(0, to, from, 1, 1);
    }
  }

 private:
  std::int64_t length_;
  Eigen::internal::kiss_cpx_fft<Lanes<T>> transform_;
};

}  // namespace gaia
