// Writes Entry structures (docs/spec/users.md section 1) for answers in which all proofs refer to the record of the
// head.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optiks/ozks/verify/encode_users.h"
#include "pahd/proof_writer.h"

namespace optiks::ozks {

// The number that an entry has for the record to which its proof refers; 0 is the record of the head.
inline constexpr std::uint8_t kHeadsRecord = 0;

// Writes the entry of label `next`, and increments `next`. `present` is the record of the label's leaf; if it is null,
// the entry proves that the label is absent.
inline void write_entry(ProofWriter& proofs, std::size_t& next, const LeafRecord* present, Output& out) {
  verify::encode_entry(out, kHeadsRecord, present != nullptr, [&] {
    if (present == nullptr) {
      proofs.non_member(next++);
    } else {
      proofs.member(next++, true, false, present);
    }
  });
}

}  // namespace optiks::ozks
