// The latest version of a key: docs/spec/pahd.md sections 3 to 5. Any thread, no state.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::verify {

// The facts about one structure in an accepted record and the configuration. These facts are never taken from a proof.
struct StructureView {
  std::uint8_t structure = 0;
  std::uint64_t epoch = 0;               // e
  std::uint64_t period = 0;              // p
  std::uint64_t period_first_epoch = 0;  // E <= e, 0 exactly if p is 0
  std::uint64_t count = 0;
  ByteSpan root;  // 32
  const vrf::PublicKey* vrf_public_key = nullptr;
  std::uint32_t max_value_len = 0;
};

// A client's knowledge of one key. The knowledge is used only while the record is of the same period. If w > 0, either
// n or b is known: n after an answer that showed the latest version, b after a page that did not end its list.
struct Known {
  std::uint64_t period = 0;
  std::uint64_t version = 0;       // w; 0: no version is known
  std::uint64_t time = 0;          // T(w)
  std::uint64_t absent_epoch = 0;  // n, the last epoch at which w + 1 was proven absent
  bool has_absent = false;         // whether n is known
  std::uint64_t page_version = 0;  // b > w, the latest version that the page claimed; 0: the last answer was not a page

  // True if the members are a state that the comment above allows.
  [[nodiscard]] bool is_consistent() const {
    return page_version == 0 ? has_absent || version == 0 : !has_absent && version > 0 && page_version > version;
  }
};

// One proven version. The value is a view into the proof.
struct VersionEntry {
  std::uint64_t version = 0;
  std::uint64_t leaf_epoch = 0;  // t
  std::uint64_t time = 0;        // T
  bool has_value = false;        // in Versions: false for an erased value
  ByteSpan value;
};

struct LookupResult {
  std::uint64_t version = 0;     // a; 0: proven absent
  std::uint64_t time = 0;        // T(a) to remember; the known one if a = w
  std::uint64_t leaf_epoch = 0;  // t_a; 0 if no member was sent
  bool has_value = false;        // false: absent, or unchanged since the known version
  ByteSpan value;
  bool begins_with_copy = false;  // version 1 was sent, as a copy from the previous period
};

// Verifies the lookup of `key` (1..255 octets) against a consistent state that is not the state after a page. `out` is
// written only on kValid. The caller may then remember (period, version, time) with the view's epoch as absent_epoch.
Reason verify_lookup(const StructureView& view, ByteSpan key, const Known& kept, const Lookup& lookup,
                     LookupResult& out);

}  // namespace optiks::ozks::verify
