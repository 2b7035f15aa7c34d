// StoreState: a row of the node store that describes the store's epoch. The row and the tables that it describes change
// in the same transaction.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "leaves/kept_values.h"
#include "leaves/leaf_log.h"
#include "stored/stored_tree.h"

namespace optiks::ozks {

// Identifies the directory to which a store belongs. A directory with another period or other secrets cannot use the
// store.
struct StoreOwner {
  std::uint64_t period = 0;
  std::uint64_t period_first_epoch = 0;
  std::array<std::array<std::uint8_t, 32>, kNumStructures> vrf_public_keys{};
  Tag tag_check{};  // tag_check() of the secrets
  KeptValues kept_values = KeptValues::kAll;

  bool operator==(const StoreOwner&) const = default;
};

struct StoreState {
  StoreOwner owner;
  std::uint64_t epoch = 0;
  Trees trees;
  PageId next_page = 1;  // pages with this id or a greater id are of an epoch that was not committed
  LogState log{};        // records beyond this length are of an epoch that was not committed
};

[[nodiscard]] std::vector<std::uint8_t> encode(const StoreState& state);
// Decodes the row. Returns false if the row is damaged or of another format.
[[nodiscard]] bool decode(ByteSpan octets, StoreState& out);

}  // namespace optiks::ozks
