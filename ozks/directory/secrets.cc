#include "directory/secrets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace optiks::ozks {
namespace {

// A domain under the tag key: a structure's number is never this one.
constexpr std::uint8_t kCheckDomain = 0xfe;

// Where RLIMIT_MEMLOCK does not allow to lock them, they are swapped like other memory; they are erased in any case.
// Never undone, as that would unlock what else is on the page, and a directory usually lives as long as its process.
void lock_octets(std::span<const std::byte> octets) {
  static_cast<void>(mlock(octets.data(), octets.size()));
  // By whole pages.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(octets.data()) % page;
  static_cast<void>(madvise(const_cast<std::byte*>(octets.data()) - before, before + octets.size(), MADV_DONTDUMP));
}

}  // namespace

Tag tag_check(const Secrets& secrets) { return secrets.tag_key.tag({kCheckDomain, {}}); }

void lock_memory(const Secrets& secrets) {
  for (const vrf::SecretKey& key : secrets.vrf) {
    lock_octets(key.memory());
  }
  lock_octets(secrets.tag_key.memory());
}

}  // namespace optiks::ozks
