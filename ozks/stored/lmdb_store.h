// LmdbStore: a node store in an LMDB environment on a local disk. Readers read the file's pages through the kernel's
// page cache and never wait; the writer copies what it changes and flushes at each commit.
//
// Thread safety: as NodeStore's. One object has a folder at a time, in one process.
#pragma once

#include <lmdb.h>

#include <mutex>
#include <string>
#include <vector>

#include "stored/node_store.h"

namespace optiks::ozks {

class LmdbStore final : public NodeStore {
 public:
  // Opens the store in the folder, or makes both (for this user alone). std::system_error when that fails, when another
  // object has the folder, or when the file is damaged as far as that can be seen at once.
  explicit LmdbStore(std::string folder);
  ~LmdbStore() override;

  void get(Table table, std::span<const StoreKey> keys, const Visit& visit) const override;
  void scan(Table table, const StoreKey& first, const Scan& scan) const override;
  [[nodiscard]] std::unique_ptr<Transaction> begin() override;
  [[nodiscard]] std::string folder() const override { return path_; }
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  class Reader;
  class Writer;

  void open();
  void close() noexcept;

  std::string path_;
  int folder_ = -1;  // locked
  MDB_env* env_ = nullptr;
  std::array<MDB_dbi, kNumTables> tables_{};
  // Read transactions at rest: beginning one anew takes a lock that all processes share.
  mutable std::mutex readers_mutex_;
  mutable std::vector<MDB_txn*> readers_;
};

}  // namespace optiks::ozks
