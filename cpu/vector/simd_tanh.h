// SPDX-License-Identifier: MIT
/// \file
/// tanh on Vec<T>, found by the formulas of src/ in place of that of <cmath>.
///
/// In float32 by a polynomial for each quarter of a power of 2 where registers hold the tables, or
/// else after S. L. Moshier's Cephes library (1984-2000).
#pragma once

#include <cstdint>

#include "simd.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

#if defined(__AVX512F__)
/// tanh of x >= 0 by pieces that each are a quarter of a power of 2, so that the first digits of x
/// tell its piece; the lowest reaches down to 0.  Each has a middle whose tanh is all but exact in
/// this format (after Gal, 1986), and a polynomial in what x is beyond it, lowest power first.
struct TanhPieces {
  static constexpr float least = 0.0625F;  // what is less is in the same piece
  static constexpr float most = 9.05F;     // tanh is 1 from there on
  static constexpr int shift = 21;         // leaves the exponent and two digits
  alignas(64) static constexpr float middle[] = {
      2.24994326F,  2.75006676F,   3.25001311F,  3.75005865F,  4.49993181F,  5.50014305F,
      6.49985695F,  7.50014305F,   8.52528572F,  8.52528572F,  8.52528572F,  8.52528572F,
      0.0F,         0.0859364495F, 0.101560496F, 0.117189318F, 0.140626654F, 0.17187272F,
      0.20312424F,  0.23437345F,   0.281243235F, 0.34375155F,  0.406244308F, 0.468753487F,
      0.562490046F, 0.687487423F,  0.812510133F, 0.937497616F, 1.12498033F,  1.37499774F,
      1.62498569F,  1.87500703F};
  alignas(64) static constexpr float series[][32] = {
      {0.978023648F, 0.991860807F,  0.996997714F, 0.998894572F, 0.999753177F, 0.999966621F,
       0.99999547F,  0.999999404F,  0.99999994F,  0.99999994F,  0.99999994F,  0.99999994F,
       0.0F,         0.0857255235F, 0.101212747F, 0.116655782F, 0.139706925F, 0.170200095F,
       0.200375989F, 0.230174243F,  0.274055332F, 0.330822498F, 0.385279119F, 0.437191606F,
       0.509822607F, 0.596365452F,  0.670972645F, 0.73407042F,  0.809294283F, 0.879826188F,
       0.925344169F, 0.954045892F},
      {0.0434697419F,
       0.0162121393F,
       0.00599555811F,
       0.00220963336F,
       0.000493584666F,
       6.67854692e-05F,
       9.04386252e-06F,
       1.22325866e-06F,
       1.57431273e-07F,
       1.57431273e-07F,
       1.57431273e-07F,
       1.57431273e-07F,
       1.0F,
       0.992651105F,
       0.989755988F,
       0.986391425F,
       0.980481982F,
       0.971031904F,
       0.959849477F,
       0.947019815F,
       0.924893677F,
       0.890556455F,
       0.851559997F,
       0.808863521F,
       0.740080893F,
       0.644348264F,
       0.549795687F,
       0.461140633F,
       0.345042765F,
       0.22590588F,
       0.143738165F,
       0.0897964388F},
      {-0.0425135531F,   -0.0160795208F,   -0.00597726135F,  -0.00220707431F,  -0.000493028376F,
       -6.67240092e-05F, -9.03579803e-06F, -1.22217182e-06F, -1.57260914e-07F, -1.57260914e-07F,
       -1.57260914e-07F, -1.57260914e-07F, 2.44435716e-09F,  -0.0850955397F,   -0.100175925F,
       -0.115068264F,    -0.136980116F,    -0.165269718F,    -0.192330778F,    -0.217979565F,
       -0.25347203F,     -0.294616103F,    -0.328088254F,    -0.353628308F,    -0.377309799F,
       -0.384266973F,    -0.368897915F,    -0.338509768F,    -0.279242545F,    -0.198758751F,
       -0.133007586F,    -0.085669972F},
      {0.0270903464F,   0.0105451224F,   0.00396101549F,  0.00146817311F,  0.000328691734F,
       4.45019541e-05F, 6.02693444e-06F, 8.15188002e-07F, 1.04903613e-07F, 1.04903613e-07F,
       1.04903613e-07F, 1.04903613e-07F, -0.333334327F,   -0.323588848F,   -0.319779575F,
       -0.315373778F,   -0.307690263F,   -0.295548379F,   -0.28141135F,    -0.265499979F,
       -0.238832518F,   -0.199386522F,   -0.15744777F,    -0.115017839F,   -0.0543326214F,
       0.0143807102F,   0.0642550737F,   0.0947763771F,   0.110974178F,    0.0995708182F,
       0.0751650035F,   0.0518009812F},
      {-0.0123802507F,   -0.00514196884F,  -0.00197564485F,  -0.000738293631F, -0.000171166437F,
       -2.31999747e-05F, -3.14237195e-06F, -4.25048427e-07F, -5.49361125e-08F, -5.49361125e-08F,
       -5.49361125e-08F, -5.49361125e-08F, 5.76864441e-05F,  0.0561026148F,    0.0657549575F,
       0.0751430988F,    0.088631779F,     0.105375126F,     0.120479219F,     0.133750498F,
       0.149856389F,     0.164079264F,     0.169943258F,     0.168092117F,     0.153287962F,
       0.119456209F,     0.0798879862F,    0.0433470309F,    0.00363156176F,   -0.0211379081F,
       -0.0251374133F,   -0.0208512824F},
      {0.00398023752F,  0.0019114922F,   0.000768545084F, 0.000291820237F, 6.75140764e-05F,
       9.17060061e-06F, 1.24185044e-06F, 1.6806176e-07F,  2.17005578e-08F, 2.17005578e-08F,
       2.17005578e-08F, 2.17005578e-08F, 0.13243039F,     0.125108391F,    0.121928364F,
       0.118275195F,    0.111955725F,    0.102146097F,    0.0909806043F,   0.0787480175F,
       0.0590597652F,   0.0319510549F,   0.00591979083F,  -0.0171716791F,  -0.0435371026F,
       -0.0616198368F,  -0.0627003834F,  -0.0530722551F,  -0.0320188627F,  -0.00947686844F,
       0.00141765608F,  0.00461030006F}};
};

GAIA_INLINE Vec<float> tanh(Vec<float> x) {
  using V = Vec<float>;
  using Pieces = TanhPieces;
  const V size = min(V(Pieces::most), abs(x));  // NaN if x is
  const auto piece = (V::Integers)max(size, V(Pieces::least)).raw >> Pieces::shift;
  const V beyond = size - looked_up(Pieces::middle, piece);
  const V y = fma(slope_of_piece(beyond, piece, Pieces::series), beyond,
                  looked_up(Pieces::series[0], piece));
  return with_sign(y, x);
}
#else
GAIA_INLINE Vec<float> tanh(Vec<float> x) {
  using V = Vec<float>;
  constexpr float series[] = {-5.70498872745e-3F, 2.06390887954e-2F, -5.37397155531e-2F,
                              1.33314422036e-1F, -3.33332819422e-1F};
  const V size = abs(x);
  const V square = x * x;
  const V small = fma(polynomial(square, series) * square, x, x);
  // From 10 on tanh is 1.
  const ExpParts<float> parts(min(size + size, V(20.0F)));
  const V power = (parts.less_one + V(1.0F)) * power_of_two(parts.n);
  const V rest = V(2.0F) / (power + V(1.0F));
  const V large = choose(x < V(0.0F), rest - V(1.0F), V(1.0F) - rest);
  // Zero keeps its sign, and NaN stays NaN.
  const Mask<float> large_enough = size >= V(1e-5F);
  return choose(large_enough, choose(size < V(0.625F), small, large), x);
}
#endif

GAIA_INLINE Vec<double> tanh(Vec<double> x) {
  using V = Vec<double>;
  const V size = abs(x);
  const V t = expm1(size * V(-2.0));
  const V y = -t / (t + V(2.0));
  const V signed_y = choose(x < V(0.0), -y, y);
  return choose(size > V(1e-9), signed_y, x);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
