#include <unistd.h>

#include <utility>

#include "keys.h"
#include "optiks/base/check.h"
#include "scalar_mul.h"

namespace optiks::vrf {
namespace {

constexpr Scalar kCofactor = {{392, 0, 0, 0}};

Digits digits_of(const Scalar& scalar) {
  const base::Zeroizing<MiniScalars> parts(decompose(scalar));
  return recode(*parts);
}

Digits cleared_digits_of(const Scalar& scalar) {
  const base::Zeroizing<Scalar> cleared(scalar_mul(scalar, kCofactor));
  return digits_of(*cleared);
}

PointString generator_multiple(const Scalar& scalar) {
  const base::Zeroizing<Point> point(fixed_base_mul(scalar));
  PointString out;
  point_encode(out, *point, fp2_invert(point->z));
  OPTIKS_DECLASSIFY(out.data(), out.size());
  return out;
}

base::Blake2b nonce_prefix_of(const Scalar& scalar) {
  base::Secret<kSecretKeyLen> bytes;
  scalar_to_bytes(bytes.bytes(), scalar);
  return nonce_prefix(bytes.bytes());
}

}  // namespace

SecretKey::Impl::Impl(const Scalar& scalar)
    : x(scalar),
      shifted_x(scalar_shifted(scalar)),
      x_digits(digits_of(scalar)),
      cleared_x_digits(cleared_digits_of(scalar)),
      public_key(generator_multiple(scalar)),
      encode(encode_prefix(public_key)),
      nonce(nonce_prefix_of(scalar)) {}

SecretKey::SecretKey(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
SecretKey::SecretKey(SecretKey&&) noexcept = default;
SecretKey& SecretKey::operator=(SecretKey&&) noexcept = default;
SecretKey::~SecretKey() = default;

base::Result<SecretKey> SecretKey::load(std::span<const std::uint8_t, kSecretKeyLen> bytes) {
  const base::Zeroizing<Scalar> scalar(scalar_from_bytes_unchecked(bytes));
  u64 usable = scalar_is_canonical(*scalar) & (scalar_is_zero(*scalar) ^ 1);
  OPTIKS_DECLASSIFY(&usable, sizeof(usable));  // whether a key file is usable is not secret
  if (usable == 0) {
    return base::Status(base::StatusCode::kMalformed, "a VRF secret key is a scalar between 1 and N - 1");
  }
  return SecretKey(std::make_unique<const Impl>(*scalar));
}

base::Result<SecretKey> SecretKey::from_seed(std::span<const std::uint8_t, kKeySeedLen> seed) {
  const base::Zeroizing<Scalar> scalar(scalar_reduce_wide(seed));
  u64 is_zero = scalar_is_zero(*scalar);
  OPTIKS_DECLASSIFY(&is_zero, sizeof(is_zero));
  if (is_zero == 1) {
    return base::Status(base::StatusCode::kInvalidArgument, "the seed is a multiple of N");
  }
  return SecretKey(std::make_unique<const Impl>(*scalar));
}

base::Result<SecretKey> SecretKey::generate() {
  for (;;) {
    base::Secret<kKeySeedLen> seed;
    // getentropy answers a request for up to 256 octets completely or not at all, and repeats an interrupted one.
    if (getentropy(seed.bytes().data(), kKeySeedLen) != 0) {
      return base::Status(base::StatusCode::kUnavailable, "the system has no random octets");
    }
    base::Result<SecretKey> key = from_seed(seed.bytes());
    if (key.ok()) {
      return key;
    }
  }
}

base::Secret<kSecretKeyLen> SecretKey::export_bytes() const {
  base::Secret<kSecretKeyLen> out;
  scalar_to_bytes(out.bytes(), *impl().x);
  return out;
}

std::span<const std::uint8_t, kPublicKeyLen> SecretKey::public_key() const { return impl().public_key; }

std::span<const std::byte> SecretKey::memory() const { return std::as_bytes(std::span(&impl(), 1)); }

}  // namespace optiks::vrf
