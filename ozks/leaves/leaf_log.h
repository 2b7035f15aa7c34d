// LeafLog: an append-only file with all data of each leaf except its label. Readers map the file, so that they read
// from the system's page cache. The data is not kept in the process's memory, because an answer needs it only for a few
// leaves, and it would be half of all data in memory. If a record is damaged, reading it is an I/O error, so a damaged
// record is never in an answer. If another program shortens the file, or the disk cannot be read, the process ends with
// SIGBUS, as it does for a node store (docs/adr/0007-the-leaf-log-is-mapped.md).
//
// An erasure overwrites a record's opening and value with zeros in place; the rest of the record stays
// (docs/spec/erasure.md).
//
// Thread safety: only one thread, the writer, appends, links and erases. Any number of threads may read a record once
// they know its offset, because each record is written before readers learn its offset. An erasure may overwrite a
// value with zeros while a reader copies it. A reader that copies values therefore calls erasures() before the copy and
// changed_since() after it. If changed_since() returns true, the reader starts again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

// The tag of a key of the directory: the hash of (structure, key) under the tag key. It identifies the key.
using Tag = std::array<std::uint8_t, 16>;

using verify::kOpeningLen;

inline constexpr std::uint64_t kNoLogOffset = ~std::uint64_t{0};

struct LeafFacts {
  Hash commitment{};
  Tag tag{};
  std::uint64_t epoch = 0;  // the epoch in the leaf's hash: the epoch that inserted the leaf, or 0 for a copy
  std::uint64_t previous = kNoLogOffset;  // log offset of the record of the key's previous version
  std::uint32_t version = 0;              // version of the key within the period; 0 in an oZKS
};

// A record that LeafLog::read() has read. LeafLog::read() may be called again with the same object. Opening and value
// are views into the log's mapping, which are valid as long as the LeafLog object lives.
class LeafRecord {
 public:
  [[nodiscard]] const LeafFacts& facts() const { return facts_; }
  // False if the value was erased, or if the directory does not keep values of the leaf's structure.
  [[nodiscard]] bool has_value() const { return !body_.empty(); }
  [[nodiscard]] ByteSpan opening() const { return body_.first(kOpeningLen); }
  [[nodiscard]] ByteSpan value() const { return body_.subspan(kOpeningLen); }

 private:
  friend class LeafLog;

  LeafFacts facts_;
  ByteSpan body_;  // opening and value
};

class LeafLog {
 public:
  // Log offsets are below this limit, so that they fit into six octets.
  static constexpr std::uint64_t kMaxLen = std::uint64_t{1} << 48;

  // Creates the file with mode 0600; an existing file is truncated. If `path` is null, creates a file without a name in
  // $TMPDIR or /var/tmp. Throws std::system_error if the file cannot be created.
  explicit LeafLog(const char* path);
  // A random number that no other log has. It prevents the use of one log's offsets with another log.
  using Identity = std::array<std::uint8_t, 16>;
  // Opens the log with this identity and cuts off everything beyond `len`, which was written after a snapshot. Throws
  // std::system_error, and leaves the file unchanged, if the file cannot be opened, has another identity, or is shorter
  // than `len`.
  LeafLog(const char* path, const Identity& identity, std::uint64_t len);
  LeafLog(const LeafLog&) = delete;
  LeafLog& operator=(const LeafLog&) = delete;
  ~LeafLog();

  // Returns the length of the record that put() makes from this opening and value.
  [[nodiscard]] static std::size_t record_len(ByteSpan opening, ByteSpan value);
  // Reserves `len` octets of the file for records, and returns the offset of the first octet. Only the writer thread
  // may call this function.
  [[nodiscard]] std::uint64_t reserve(std::size_t len);
  // Encodes the record for the offset `log_offset` into `out`, which must have room for record_len() octets. `opening`
  // must have kOpeningLen octets, or be empty for a record without a value.
  static void put(std::uint8_t* out, std::uint64_t log_offset, const LeafFacts& facts, ByteSpan opening,
                  ByteSpan value);
  // Writes consecutive records that put() encoded. `log_offset` is the offset of the first record; the octets must be
  // reserved. Several threads may write different records at the same time.
  void write(std::uint64_t log_offset, ByteSpan records);
  // Appends one record with reserve(), put() and write(), and returns the record's offset.
  [[nodiscard]] std::uint64_t append(const LeafFacts& facts, ByteSpan opening, ByteSpan value);
  // Sets `LeafFacts::previous` of a written record to the offset of the key's previous version. Only the writer thread
  // may call this function.
  void link(std::uint64_t log_offset, std::uint64_t previous) const;
  // Destroys the openings and values of written records, one record after another. Records without a value do not
  // change. After a failure or a crash some of the records are erased; the caller then repeats the call with all
  // records. Only the writer thread may call this function.
  void erase(std::span<const std::uint64_t> log_offsets);
  // Returns a number for changed_since(). Each erasure changes the number when it begins and when it ends. Any thread
  // may call this function.
  [[nodiscard]] std::uint64_t erasures() const { return erasures_.load(std::memory_order_acquire); }
  // True if an erasure may have changed octets that were read since erasures() returned this number. Any thread may
  // call this function.
  [[nodiscard]] bool changed_since(std::uint64_t erasures) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return erasures % 2 != 0 || erasures_.load(std::memory_order_relaxed) != erasures;
  }
  // Returns after all written records are on disk. Any thread may call this function.
  void sync() const;
  // Sets the log's length back to `size`, because a staged epoch with its records is discarded. Only the writer thread
  // may call this function.
  void truncate(std::uint64_t size) noexcept { size_ = size; }

  // Reads a record. Throws std::system_error if no record is at this offset, or the record is damaged.
  void read(std::uint64_t log_offset, LeafRecord& out) const;
  void read_facts(std::uint64_t log_offset, LeafFacts& out) const;
  // Returns the log offset of the record that was its key's latest at the epoch; kNoLogOffset if the key had no leaf.
  // `newest`: the log offset of the record of the key's newest leaf. Throws the exceptions of read().
  [[nodiscard]] std::uint64_t latest_at(std::uint64_t newest, std::uint64_t epoch) const;
  // Prefetches a record that will be read soon; of a long record, prefetches only the beginning.
  void prefetch(std::uint64_t log_offset) const;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const Identity& identity() const { return identity_; }
  // False if the log was made without a path; the file then disappears with this object.
  [[nodiscard]] bool has_name() const { return has_name_; }

 private:
  // The length of a mapping is a power of two. A mapping begins at the start of the file, and may be longer than the
  // file. When the file outgrows the mapping, the log adds a mapping that is twice as long. Older mappings stay,
  // because readers may still use them.
  struct Mapping {
    const std::uint8_t* data;
    std::size_t len;
  };

  void erase_one(std::uint64_t log_offset);
  void map_at_least(std::uint64_t len);
  // Returns all written octets from this offset on. Throws std::system_error if they are fewer than `least`.
  [[nodiscard]] ByteSpan written_from(std::uint64_t log_offset, std::size_t least) const;

  bool has_name_;
  Identity identity_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<Mapping> mappings_;
  std::atomic<const std::uint8_t*> newest_mapping_{nullptr};
  // All octets before this offset have been written, and no written record ends after it. The offset tells readers
  // which octets of a mapping are in the file; other octets must not be read. It never decreases.
  std::atomic<std::uint64_t> written_{0};
  // This number is odd while a record is being erased.
  std::atomic<std::uint64_t> erasures_{0};
};

// The identity and the length of a leaf log at a snapshot or commit.
struct LogState {
  LeafLog::Identity identity;
  std::uint64_t len;
};

}  // namespace optiks::ozks
