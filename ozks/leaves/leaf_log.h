// LeafLog: what belongs to each leaf beside its label, in an append-only file that is read through a mapping, so from
// the system's page cache: it is wanted for the few leaves that an answer is about, and would be half of the memory of
// all. A record that does not read back as it was written is an I/O error, never an answer. A file that another program
// makes shorter, or a disk that cannot be read, ends the process (SIGBUS), as it does for a node store
// (docs/adr/0007-the-leaf-log-is-mapped.md).
//
// Of a record whose value is erased the rest stays, where it is: opening and value become zeros (docs/spec/erasure.md).
//
// Thread safety: one writer appends, links and erases; any number of threads read what was written before its offset
// reached them. A value that a reader was given may turn into zeros while it copies it: whoever copies values compares
// erasures() before with changed_since() after, and begins again.
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

// Tag: a keyed hash of (structure, key), which stands for the key.
using Tag = std::array<std::uint8_t, 16>;

using verify::kOpeningLen;

inline constexpr std::uint64_t kNoLogOffset = ~std::uint64_t{0};

struct LeafFacts {
  Hash commitment{};
  Tag tag{};
  std::uint64_t epoch = 0;                // in the leaf's hash: the epoch that inserted it, or 0 for a copy
  std::uint64_t previous = kNoLogOffset;  // of the record of the key's version before
  std::uint32_t version = 0;              // of the key within the period; 0 in an oZKS
};

// LeafRecord: a record that was read. It may be read into again. Its opening and value are the log's, and valid as long
// as it is.
class LeafRecord {
 public:
  [[nodiscard]] const LeafFacts& facts() const { return facts_; }
  // False: the value was erased, or the directory keeps none.
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
  // Places are below this, so that six octets hold one.
  static constexpr std::uint64_t kMaxLen = std::uint64_t{1} << 48;

  // Creates the file (mode 0600), truncating what is there; without a path one that has no name, in $TMPDIR or
  // /var/tmp. std::system_error when that fails.
  explicit LeafLog(const char* path);
  // Identity: a number that no other log has, so that what refers to offsets in one is not used with another.
  using Identity = std::array<std::uint8_t, 16>;
  // Opens the log with this identity and cuts off what is beyond `len`: what was written after a snapshot. Errors as
  // above, and when the file is another one or shorter; it is unchanged then.
  LeafLog(const char* path, const Identity& identity, std::uint64_t len);
  LeafLog(const LeafLog&) = delete;
  LeafLog& operator=(const LeafLog&) = delete;
  ~LeafLog();

  // Octets of a record; `opening` and `value` as for put().
  [[nodiscard]] static std::size_t record_len(ByteSpan opening, ByteSpan value);
  // Sets `len` octets of the file aside for records and gives the offset of the first. Writer.
  [[nodiscard]] std::uint64_t reserve(std::size_t len);
  // Makes the record for an offset in `out`, which has room for it. `opening` is empty or has kOpeningLen octets;
  // empty: without a value.
  static void put(std::uint8_t* out, std::uint64_t log_offset, const LeafFacts& facts, ByteSpan opening,
                  ByteSpan value);
  // Writes records that were made for reserved offsets, from this one on. Threads may write different ones at a time.
  void write(std::uint64_t log_offset, ByteSpan records);
  // All three, for one record.
  [[nodiscard]] std::uint64_t append(const LeafFacts& facts, ByteSpan opening, ByteSpan value);
  // Makes a record that was written name the one of the key's version before. Writer.
  void link(std::uint64_t log_offset, std::uint64_t previous) const;
  // Destroys openings and values of records that were written, one after the other; those without a value stay as they
  // are. After a failure, or a crash, some are erased, and all of them can be erased again. Writer.
  void erase(std::span<const std::uint64_t> log_offsets);
  // A number that an erasure changes, as long as it goes on and when it ends: for changed_since(). Any thread.
  [[nodiscard]] std::uint64_t erasures() const { return erasures_.load(std::memory_order_acquire); }
  // Whether what was read since erasures() gave this number may be mixed from before and after an erasure. Any thread.
  [[nodiscard]] bool changed_since(std::uint64_t erasures) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return erasures % 2 != 0 || erasures_.load(std::memory_order_relaxed) != erasures;
  }
  // Returns when the disk has what was written. Any thread.
  void sync() const;
  // Forgets what was reserved or written from `size` on: a staged epoch that was discarded. Writer.
  void truncate(std::uint64_t size) noexcept { size_ = size; }

  // std::system_error when there is no such record, or it is damaged.
  void read(std::uint64_t log_offset, LeafRecord& out) const;
  void read_facts(std::uint64_t log_offset, LeafFacts& out) const;
  // Asks for the memory of a record that will be read soon; of a long one, for its beginning.
  void prefetch(std::uint64_t log_offset) const;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const Identity& identity() const { return identity_; }
  // False: its file has no name, and is gone with it.
  [[nodiscard]] bool has_name() const { return has_name_; }

 private:
  // A mapping is of a power of two of octets and begins where the file does, which may still be shorter. When the file
  // outgrows it there is one twice as long; the ones before stay, as readers may be in them.
  struct Mapping {
    const std::uint8_t* data;
    std::size_t len;
  };

  void erase_one(std::uint64_t log_offset);
  void map_at_least(std::uint64_t len);
  // What was written at this offset and after it, which is at least so much.
  [[nodiscard]] ByteSpan written_from(std::uint64_t log_offset, std::size_t least) const;

  bool has_name_;
  Identity identity_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<Mapping> mappings_;
  std::atomic<const std::uint8_t*> newest_mapping_{nullptr};
  // No record ends beyond this. A mapping's octets beyond the end of its file must not be touched, so it never falls.
  std::atomic<std::uint64_t> written_{0};
  // Odd while a record is being erased.
  std::atomic<std::uint64_t> erasures_{0};
};

// LogState: what is kept of a leaf log.
struct LogState {
  LeafLog::Identity identity;
  std::uint64_t len;
};

}  // namespace optiks::ozks
