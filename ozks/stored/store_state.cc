#include "stored/store_state.h"

#include <algorithm>

#include "optiks/base/crc32c.h"

namespace optiks::ozks {
namespace {

// The version of the format of a store's contents. It changes with every change of the format. A store of another
// version must be rebuilt.
constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kChecksumLen = 4;
constexpr std::size_t kTreeLen = 8 + verify::kHashLen + 8 + 32;
constexpr std::size_t kStateLen =
    std::size_t{7} * 8 + sizeof(Tag) + sizeof(LeafLog::Identity) + kNumStructures * kTreeLen + kChecksumLen;

}  // namespace

std::vector<std::uint8_t> encode(const StoreState& state) {
  std::vector<std::uint8_t> out(kStateLen);
  std::uint8_t* at = out.data();
  const auto put = [&](ByteSpan octets) { at = std::copy(octets.begin(), octets.end(), at); };
  const auto put_number = [&](std::uint64_t number) {
    base::store_be64(at, number);
    at += 8;
  };
  put_number(kFormat);
  put_number(state.owner.period);
  put_number(state.owner.period_first_epoch);
  put(state.owner.tag_check);
  put_number(static_cast<std::uint64_t>(state.owner.kept_values));
  put_number(state.epoch);
  put_number(state.next_page);
  put(state.log.identity);
  put_number(state.log.len);
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    put(state.owner.vrf_public_keys[s]);
    put_number(state.trees[s].root);
    put(state.trees[s].root_hash);
    put_number(state.trees[s].count);
  }
  base::store_be32(at, base::crc32c(std::span(out).first(kStateLen - kChecksumLen)));
  return out;
}

bool decode(ByteSpan octets, StoreState& out) {
  if (octets.size() != kStateLen || base::crc32c(octets.first(kStateLen - kChecksumLen)) !=
                                        base::load_be32(octets.data() + kStateLen - kChecksumLen)) {
    return false;
  }
  const std::uint8_t* at = octets.data();
  const auto take = [&](auto& field) {
    std::copy_n(at, field.size(), field.begin());
    at += field.size();
  };
  const auto take_number = [&] {
    at += 8;
    return base::load_be64(at - 8);
  };
  if (take_number() != kFormat) {
    return false;
  }
  out.owner.period = take_number();
  out.owner.period_first_epoch = take_number();
  take(out.owner.tag_check);
  const std::uint64_t kept_values = take_number();
  if (kept_values > static_cast<std::uint64_t>(KeptValues::kDevices)) {
    return false;
  }
  out.owner.kept_values = static_cast<KeptValues>(kept_values);
  out.epoch = take_number();
  out.next_page = take_number();
  take(out.log.identity);
  out.log.len = take_number();
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    take(out.owner.vrf_public_keys[s]);
    out.trees[s].root = take_number();
    take(out.trees[s].root_hash);
    out.trees[s].count = take_number();
  }
  return true;
}

}  // namespace optiks::ozks
