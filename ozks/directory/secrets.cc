#include "directory/secrets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "optiks/base/check.h"

namespace optiks::ozks {
namespace {

// The domain of the tags that tag_check() computes. No structure has this number, so these tags differ from the tags of
// all keys.
constexpr std::uint8_t kCheckDomain = 0xfe;

// Locks memory and keeps it out of core dumps. If RLIMIT_MEMLOCK does not allow the lock, the system may swap the
// memory out. No code unlocks the memory, because that would unlock other secrets on the same page, and a directory
// usually lives as long as its process. The owner erases the memory in any case.
void lock_octets(std::span<const std::byte> octets) {
  static_cast<void>(mlock(octets.data(), octets.size()));
  // madvise needs an address at the start of a page.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(octets.data()) % page;
  static_cast<void>(madvise(const_cast<std::byte*>(octets.data()) - before, before + octets.size(), MADV_DONTDUMP));
}

}  // namespace

void Secrets::tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const {
  OPTIKS_CHECK(inputs.size() == out.size());
  std::vector<TagInput> together;
  std::vector<Tag> tags;
  for (const std::uint8_t structure : kStructures) {
    together.clear();
    std::ranges::copy_if(inputs, std::back_inserter(together),
                         [&](const TagInput& input) { return input.domain == structure; });
    tags.resize(together.size());
    tag_keys[structure_index(structure)].tag_many(together, tags);
    auto next = tags.begin();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].domain == structure) {
        out[i] = *next++;
      }
    }
  }
}

Tag tag_check(const Secrets& secrets) {
  std::array<Tag, kNumStructures> checks;
  for (std::size_t s = 0; s < checks.size(); ++s) {
    checks[s] = secrets.tag_keys[s].tag({kCheckDomain, {}});
  }
  if (std::ranges::all_of(checks, [&](const Tag& check) { return check == checks[0]; })) {
    // All structures have the same tag key, as in old logs. In this case the result is the check of this one tag key,
    // as it was before each structure had its own tag key.
    return checks[0];
  }
  std::vector<std::uint8_t> others;
  for (const Tag& check : std::span(checks).subspan<1>()) {
    others.insert(others.end(), check.begin(), check.end());
  }
  return secrets.tag_keys[0].tag({kCheckDomain, others});
}

void lock_memory(const Secrets& secrets) {
  for (const vrf::SecretKey& key : secrets.vrf) {
    lock_octets(key.memory());
  }
  for (const TagKey& key : secrets.tag_keys) {
    lock_octets(key.memory());
  }
}

}  // namespace optiks::ozks
