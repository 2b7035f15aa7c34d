// Verifies the latest version of a key (docs/spec/pahd.md sections 3 to 5). Any thread may call the function, which
// keeps no state.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"
#include "optiks/ozks/verify/record.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::verify {

// The facts about one structure that the verifier needs. They are from an accepted record and from the configuration,
// and never from a proof.
struct StructureView {
  std::uint8_t structure = 0;
  std::uint64_t epoch = 0;               // e
  std::uint64_t period = 0;              // p; always 0 if the structure's tree is never made anew
  std::uint64_t period_first_epoch = 0;  // E, which is at most e; it is 0 exactly if p is 0
  std::uint64_t count = 0;
  ByteSpan root;  // 32
  const vrf::PublicKey* vrf_public_key = nullptr;
  std::uint32_t max_value_len = 0;
};

// Decodes the structure's VRF public key in a record. Returns kVrfKeyInvalid if the key is invalid.
Reason read_vrf_key(const EpochRecord& record, std::uint8_t structure, vrf::PublicKey& out);

// Returns the facts about a structure in the record. `vrf_public_key` is the structure's decoded key. The result points
// to this key and into the record's octets.
[[nodiscard]] StructureView structure_view(const EpochRecord& record, std::uint8_t structure,
                                           const vrf::PublicKey& vrf_public_key, std::uint32_t max_value_len);

// A client's knowledge of one key. The verifier uses it only if the answer's record is of the same period. If w > 0,
// the client knows exactly one of n and b: n after an answer that showed the latest version, or b after a page that did
// not end its list.
struct Known {
  std::uint64_t period = 0;
  std::uint64_t version = 0;       // w, or 0 if no version is known
  std::uint64_t time = 0;          // T(w)
  std::uint64_t absent_epoch = 0;  // n, the last epoch at which w + 1 was proven absent
  bool has_absent = false;         // true if n is known
  std::uint64_t page_version = 0;  // b > w, the latest version that the page claimed; 0 if the last answer was no page

  // Returns true if the members obey the rule for w, n and b in the comment at this struct.
  [[nodiscard]] bool is_consistent() const {
    return page_version == 0 ? has_absent || version == 0 : !has_absent && version > 0 && page_version > version;
  }
};

// A version that the proof shows. `value` is a view into the proof.
struct VersionEntry {
  std::uint64_t version = 0;
  std::uint64_t leaf_epoch = 0;  // t
  std::uint64_t time = 0;        // T
  bool has_value = false;        // false if the value was erased
  ByteSpan value;
};

struct LookupResult {
  std::uint64_t version = 0;     // a; 0 if the key is proven absent
  std::uint64_t time = 0;        // T(a), which the client keeps; the known T(w) if a = w
  std::uint64_t leaf_epoch = 0;  // t_a; 0 if the answer has no member
  bool has_value = false;        // false if the key is absent, or unchanged since the known version
  ByteSpan value;
  bool begins_with_copy = false;  // the answer shows version 1 as a copy from the previous period
};

// Verifies a Lookup of `key`, which must have 1 to 255 octets. `kept` must be a consistent state, and not the state
// after a page. Writes `out` only if it returns kValid. The caller may then keep period, version and time, with the
// view's epoch as absent_epoch.
Reason verify_lookup(const StructureView& view, ByteSpan key, const Known& kept, const Lookup& lookup,
                     LookupResult& out);

}  // namespace optiks::ozks::verify
