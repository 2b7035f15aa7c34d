// Entry structures (docs/spec/users.md section 1) of answers whose parts are all of the head's epoch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pahd/proof_writer.h"

namespace optiks::ozks {

// The number of the record that all entries refer to: the record of the head.
inline constexpr std::uint8_t kHeadsRecord = 0;

// Writes the entry of the label at `next`, and moves `next` past the label. If `present` is null, the entry shows the
// label absent.
inline void write_entry(ProofWriter& proofs, std::size_t& next, const LeafRecord* present, Output& out) {
  out.put_integer(kHeadsRecord, 1);
  out.put_integer(present == nullptr ? 0 : 1, 1);
  if (present == nullptr) {
    proofs.non_member(next++);
  } else {
    proofs.member(next++, true, false, present);
  }
}

}  // namespace optiks::ozks
