#include "suite.h"

#include <algorithm>
#include <string_view>

#include "elligator.h"

namespace optiks::vrf {
namespace {

constexpr std::string_view kSuiteString = "\xFFoptiks-fourq-blake2b";
constexpr std::string_view kDstPrime =
    "ECVRF_"
    "FourQ_XMD:BLAKE2b-512_ELL2_NU_"
    "\xFFoptiks-fourq-blake2b"
    "\x39";
static_assert(kSuiteString.size() == 21);
static_assert(kDstPrime.size() == 57 + 1 && kDstPrime.back() == 57);

// RFC 9381 section 5 front octets, and c2sp.org/vrf-r255's for the nonce.
constexpr std::uint8_t kChallengeFront = 0x02;
constexpr std::uint8_t kBetaFront = 0x03;
constexpr std::uint8_t kNonceFront = 0x81;
constexpr std::uint8_t kBack = 0x00;

using Digest = base::Zeroizing<std::array<std::uint8_t, kHashLen>>;

base::ByteSpan bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

base::ByteSpan bytes_of(const std::uint8_t& octet) { return {&octet, 1}; }

// 32 octets, big-endian, modulo p: 2^128 = 2.
Fp field_element(const std::uint8_t* in) {
  const auto fold_any = [](u128 x) { return fp_fold(fp_fold(x).v); };  // 2^128 - 1 needs both
  const Fp high = fold_any(make_u128(base::load_be64(in), base::load_be64(in + 8)));
  const Fp low = fold_any(make_u128(base::load_be64(in + 16), base::load_be64(in + 24)));
  return fp_add(fp_add(high, high), low);
}

}  // namespace

base::Blake2b encode_prefix(std::span<const std::uint8_t, kPointLen> public_key) {
  constexpr std::array<std::uint8_t, base::kBlake2bBlockLen> kZeroPad{};
  base::Blake2b hash(kHashLen);
  hash.update(kZeroPad).update(public_key);
  return hash;
}

// expand_message_xmd (RFC 9380 section 5.3.1) for 64 octets: b_1 alone.
Fp2 hash_to_field(const base::Blake2b& prefix, base::ByteSpan alpha) {
  constexpr std::array<std::uint8_t, 3> kLenAndZero = {0x00, 0x40, 0x00};
  constexpr std::uint8_t kOne = 0x01;
  Digest b0;
  base::Blake2b first = prefix;
  first.update(alpha).update(kLenAndZero).update(bytes_of(kDstPrime)).finish(*b0);
  Digest b1;
  base::Blake2b(kHashLen).update(*b0).update(bytes_of(kOne)).update(bytes_of(kDstPrime)).finish(*b1);
  return {field_element(b1->data()), field_element(b1->data() + 32)};
}

Point encode_to_curve(const base::Blake2b& prefix, base::ByteSpan alpha) {
  return point_clear_cofactor(elligator2(hash_to_field(prefix, alpha)));
}

base::Blake2b nonce_prefix(std::span<const std::uint8_t, 32> secret_scalar) {
  base::Blake2b hash(kHashLen);
  hash.update(bytes_of(kSuiteString)).update(bytes_of(kNonceFront)).update(secret_scalar);
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
      .update(bytes_of(kSuiteString))
      .update(bytes_of(kChallengeFront))
      .update(y)
      .update(h)
      .update(gamma)
      .update(u)
      .update(v)
      .update(bytes_of(kBack))
      .finish(digest);
  std::array<std::uint8_t, kChallengeLen> c;
  std::copy_n(digest.begin(), c.size(), c.begin());
  return c;
}

void label_of(std::span<std::uint8_t, 32> label, const PointString& cleared_gamma) {
  Digest beta;
  base::Blake2b(kHashLen)
      .update(bytes_of(kSuiteString))
      .update(bytes_of(kBetaFront))
      .update(cleared_gamma)
      .update(bytes_of(kBack))
      .finish(*beta);
  std::copy_n(beta->begin(), label.size(), label.begin());
}

}  // namespace optiks::vrf
