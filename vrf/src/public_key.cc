#include <algorithm>
#include <utility>

#include "keys.h"

namespace optiks::vrf {

PublicKey::PublicKey() = default;
PublicKey::PublicKey(PublicKey&&) noexcept = default;
PublicKey& PublicKey::operator=(PublicKey&&) noexcept = default;
PublicKey::~PublicKey() = default;

Reason PublicKey::parse_vartime(std::span<const std::uint8_t> bytes, PublicKey& out) {
  if (bytes.size() != kPublicKeyLen) {
    return Reason::kKeyInvalid;
  }
  PointString string;
  std::copy_n(bytes.begin(), string.size(), string.begin());
  const std::optional<Point> y = point_decode_vartime(string);
  if (!y || point_is_identity(*y) == 1 || !point_in_subgroup_vartime(*y)) {
    return Reason::kKeyInvalid;
  }
  out.impl_ = std::make_unique<const Impl>(Impl{
      string,
      encode_prefix(string),
      make_short_mul_table_vartime(*y),
#ifndef OPTIKS_CLIENT_ONLY
      lanes::make_challenge_comb_vartime(*y),
#endif
  });
  return Reason::kValid;
}

std::span<const std::uint8_t, kPublicKeyLen> PublicKey::bytes() const { return impl().bytes; }

}  // namespace optiks::vrf
