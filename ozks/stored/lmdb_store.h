// LmdbStore: a node store in an LMDB environment on a local disk. Readers read the file's pages through the kernel's
// page cache and never wait; the writer copies what it changes and flushes at each commit.
//
// Thread safety: as NodeStore's. Only one object, in one process, may use a folder at a time.
#pragma once

#include <lmdb.h>

#include <mutex>
#include <string>
#include <vector>

#include "stored/node_store.h"

namespace optiks::ozks {

class LmdbStore final : public NodeStore {
 public:
  // Opens the store in the folder, or creates folder and store (for this user alone). Throws std::system_error if that
  // fails, if another object uses the folder, or if the file is obviously damaged.
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
  int folder_ = -1;  // descriptor of the folder, which stays locked
  MDB_env* env_ = nullptr;
  std::array<MDB_dbi, kNumTables> tables_{};
  // Idle read transactions: starting a new one takes a lock that all processes share.
  mutable std::mutex readers_mutex_;
  mutable std::vector<MDB_txn*> readers_;
};

}  // namespace optiks::ozks
