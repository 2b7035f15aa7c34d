#include "suite.h"

#include <algorithm>

#include "elligator.h"
#include "optiks/base/blake2b_many.h"
#include "optiks/base/check.h"

namespace optiks::vrf {
namespace {

// Returns the octets of a string literal, without the terminating NUL.
template <std::size_t Size>
constexpr std::array<std::uint8_t, Size - 1> octets(const char (&literal)[Size]) {
  std::array<std::uint8_t, Size - 1> out{};
  std::copy_n(literal, out.size(), out.begin());
  return out;
}

constexpr auto kSuiteString = octets("\xFFoptiks-fourq-blake2b");
constexpr auto kDstPrime = octets(
    "ECVRF_"
    "FourQ_XMD:BLAKE2b-512_ELL2_NU_"
    "\xFFoptiks-fourq-blake2b"
    "\x39");
static_assert(kSuiteString.size() == 21);
static_assert(kDstPrime.size() == 57 + 1 && kDstPrime.back() == 57);

// The front octets of RFC 9381 section 5; the front octet for the nonce comes from c2sp.org/vrf-r255.
constexpr std::array<std::uint8_t, 1> kChallengeFront = {0x02};
constexpr std::array<std::uint8_t, 1> kBetaFront = {0x03};
constexpr std::array<std::uint8_t, 1> kNonceFront = {0x81};
constexpr std::array<std::uint8_t, 1> kBack = {0x00};

using Digest = base::Zeroizing<std::array<std::uint8_t, kHashLen>>;

// Parts of expand_message_xmd (RFC 9380 section 5.3.1): l_i_b_str and the octet 0, and the octet 1 in b_1.
constexpr std::array<std::uint8_t, 3> kLenAndZero = {0x00, 0x40, 0x00};
constexpr std::array<std::uint8_t, 1> kOne = {0x01};
constexpr std::array<std::uint8_t, base::kBlake2bBlockLen> kZeroPad{};

// Returns 32 big-endian octets, reduced modulo p with 2^128 = 2.
Fp field_element(const std::uint8_t* in) {
  const auto fold_any = [](u128 x) { return fp_fold(fp_fold(x).v); };  // 2^128 - 1 needs the second fold
  const Fp high = fold_any(make_u128(base::load_be64(in), base::load_be64(in + 8)));
  const Fp low = fold_any(make_u128(base::load_be64(in + 16), base::load_be64(in + 24)));
  return fp_add(fp_add(high, high), low);
}

// Messages of up to Size octets, stored one after another as blake2b_many needs them. The destructor erases them.
template <std::size_t Size>
class Slots {
  static_assert(Size % base::kBlake2bBlockLen == 0);

 public:
  explicit Slots(std::size_t n) : num_slots_(n) { OPTIKS_CHECK(n <= kMaxMany); }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() { base::zeroize(octets_.data(), num_slots_ * Size); }

  // Appends octets to message i. If the compiler knows their length, the copy is a few instructions; otherwise it is a
  // call of a function.
  template <std::size_t Extent>
  OPTIKS_INLINE Slots& append(std::size_t i, std::span<const std::uint8_t, Extent> octets) {
    OPTIKS_CHECK(i < num_slots_ && octets.size() <= Size - lens_[i]);
    std::copy_n(octets.data(), octets.size(), octets_.data() + i * Size + lens_[i]);
    lens_[i] += octets.size();
    return *this;
  }
  template <std::size_t Len>
  OPTIKS_INLINE Slots& append(std::size_t i, const std::array<std::uint8_t, Len>& octets) {
    return append(i, std::span(octets));
  }
  void hash(base::MutableByteSpan digests, const base::Blake2bPrefix& prefix) const {
    base::blake2b_many(digests, kHashLen, prefix, std::span(octets_).first(num_slots_ * Size), Size,
                       std::span(lens_).first(num_slots_));
  }

 private:
  std::size_t num_slots_;
  std::array<std::size_t, kMaxMany> lens_{};
  std::array<std::uint8_t, kMaxMany * Size> octets_{};
};

// Memory for digests. The destructor erases the digests.
class Digests {
 public:
  explicit Digests(std::size_t n) : num_digests_(n) { OPTIKS_CHECK(n <= kMaxMany); }
  Digests(const Digests&) = delete;
  Digests& operator=(const Digests&) = delete;
  ~Digests() { base::zeroize(octets_.data(), num_digests_ * kHashLen); }

  [[nodiscard]] base::MutableByteSpan all() { return std::span(octets_).first(num_digests_ * kHashLen); }
  [[nodiscard]] std::span<const std::uint8_t, kHashLen> operator[](std::size_t i) const {
    return std::span(octets_).subspan(i * kHashLen).first<kHashLen>();
  }

 private:
  std::size_t num_digests_;
  std::array<std::uint8_t, kMaxMany * kHashLen> octets_{};
};

const base::Blake2bPrefix kEmptyPrefix = base::blake2b_prefix(kHashLen);
const base::Blake2bPrefix kPaddedPrefix = base::blake2b_prefix(kHashLen, kZeroPad);

}  // namespace

base::Blake2b encode_prefix(std::span<const std::uint8_t, kPointLen> public_key) {
  base::Blake2b hash(kHashLen);
  hash.update(kZeroPad).update(public_key);
  return hash;
}

// Runs expand_message_xmd (RFC 9380 section 5.3.1) for an output of 64 octets. This output is exactly b_1.
Fp2 hash_to_field(const base::Blake2b& prefix, base::ByteSpan alpha) {
  Digest b0;
  base::Blake2b first = prefix;
  first.update(alpha).update(kLenAndZero).update(kDstPrime).finish(*b0);
  Digest b1;
  base::Blake2b(kHashLen).update(*b0).update(kOne).update(kDstPrime).finish(*b1);
  return {field_element(b1->data()), field_element(b1->data() + 32)};
}

Point encode_to_curve(const base::Blake2b& prefix, base::ByteSpan alpha) {
  return point_clear_cofactor(elligator2(hash_to_field(prefix, alpha)));
}

base::Blake2b nonce_prefix(std::span<const std::uint8_t, 32> secret_scalar) {
  base::Blake2b hash(kHashLen);
  hash.update(kSuiteString).update(kNonceFront).update(secret_scalar);
  return hash;
}

Scalar nonce(const base::Blake2b& prefix, const PointString& h) {
  Digest digest;
  base::Blake2b hash = prefix;
  hash.update(h).finish(*digest);
  return scalar_reduce_wide(*digest);
}

std::array<std::uint8_t, kChallengeLen> challenge(std::span<const std::uint8_t, kPointLen> y, const PointString& h,
                                                  const PointString& gamma, const PointString& u,
                                                  const PointString& v) {
  std::array<std::uint8_t, kHashLen> digest;
  base::Blake2b(kHashLen)
      .update(kSuiteString)
      .update(kChallengeFront)
      .update(y)
      .update(h)
      .update(gamma)
      .update(u)
      .update(v)
      .update(kBack)
      .finish(digest);
  std::array<std::uint8_t, kChallengeLen> c;
  std::copy_n(digest.begin(), c.size(), c.begin());
  return c;
}

void hash_to_field_many(Fp2* u, const base::Blake2b& prefix, const PointString& public_key, const Alphas& alphas,
                        std::size_t first, std::size_t n) {
  // Names and versions are short, so they fit into a slot of this length. If one alpha does not fit, all alphas of the
  // call take the scalar path.
  constexpr std::size_t kSlotLen = 3 * base::kBlake2bBlockLen;
  constexpr std::size_t kMaxAlphaLen = kSlotLen - kPointLen - kLenAndZero.size() - kDstPrime.size();
  for (std::size_t i = first; i < first + n; ++i) {
    if (alphas[i].size() > kMaxAlphaLen) {
      for (std::size_t j = 0; j < n; ++j) {
        u[j] = hash_to_field(prefix, alphas[first + j]);
      }
      return;
    }
  }
  Digests digests(n);
  Slots<kSlotLen> b0(n);
  for (std::size_t i = 0; i < n; ++i) {
    b0.append(i, public_key).append(i, alphas[first + i]).append(i, kLenAndZero).append(i, kDstPrime);
  }
  b0.hash(digests.all(), kPaddedPrefix);
  Slots<base::kBlake2bBlockLen> b1(n);
  for (std::size_t i = 0; i < n; ++i) {
    b1.append(i, digests[i]).append(i, kOne).append(i, kDstPrime);
  }
  b1.hash(digests.all(), kEmptyPrefix);
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = {field_element(digests[i].data()), field_element(digests[i].data() + 32)};
  }
}

void nonce_many(Scalar* k, std::span<const std::uint8_t, 32> secret_scalar, const PointString* h, std::size_t n) {
  Slots<base::kBlake2bBlockLen> slots(n);
  for (std::size_t i = 0; i < n; ++i) {
    slots.append(i, kSuiteString).append(i, kNonceFront).append(i, secret_scalar).append(i, h[i]);
  }
  Digests digests(n);
  slots.hash(digests.all(), kEmptyPrefix);
  for (std::size_t i = 0; i < n; ++i) {
    k[i] = scalar_reduce_wide(digests[i]);
  }
}

void challenge_many(std::array<std::uint8_t, kChallengeLen>* c, const PointString& y, const ChallengeInput* inputs,
                    std::size_t n) {
  Slots<2 * base::kBlake2bBlockLen> slots(n);
  for (std::size_t i = 0; i < n; ++i) {
    const ChallengeInput& in = inputs[i];
    slots.append(i, kSuiteString).append(i, kChallengeFront).append(i, y);
    slots.append(i, *in.h).append(i, *in.gamma).append(i, *in.u).append(i, *in.v).append(i, kBack);
  }
  Digests digests(n);
  slots.hash(digests.all(), kEmptyPrefix);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(digests[i].begin(), kChallengeLen, c[i].begin());
  }
}

void label_many(base::MutableByteSpan labels, const PointString* const* cleared_gammas, std::size_t n) {
  Slots<base::kBlake2bBlockLen> slots(n);
  for (std::size_t i = 0; i < n; ++i) {
    slots.append(i, kSuiteString).append(i, kBetaFront);
    slots.append(i, *cleared_gammas[i]).append(i, kBack);
  }
  Digests digests(n);
  slots.hash(digests.all(), kEmptyPrefix);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(digests[i].begin(), kLabelLen, labels.begin() + static_cast<std::ptrdiff_t>(i * kLabelLen));
  }
}

void label_of(std::span<std::uint8_t, 32> label, const PointString& cleared_gamma) {
  Digest beta;
  base::Blake2b(kHashLen).update(kSuiteString).update(kBetaFront).update(cleared_gamma).update(kBack).finish(*beta);
  std::copy_n(beta->begin(), label.size(), label.begin());
}

}  // namespace optiks::vrf
