// Runs batches in groups, which have one element in each lane of a kernel. This file connects the hashes of suite.cc
// with the curve arithmetic of the kernel. In the last group, lanes that have no element of their own repeat the first
// element.
#include <algorithm>
#include <utility>

#include "batch.h"
#include "optiks/base/check.h"
#include "scalar_mul.h"

namespace optiks::vrf {
namespace {

using lanes::GroupPoints;
using lanes::GroupScalar;
using lanes::kMaxGroups;

static_assert(kMaxMany == kMaxGroups * lanes::kMaxLanes);

std::size_t num_groups_of(const lanes::Kernel& kernel, std::size_t n) { return (n + kernel.lanes - 1) / kernel.lanes; }

template <typename Element>
void fill_up(Element* elements, std::size_t n, std::size_t num) {
  std::fill(elements + n, elements + num, elements[0]);
}

void put(const lanes::Kernel& kernel, GroupScalar* groups, std::size_t i, const std::array<u64, 4>& words) {
  for (std::size_t j = 0; j < words.size(); ++j) {
    groups[i / kernel.lanes].w[j * kernel.lanes + i % kernel.lanes] = words[j];
  }
}

// Returns where the encoding of one point of element i is in the array that `kernel.encode` fills. Each element has
// `per_element` points, and `point` selects one of them.
std::size_t string_at(const lanes::Kernel& kernel, std::size_t i, std::size_t point, std::size_t per_element) {
  return ((i / kernel.lanes) * per_element + point) * kernel.lanes + i % kernel.lanes;
}

void encode_to_curve(const lanes::Kernel& kernel, GroupPoints* h, const base::Blake2b& prefix,
                     const PointString& public_key, const Alphas& alphas, std::size_t first, std::size_t n) {
  base::Zeroizing<std::array<Fp2, kMaxMany>> u;
  hash_to_field_many(u->data(), prefix, public_key, alphas, first, n);
  const std::size_t num_groups = num_groups_of(kernel, n);
  fill_up(u->data(), n, num_groups * kernel.lanes);
  kernel.encode_to_curve(h, u->data(), num_groups);
}

}  // namespace

void evaluate_lanes(const lanes::Kernel& kernel, const SecretKey::Impl& key, const Alphas& alphas, std::size_t first,
                    std::size_t n, base::MutableByteSpan labels) {
  const std::size_t num_groups = num_groups_of(kernel, n);
  GroupPoints points[kMaxGroups];
  encode_to_curve(kernel, points, key.encode, key.public_key, alphas, first, n);
  kernel.mul_same(points, points, num_groups, *key.cleared_x_digits);
  PointString strings[kMaxMany];
  kernel.encode(strings, points, num_groups);
  const PointString* cleared_gammas[kMaxMany];
  for (std::size_t i = 0; i < n; ++i) {
    cleared_gammas[i] = &strings[i];
  }
  label_many(labels.subspan(first * kLabelLen, n * kLabelLen), cleared_gammas, n);
}

void prove_lanes(const lanes::Kernel& kernel, const SecretKey::Impl& key, const Alphas& alphas, std::size_t first,
                 std::size_t n, base::MutableByteSpan labels, base::MutableByteSpan proofs) {
  using lanes::kNumProofPoints;
  const std::size_t num_groups = num_groups_of(kernel, n);
  GroupPoints h[kMaxGroups];
  encode_to_curve(kernel, h, key.encode, key.public_key, alphas, first, n);
  PointString h_strings[kMaxMany];
  kernel.encode(h_strings, h, num_groups);

  base::Secret<kSecretKeyLen> x_bytes;
  scalar_to_bytes(x_bytes.bytes(), *key.x);
  base::Zeroizing<std::array<Scalar, kMaxMany>> k;
  nonce_many(k->data(), std::as_const(x_bytes).bytes(), h_strings, n);
  fill_up(k->data(), n, num_groups * kernel.lanes);
  base::Zeroizing<std::array<GroupScalar, kMaxGroups>> k_parts;
  base::Zeroizing<std::array<GroupScalar, kMaxGroups>> k_comb;
  for (std::size_t i = 0; i < num_groups * kernel.lanes; ++i) {
    const base::Zeroizing<MiniScalars> parts(decompose((*k)[i]));
    const base::Zeroizing<Scalar> bits(lanes::generator_bits((*k)[i]));
    put(kernel, k_parts->data(), i, parts->v);
    put(kernel, k_comb->data(), i, bits->w);
  }
  GroupPoints points[kNumProofPoints * kMaxGroups];
  kernel.prove(points, h, num_groups, *key.x_digits, k_parts->data(), k_comb->data());
  PointString strings[kNumProofPoints * kMaxMany];
  kernel.encode(strings, points, kNumProofPoints * num_groups);

  const auto string_of = [&](std::size_t i, std::size_t point) {
    return &strings[string_at(kernel, i, point, kNumProofPoints)];
  };
  ChallengeInput inputs[kMaxMany];
  const PointString* cleared_gammas[kMaxMany];
  for (std::size_t i = 0; i < n; ++i) {
    inputs[i] = {&h_strings[i], string_of(i, lanes::kGamma), string_of(i, lanes::kU), string_of(i, lanes::kV)};
    cleared_gammas[i] = string_of(i, lanes::kClearedGamma);
  }
  std::array<std::uint8_t, kChallengeLen> c[kMaxMany];
  challenge_many(c, key.public_key, inputs, n);
  for (std::size_t i = 0; i < n; ++i) {
    write_proof(proofs.subspan((first + i) * kProofLen).first<kProofLen>(), *inputs[i].gamma, c[i], (*k)[i],
                *key.shifted_x);
  }
  label_many(labels.subspan(first * kLabelLen, n * kLabelLen), cleared_gammas, n);
}

void verify_lanes_vartime(const lanes::Kernel& kernel, const PublicKey::Impl& key, const Alphas& alphas,
                          base::ByteSpan proofs, std::size_t first, std::size_t n, base::MutableByteSpan labels,
                          std::span<Reason> reasons) {
  using lanes::kNumVerifyPoints;
  const std::size_t num_groups = num_groups_of(kernel, n);
  const auto proof_at = [&](std::size_t i) { return proofs.subspan((first + i) * kProofLen).first<kProofLen>(); };

  PointString gamma_strings[kMaxMany];
  GroupScalar s_parts[kMaxGroups];
  GroupScalar s_comb[kMaxGroups];
  GroupScalar c_words[kMaxGroups];
  bool s_in_range[kMaxMany] = {};
  for (std::size_t i = 0; i < num_groups * kernel.lanes; ++i) {
    const auto proof = proof_at(i < n ? i : 0);
    std::copy_n(proof.begin(), kPointLen, gamma_strings[i].begin());
    const Scalar s = response_of(proof);
    s_in_range[i] = scalar_is_canonical(s) == 1;
    const Scalar used = s_in_range[i] ? s : Scalar{};
    put(kernel, s_parts, i, decompose(used).v);
    put(kernel, s_comb, i, lanes::generator_bits(used).w);
    put(kernel, c_words, i,
        {base::load_le64(proof.data() + kPointLen), base::load_le64(proof.data() + kPointLen + 8), 0, 0});
  }
  GroupPoints gamma[kMaxGroups];
  std::uint8_t is_point[kMaxGroups];
  kernel.decode(gamma, is_point, gamma_strings, num_groups);
  GroupPoints h[kMaxGroups];
  encode_to_curve(kernel, h, key.encode, key.bytes, alphas, first, n);
  GroupPoints points[kNumVerifyPoints * kMaxGroups];
  std::uint8_t is_small_order[kMaxGroups];
  kernel.verify(points, is_small_order, h, gamma, num_groups, key.combs, s_parts, s_comb, c_words);
  PointString strings[kNumVerifyPoints * kMaxMany];
  kernel.encode(strings, points, kNumVerifyPoints * num_groups);

  const auto string_of = [&](std::size_t i, std::size_t point) {
    return &strings[string_at(kernel, i, point, kNumVerifyPoints)];
  };
  ChallengeInput inputs[kMaxMany];
  const PointString* cleared_gammas[kMaxMany];
  for (std::size_t i = 0; i < n; ++i) {
    inputs[i] = {string_of(i, lanes::kVerifyH), &gamma_strings[i], string_of(i, lanes::kVerifyU),
                 string_of(i, lanes::kVerifyV)};
    cleared_gammas[i] = string_of(i, lanes::kVerifyClearedGamma);
  }
  std::array<std::uint8_t, kChallengeLen> c[kMaxMany];
  challenge_many(c, key.bytes, inputs, n);
  std::uint8_t computed[kMaxMany * kLabelLen];
  label_many(std::span(computed).first(n * kLabelLen), cleared_gammas, n);

  // The reason names the first check of docs/spec/vrf.md section 7 that failed.
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned lane = 1U << (i % kernel.lanes);
    Reason& reason = reasons[first + i];
    if ((is_point[i / kernel.lanes] & lane) == 0) {
      reason = Reason::kGammaMalformed;
    } else if (!s_in_range[i]) {
      reason = Reason::kScalarRange;
    } else if ((is_small_order[i / kernel.lanes] & lane) != 0) {
      reason = Reason::kGammaSmallOrder;
    } else if (!std::equal(c[i].begin(), c[i].end(), proof_at(i).begin() + kPointLen)) {
      reason = Reason::kChallenge;
    } else {
      reason = Reason::kValid;
      std::copy_n(computed + i * kLabelLen, kLabelLen, label_at(labels, first + i).begin());
    }
  }
}

}  // namespace optiks::vrf
