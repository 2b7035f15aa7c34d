// StoreState: the row of a node store that says which epoch it holds. It changes in the same transaction as the tables
// that it describes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "leaves/kept_values.h"
#include "leaves/leaf_log.h"
#include "stored/stored_tree.h"

namespace optiks::ozks {

// The directory that a store belongs to. A store of another period or of other secrets cannot be used.
struct StoreOwner {
  std::uint64_t period = 0;
  std::uint64_t period_first_epoch = 0;
  std::array<std::array<std::uint8_t, 32>, kNumStructures> vrf_public_keys{};
  Tag tag_check{};  // differs for other tag keys, and does not reveal a key
  KeptValues kept_values = KeptValues::kAll;

  bool operator==(const StoreOwner&) const = default;
};

struct StoreState {
  StoreOwner owner;
  std::uint64_t epoch = 0;
  Trees trees;
  PageId next_page = 1;  // pages from here on are of an epoch that was not committed
  LogState log{};        // leaves beyond its length are of an epoch that was not committed
};

[[nodiscard]] std::vector<std::uint8_t> encode(const StoreState& state);
// Decodes the row. Returns false if the row is damaged or of another format.
[[nodiscard]] bool decode(ByteSpan octets, StoreState& out);

}  // namespace optiks::ozks
