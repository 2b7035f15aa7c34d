// Reads the receipt in the answer to an accepted update (docs/spec/receipts.md section 4).
#pragma once

#include <optional>

#include "optiks/client/octets.h"

namespace optiks::client {

// The two notes of a receipt as the server gave them. The caller has to verify both.
struct ReceiptNotes {
  Bytes receipt;
  Bytes keys;  // the note in which the log key vouches for the receipt key

  bool operator==(const ReceiptNotes&) const = default;
};

// Returns the notes of the body of a 202, or nullopt unless it has both. A body that is not JSON, or is longer
// than kMaxStatusLen, counts as one without a receipt: the HTTP status alone says that the server accepted the update.
[[nodiscard]] std::optional<ReceiptNotes> read_receipt_notes(ByteSpan answer);

}  // namespace optiks::client
