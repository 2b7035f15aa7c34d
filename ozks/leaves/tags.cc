#include "leaves/tags.h"

#include <algorithm>
#include <array>

#include "optiks/base/blake2b_many.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/alpha.h"

namespace optiks::ozks {
namespace {

constexpr std::size_t kTagLen = std::tuple_size_v<Tag>;

// The number of tags that are computed at once. It is so small that their messages stay in the processor's first-level
// cache.
constexpr std::size_t kChunkLen = 32;
// The input of the hash is the domain and the data. The longest data is an alpha.
constexpr std::size_t kMaxMessageLen = 1 + verify::Alpha::kMaxLen;
constexpr std::size_t kMaxStride =
    (kMaxMessageLen + base::kBlake2bBlockLen - 1) / base::kBlake2bBlockLen * base::kBlake2bBlockLen;

}  // namespace

TagKey::TagKey(std::span<const std::uint8_t, 32> key) : prefix_(base::blake2b_key_prefix(kTagLen, key)) {}

Tag TagKey::tag(const TagInput& input) const {
  Tag out;
  base::Blake2b(kTagLen, *prefix_).update({&input.domain, 1}).update(input.data).finish(out);
  return out;
}

void TagKey::tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const {
  OPTIKS_CHECK(inputs.size() == out.size());
  std::array<std::uint8_t, kChunkLen * kMaxStride> slots;
  std::array<std::size_t, kChunkLen> lens;
  for (std::size_t first = 0; first < inputs.size(); first += kChunkLen) {
    const auto chunk = inputs.subspan(first, std::min(kChunkLen, inputs.size() - first));
    std::size_t longest = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      lens[i] = 1 + chunk[i].data.size();
      longest = std::max(longest, lens[i]);
    }
    OPTIKS_CHECK(longest <= kMaxMessageLen);
    const std::size_t stride = (longest + base::kBlake2bBlockLen - 1) / base::kBlake2bBlockLen * base::kBlake2bBlockLen;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      std::uint8_t* const slot = slots.data() + i * stride;
      slot[0] = chunk[i].domain;
      std::ranges::copy(chunk[i].data, slot + 1);
      std::fill(slot + lens[i], slot + stride, 0);
    }
    base::blake2b_many({out[first].data(), chunk.size() * kTagLen}, kTagLen, *prefix_,
                       std::span(slots).first(chunk.size() * stride), stride, std::span(lens).first(chunk.size()));
  }
}

}  // namespace optiks::ozks
