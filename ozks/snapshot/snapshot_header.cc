#include "snapshot/snapshot_header.h"

#include <algorithm>

namespace optiks::ozks {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'o', 'p', 't', 'i', 'k', 's', 'S', 1};
constexpr std::size_t kLen = kMagic.size() + 1 + 8 + 8 + 8 + std::tuple_size_v<Tag> +
                             std::tuple_size_v<LeafLog::Identity> + 8 + kNumStructures * OPTIKS_STRUCTURE_STATE_LEN;

}  // namespace

void SnapshotHeader::write(BlockWriter& out) const {
  std::array<std::uint8_t, kLen> octets{};
  std::uint8_t* at = std::ranges::copy(kMagic, octets.data()).out;
  *at++ = static_cast<std::uint8_t>(kept_values);
  for (const std::uint64_t number : {period, period_first_epoch, epoch}) {
    base::store_be64(at, number);
    at += 8;
  }
  at = std::ranges::copy(tag_check, at).out;
  at = std::ranges::copy(log_identity, at).out;
  base::store_be64(at, log_len);
  std::ranges::copy(states, at + 8);
  out.put(octets);
}

SnapshotHeader SnapshotHeader::read(BlockReader& in) {
  const ByteSpan octets = in.take(kLen);
  if (!std::ranges::equal(octets.first(kMagic.size()), kMagic)) {
    data_error("the snapshot is of another version of the format");
  }
  SnapshotHeader out;
  const std::uint8_t* at = octets.data() + kMagic.size();
  out.kept_values = static_cast<KeptValues>(*at++);
  for (std::uint64_t* number : {&out.period, &out.period_first_epoch, &out.epoch}) {
    *number = base::load_be64(at);
    at += 8;
  }
  std::copy_n(at, out.tag_check.size(), out.tag_check.begin());
  at += out.tag_check.size();
  std::copy_n(at, out.log_identity.size(), out.log_identity.begin());
  at += out.log_identity.size();
  out.log_len = base::load_be64(at);
  std::copy_n(at + 8, out.states.size(), out.states.begin());
  return out;
}

void SnapshotHeader::require_of(const Secrets& secrets, const optiks_dir_options_t& options) const {
  if (period != options.period || period_first_epoch != options.period_first_epoch) {
    data_error("the snapshot is of another period");
  }
  if (kept_values != kept_values_of(options)) {
    data_error("the snapshot keeps the values of other structures than the options say");
  }
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    const std::uint8_t* key = states.data() + s * OPTIKS_STRUCTURE_STATE_LEN + verify::kHashLen + 8;
    if (!std::ranges::equal(secrets.vrf[s].public_key(), ByteSpan(key, OPTIKS_VRF_PUBLIC_KEY_LEN))) {
      data_error("the snapshot is of other secrets");
    }
  }
  if (ozks::tag_check(secrets) != tag_check) {
    data_error("the snapshot is of other secrets");
  }
}

}  // namespace optiks::ozks
