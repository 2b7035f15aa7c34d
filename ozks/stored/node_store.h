// NodeStore: the interface through which stored mode stores its pages. A store has a few tables of small keys and
// values, which are changed in transactions. The driver is LmdbStore, on a local disk. The tests also have a driver in
// memory.
//
// Thread safety: one thread at a time writes. Any number of threads read at the same time, without waiting for the
// writer.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

using base::ByteSpan;

enum class Table : std::uint8_t { kState, kPages, kKeys, kGarbage };
inline constexpr std::size_t kNumTables = 4;

// A key of a table, of at most 16 octets. Keys are ordered by their octets.
class StoreKey {
 public:
  explicit StoreKey(ByteSpan octets) : len_(octets.size()) { std::copy(octets.begin(), octets.end(), octets_.begin()); }
  // Makes a key of a number. The number is stored big-endian, so that keys have the order of their numbers.
  explicit StoreKey(std::uint64_t number) : len_(8) { base::store_be64(octets_.data(), number); }

  [[nodiscard]] ByteSpan get() const { return {octets_.data(), len_}; }
  // Compares the octets of two keys; a key comes before the longer keys of which it is a prefix.
  auto operator<=>(const StoreKey&) const = default;

 private:
  std::array<std::uint8_t, 16> octets_{};
  std::size_t len_;
};

class NodeStore {
 public:
  // get() calls this function for each key that it found, with the index of the key in `keys` and with the key's value.
  // The value may be read only during the call.
  using Visit = std::function<void(std::size_t, ByteSpan)>;
  // scan() calls this function with a key and its value. If the function returns false, the scan ends.
  using Scan = std::function<bool(ByteSpan, ByteSpan)>;

  // A set of changes to the tables. When commit() returns, all changes are in the store, and stay there even if the
  // process or the machine fails. A transaction that is destroyed without commit() changes nothing. Only the thread
  // that began a transaction may use it. Only one transaction may exist at a time.
  class Transaction {
   public:
    Transaction() = default;
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    virtual ~Transaction() = default;

    virtual void put(Table table, const StoreKey& key, ByteSpan value) = 0;
    // Adds the key and its value. Returns false and changes nothing if the key exists.
    [[nodiscard]] virtual bool insert(Table table, const StoreKey& key, ByteSpan value) = 0;
    // Removes the key and its value. Does nothing if the key does not exist.
    virtual void remove(Table table, const StoreKey& key) = 0;
    virtual void commit() = 0;
  };

  NodeStore() = default;
  NodeStore(const NodeStore&) = delete;
  NodeStore& operator=(const NodeStore&) = delete;
  virtual ~NodeStore() = default;

  // Visits each requested key that exists. All values are of the same state of the store. Throws std::system_error if
  // the store cannot be read.
  virtual void get(Table table, std::span<const StoreKey> keys, const Visit& visit) const = 0;
  // Visits all keys that are not before `first`, in their order.
  virtual void scan(Table table, const StoreKey& first, const Scan& scan) const = 0;
  // Begins a transaction. This function and the transaction's members throw std::system_error if the store cannot be
  // written.
  [[nodiscard]] virtual std::unique_ptr<Transaction> begin() = 0;
  // Returns a folder for scratch files. It must be on a disk that has as much room as the store needs.
  [[nodiscard]] virtual std::string folder() const = 0;
  // Returns the size of the store in octets.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

}  // namespace optiks::ozks
