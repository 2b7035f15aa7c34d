// MemoryStore: a node store in memory, for tests.
//
// Thread safety: the rules of NodeStore, but readers wait while a transaction's changes are applied.
#pragma once

#include <map>
#include <shared_mutex>
#include <vector>

#include "stored/node_store.h"

namespace optiks::ozks {

class MemoryStore final : public NodeStore {
 public:
  void get(Table table, std::span<const StoreKey> keys, const Visit& visit) const override;
  void scan(Table table, const StoreKey& first, const Scan& scan) const override;
  [[nodiscard]] std::unique_ptr<Transaction> begin() override;
  [[nodiscard]] std::string folder() const override;
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  class Writer;
  using Octets = std::vector<std::uint8_t>;

  mutable std::shared_mutex mutex_;
  std::array<std::map<StoreKey, Octets>, kNumTables> tables_;
};

}  // namespace optiks::ozks
