#include <algorithm>

#include "batch.h"
#include "keys.h"
#include "optiks/base/check.h"

namespace optiks::vrf {
namespace {

using Proof = std::span<const std::uint8_t, kProofLen>;

// The number of points of one verification that have to be encoded. Gamma is not among them, because the proof contains
// its string.
using lanes::kNumVerifyPoints;
using lanes::kVerifyClearedGamma;
using lanes::kVerifyH;
using lanes::kVerifyU;
using lanes::kVerifyV;

// Does steps 2 to 5 of docs/spec/vrf.md section 7. On kValid `points` is filled, and the proof is valid if its
// challenge is.
Reason recompute(const PublicKey::Impl& key, base::ByteSpan alpha, Proof proof, Point* points) {
  const std::optional<Point> gamma = point_decode_vartime(proof.first<kPointLen>());
  if (!gamma) {
    return Reason::kGammaMalformed;
  }
  const Scalar s = response_of(proof);
  if (scalar_is_canonical(s) == 0) {
    return Reason::kScalarRange;
  }
  points[kVerifyClearedGamma] = point_clear_cofactor(*gamma);
  if (point_is_identity(points[kVerifyClearedGamma]) == 1) {
    return Reason::kGammaSmallOrder;
  }
  const std::array<u64, 2> c = {base::load_le64(proof.data() + kPointLen),
                                base::load_le64(proof.data() + kPointLen + 8)};
  points[kVerifyH] = encode_to_curve(key.encode, alpha);
  points[kVerifyU] = generator_minus_vartime(s, c, key.table);
  points[kVerifyV] = subgroup_minus_any_vartime(s, points[kVerifyH], c, *gamma);
  return Reason::kValid;
}

// Does steps 6 and 7 of docs/spec/vrf.md section 7.
Reason conclude(const PublicKey::Impl& key, Proof proof, const PointString* strings,
                std::span<std::uint8_t, kLabelLen> label) {
  PointString gamma;
  std::copy_n(proof.begin(), gamma.size(), gamma.begin());
  const auto c = challenge(key.bytes, strings[kVerifyH], gamma, strings[kVerifyU], strings[kVerifyV]);
  if (!std::equal(c.begin(), c.end(), proof.begin() + kPointLen)) {
    return Reason::kChallenge;
  }
  label_of(label, strings[kVerifyClearedGamma]);
  return Reason::kValid;
}

void verify_chunk(const PublicKey::Impl& key, const Alphas& alphas, base::ByteSpan proofs, std::size_t first,
                  std::size_t n, base::MutableByteSpan labels, std::span<Reason> reasons) {
  const auto proof_at = [&](std::size_t i) { return proofs.subspan((first + i) * kProofLen).first<kProofLen>(); };
  // The points of the elements that reach the challenge, one after another. Only these are encoded.
  Point points[kNumVerifyPoints * kChunk] = {};
  std::size_t num_points = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Reason& reason = reasons[first + i];
    reason = recompute(key, alphas[first + i], proof_at(i), points + num_points);
    if (reason == Reason::kValid) {
      num_points += kNumVerifyPoints;
    }
  }
  PointString strings[kNumVerifyPoints * kChunk];
  encode_many(strings, points, num_points);
  const PointString* next = strings;
  for (std::size_t i = 0; i < n; ++i) {
    Reason& reason = reasons[first + i];
    if (reason == Reason::kValid) {
      reason = conclude(key, proof_at(i), next, label_at(labels, first + i));
      next += kNumVerifyPoints;
    }
  }
}

}  // namespace

Scalar response_of(Proof proof) {
  std::array<std::uint8_t, 32> s_bytes{};
  std::copy(proof.begin() + kPointLen + kChallengeLen, proof.end(), s_bytes.begin());
  return scalar_from_bytes_unchecked(s_bytes);
}

void verify_batch_by_vartime(base::Kernel kernel, const PublicKey& key, const Alphas& alphas, base::ByteSpan proofs,
                             base::MutableByteSpan labels, std::span<Reason> reasons) {
  check_alphas(alphas);
  OPTIKS_CHECK(proofs.size() == alphas.size() * kProofLen);
  OPTIKS_CHECK(labels.size() == alphas.size() * kLabelLen);
  OPTIKS_CHECK(reasons.size() == alphas.size());
  for_chunks(
      kernel, alphas.size(),
      [&](const lanes::Kernel& lanes, std::size_t first, std::size_t n) {
        verify_lanes_vartime(lanes, key.impl(), alphas, proofs, first, n, labels, reasons);
      },
      [&](std::size_t first, std::size_t n) { verify_chunk(key.impl(), alphas, proofs, first, n, labels, reasons); });
}

void verify_batch_vartime(const PublicKey& key, const Alphas& alphas, base::ByteSpan proofs,
                          base::MutableByteSpan labels, std::span<Reason> reasons) {
  verify_batch_by_vartime(batch_kernel(alphas.size()), key, alphas, proofs, labels, reasons);
}

Reason verify_vartime(const PublicKey& key, base::ByteSpan alpha, Proof proof,
                      std::span<std::uint8_t, kLabelLen> label) {
  const std::size_t offsets[] = {0, alpha.size()};
  Reason reason = Reason::kChallenge;
  verify_batch_by_vartime(base::Kernel::kScalar, key, {alpha, offsets}, proof, label, {&reason, 1});
  return reason;
}

}  // namespace optiks::vrf
