// LmdbStore: a node store in an LMDB environment on a local disk. Readers read the file's pages from the kernel's page
// cache and never wait. The writer copies each page that it changes, and flushes the file at each commit.
//
// Thread safety: the rules of NodeStore. Only one object, in one process, may use a folder at a time.
#pragma once

#include <lmdb.h>

#include <mutex>
#include <string>
#include <vector>

#include "stored/node_store.h"

namespace optiks::ozks {

class LmdbStore final : public NodeStore {
 public:
  // Opens the store in the folder. If they do not exist, creates the folder and the store, which only this user may
  // access. Throws std::system_error if this fails, if another object uses the folder, or if the file is shorter than
  // its header says.
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
  int folder_ = -1;  // descriptor of the folder, which this object has locked
  MDB_env* env_ = nullptr;
  std::array<MDB_dbi, kNumTables> tables_{};
  // Idle read transactions. They are reused because LMDB takes a lock that all processes share when it begins a new
  // transaction.
  mutable std::mutex readers_mutex_;
  mutable std::vector<MDB_txn*> readers_;
};

}  // namespace optiks::ozks
