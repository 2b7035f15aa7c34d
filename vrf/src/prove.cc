#include <algorithm>
#include <utility>

#include "batch.h"
#include "keys.h"
#include "optiks/base/check.h"
#include "scalar_mul.h"

namespace optiks::vrf {
namespace {

void evaluate_chunk(const SecretKey::Impl& key, const Alphas& alphas, std::size_t first, std::size_t n,
                    base::MutableByteSpan labels) {
  Point cleared[kChunk] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const Point h = encode_to_curve(key.encode, alphas[first + i]);
    cleared[i] = scalar_mul(make_mul_table(h), *key.cleared_x_digits);
  }
  PointString strings[kChunk];
  encode_many(strings, cleared, n);
  for (std::size_t i = 0; i < n; ++i) {
    label_of(label_at(labels, first + i), strings[i]);
  }
}

using lanes::kClearedGamma;
using lanes::kGamma;
using lanes::kNumProofPoints;
using lanes::kU;
using lanes::kV;

void prove_chunk(const SecretKey::Impl& key, const Alphas& alphas, std::size_t first, std::size_t n,
                 base::MutableByteSpan labels, base::MutableByteSpan proofs) {
  Point h[kChunk] = {};
  for (std::size_t i = 0; i < n; ++i) {
    h[i] = encode_to_curve(key.encode, alphas[first + i]);
  }
  PointString h_strings[kChunk];
  encode_many(h_strings, h, n);

  base::Zeroizing<Scalar> k[kChunk];
  Point points[kNumProofPoints * kChunk] = {};
  for (std::size_t i = 0; i < n; ++i) {
    k[i] = base::Zeroizing<Scalar>(nonce(key.nonce, h_strings[i]));
    const base::Zeroizing<MiniScalars> k_parts(decompose(*k[i]));
    const base::Zeroizing<Digits> k_digits(recode(*k_parts));
    const MulTable table = make_mul_table(h[i]);
    Point* const out = &points[kNumProofPoints * i];
    out[kGamma] = scalar_mul(table, *key.x_digits);
    out[kU] = fixed_base_mul(*k[i]);
    out[kV] = scalar_mul(table, *k_digits);
    out[kClearedGamma] = point_clear_cofactor(out[kGamma]);
  }

  PointString strings[kNumProofPoints * kChunk];
  encode_many(strings, points, kNumProofPoints * n);
  for (std::size_t i = 0; i < n; ++i) {
    const PointString* const proof_strings = &strings[kNumProofPoints * i];
    const auto c = challenge(key.public_key, h_strings[i], proof_strings[kGamma], proof_strings[kU], proof_strings[kV]);
    write_proof(proofs.subspan((first + i) * kProofLen).first<kProofLen>(), proof_strings[kGamma], c, *k[i],
                *key.shifted_x);
    label_of(label_at(labels, first + i), proof_strings[kClearedGamma]);
  }
}

}  // namespace

void write_proof(std::span<std::uint8_t, kProofLen> proof, const PointString& gamma,
                 const std::array<std::uint8_t, kChallengeLen>& c, const Scalar& k, const ShiftedScalar& x) {
  const base::Zeroizing<Scalar> cx(scalar_mul_short({base::load_le64(c.data()), base::load_le64(c.data() + 8)}, x));
  base::Secret<32> s;
  scalar_to_bytes(s.bytes(), scalar_add(k, *cx));
  auto out = std::copy(gamma.begin(), gamma.end(), proof.begin());
  out = std::copy(c.begin(), c.end(), out);
  std::copy_n(std::as_const(s).bytes().begin(), 31, out);
}

void evaluate_batch_by(base::Kernel kernel, const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels) {
  check_alphas(alphas);
  OPTIKS_CHECK(labels.size() == alphas.size() * kLabelLen);
  for_chunks(
      kernel, alphas.size(),
      [&](const lanes::Kernel& lanes, std::size_t first, std::size_t n) {
        evaluate_lanes(lanes, key.impl(), alphas, first, n, labels);
      },
      [&](std::size_t first, std::size_t n) { evaluate_chunk(key.impl(), alphas, first, n, labels); });
}

void prove_batch_by(base::Kernel kernel, const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels,
                    base::MutableByteSpan proofs) {
  check_alphas(alphas);
  OPTIKS_CHECK(labels.size() == alphas.size() * kLabelLen);
  OPTIKS_CHECK(proofs.size() == alphas.size() * kProofLen);
  for_chunks(
      kernel, alphas.size(),
      [&](const lanes::Kernel& lanes, std::size_t first, std::size_t n) {
        prove_lanes(lanes, key.impl(), alphas, first, n, labels, proofs);
      },
      [&](std::size_t first, std::size_t n) { prove_chunk(key.impl(), alphas, first, n, labels, proofs); });
}

void evaluate_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels) {
  evaluate_batch_by(batch_kernel(alphas.size()), key, alphas, labels);
}

void prove_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels,
                 base::MutableByteSpan proofs) {
  prove_batch_by(batch_kernel(alphas.size()), key, alphas, labels, proofs);
}

void evaluate(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label) {
  const std::size_t offsets[] = {0, alpha.size()};
  evaluate_batch_by(base::Kernel::kScalar, key, {alpha, offsets}, label);
}

void prove(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label,
           std::span<std::uint8_t, kProofLen> proof) {
  const std::size_t offsets[] = {0, alpha.size()};
  prove_batch_by(base::Kernel::kScalar, key, {alpha, offsets}, label, proof);
}

}  // namespace optiks::vrf
