// LeafLog: the data of each leaf except its label, in an append-only file. It is read through a mapping, that is, from
// the system's page cache. Answers need this data only for a few leaves, and in memory it would be half of all data. A
// record that does not read back as it was written is an I/O error, never an answer. If another program shortens the
// file, or the disk cannot be read, the process ends (SIGBUS), as it does for a node store
// (docs/adr/0007-the-leaf-log-is-mapped.md).
//
// An erasure changes a record's opening and value to zeros in place; the rest of the record stays
// (docs/spec/erasure.md).
//
// Thread safety: one writer appends, links and erases. Any number of threads read what was written before its offset
// reached them. A value may turn into zeros while a reader copies it. A reader that copies values therefore calls
// erasures() before the copy and changed_since() after it. If changed_since() returns true, the reader starts again.
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

// A keyed hash of (structure, key), which identifies the key.
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

// A record that was read. The object can be reused. Its opening and value are views into the log, valid as long as the
// log lives.
class LeafRecord {
 public:
  [[nodiscard]] const LeafFacts& facts() const { return facts_; }
  // False if the value was erased, or the directory does not keep it.
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

  // Creates the file (mode 0600), truncating an existing one. Without a path, creates one without a name, in $TMPDIR or
  // /var/tmp. Throws std::system_error if that fails.
  explicit LeafLog(const char* path);
  // A number that no other log has, so that offsets in one log are not used with another.
  using Identity = std::array<std::uint8_t, 16>;
  // Opens the log with this identity and cuts off everything beyond `len`, which was written after a snapshot. Throws
  // std::system_error if the file cannot be opened, is another log, or is shorter; then the file is unchanged.
  LeafLog(const char* path, const Identity& identity, std::uint64_t len);
  LeafLog(const LeafLog&) = delete;
  LeafLog& operator=(const LeafLog&) = delete;
  ~LeafLog();

  // Returns the length of a record. `opening` and `value` are those that put() takes.
  [[nodiscard]] static std::size_t record_len(ByteSpan opening, ByteSpan value);
  // Reserves `len` octets of the file for records and returns the offset of the first. Writer thread only.
  [[nodiscard]] std::uint64_t reserve(std::size_t len);
  // Encodes the record for an offset into `out`, which has room for it. `opening` has kOpeningLen octets, or is empty
  // for a record without a value.
  static void put(std::uint8_t* out, std::uint64_t log_offset, const LeafFacts& facts, ByteSpan opening,
                  ByteSpan value);
  // Writes records that put() encoded for reserved offsets, of which `log_offset` is the first. Several threads may
  // write different records at the same time.
  void write(std::uint64_t log_offset, ByteSpan records);
  // Does all three steps (reserve, put and write) for one record; returns its offset.
  [[nodiscard]] std::uint64_t append(const LeafFacts& facts, ByteSpan opening, ByteSpan value);
  // Makes a written record refer to the record of the key's previous version. Writer thread only.
  void link(std::uint64_t log_offset, std::uint64_t previous) const;
  // Destroys the openings and values of written records, one after another; records without a value stay as they are.
  // After a failure or a crash some of the records are erased, and the call can be repeated for all of them. Writer
  // thread only.
  void erase(std::span<const std::uint64_t> log_offsets);
  // A number for changed_since(). An erasure changes it when it begins and when it ends. Any thread.
  [[nodiscard]] std::uint64_t erasures() const { return erasures_.load(std::memory_order_acquire); }
  // True if octets that were read since erasures() returned this number may be a mixture from before and after an
  // erasure. Any thread.
  [[nodiscard]] bool changed_since(std::uint64_t erasures) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return erasures % 2 != 0 || erasures_.load(std::memory_order_relaxed) != erasures;
  }
  // Returns after everything written is on disk. Any thread.
  void sync() const;
  // Discards everything reserved or written from `size` on, when a staged epoch is discarded. Writer thread only.
  void truncate(std::uint64_t size) noexcept { size_ = size; }

  // Reads a record. Throws std::system_error if there is no such record, or it is damaged.
  void read(std::uint64_t log_offset, LeafRecord& out) const;
  void read_facts(std::uint64_t log_offset, LeafFacts& out) const;
  // Prefetches a record that will be read soon, or the beginning of a long one.
  void prefetch(std::uint64_t log_offset) const;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const Identity& identity() const { return identity_; }
  // False if the file has no name, and disappears with this object.
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
  // Returns the octets that were written from this offset on, at least `least` of them.
  [[nodiscard]] ByteSpan written_from(std::uint64_t log_offset, std::size_t least) const;

  bool has_name_;
  Identity identity_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<Mapping> mappings_;
  std::atomic<const std::uint8_t*> newest_mapping_{nullptr};
  // No record ends beyond this offset. It never decreases, because a mapping's octets beyond the end of the file must
  // not be touched.
  std::atomic<std::uint64_t> written_{0};
  // This number is odd while a record is being erased.
  std::atomic<std::uint64_t> erasures_{0};
};

// The state of a leaf log that a snapshot keeps.
struct LogState {
  LeafLog::Identity identity;
  std::uint64_t len;
};

}  // namespace optiks::ozks
