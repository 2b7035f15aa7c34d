#include "memory_store.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

namespace optiks::ozks {

class MemoryStore::Writer final : public Transaction {
 public:
  explicit Writer(MemoryStore& store) : store_(store) {}

  void put(Table table, const StoreKey& key, ByteSpan value) override {
    changes_[static_cast<std::size_t>(table)].insert_or_assign(key, Octets(value.begin(), value.end()));
  }

  bool insert(Table table, const StoreKey& key, ByteSpan value) override {
    const auto& changes = changes_[static_cast<std::size_t>(table)];
    const auto change = changes.find(key);
    const bool exists = change != changes.end() ? change->second.has_value()
                                                : store_.tables_[static_cast<std::size_t>(table)].contains(key);
    if (!exists) {
      put(table, key, value);
    }
    return !exists;
  }

  void remove(Table table, const StoreKey& key) override {
    changes_[static_cast<std::size_t>(table)].insert_or_assign(key, std::nullopt);
  }

  void commit() override {
    const std::unique_lock lock(store_.mutex_);
    for (std::size_t table = 0; table < kNumTables; ++table) {
      for (auto& [key, value] : changes_[table]) {
        if (value) {
          store_.tables_[table].insert_or_assign(key, std::move(*value));
        } else {
          store_.tables_[table].erase(key);
        }
      }
      changes_[table].clear();
    }
  }

 private:
  MemoryStore& store_;
  std::array<std::map<StoreKey, std::optional<Octets>>, kNumTables> changes_;
};

void MemoryStore::get(Table table, std::span<const StoreKey> keys, const Visit& visit) const {
  const std::shared_lock lock(mutex_);
  const auto& entries = tables_[static_cast<std::size_t>(table)];
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto entry = entries.find(keys[i]);
    if (entry != entries.end()) {
      visit(i, entry->second);
    }
  }
}

void MemoryStore::scan(Table table, const StoreKey& first, const Scan& scan) const {
  const std::shared_lock lock(mutex_);
  const auto& entries = tables_[static_cast<std::size_t>(table)];
  for (auto entry = entries.lower_bound(first); entry != entries.end() && scan(entry->first.get(), entry->second);
       ++entry) {
  }
}

std::unique_ptr<NodeStore::Transaction> MemoryStore::begin() { return std::make_unique<Writer>(*this); }

std::string MemoryStore::folder() const { return std::filesystem::temp_directory_path(); }

std::uint64_t MemoryStore::bytes() const {
  const std::shared_lock lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& entries : tables_) {
    for (const auto& [key, value] : entries) {
      sum += key.get().size() + value.size();
    }
  }
  return sum;
}

}  // namespace optiks::ozks
