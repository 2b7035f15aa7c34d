// RecordBudget: limits how many octets of a leaf log are read to check a snapshot. The limit is the leaf log's length,
// which is enough to read each record once, because correct records do not overlap. Without the limit, a bad snapshot
// that refers to one record many times, or to overlapping records, would make the check read many times the leaf log's
// length.
//
// Thread safety: any thread may call any function.
#pragma once

#include <atomic>
#include <cstdint>

#include "leaves/directory_error.h"
#include "leaves/leaf_log.h"

namespace optiks::ozks {

class RecordBudget {
 public:
  explicit RecordBudget(std::uint64_t log_len) : left_(static_cast<std::int64_t>(log_len)) {}

  // Returns the length of a record in the leaf log.
  [[nodiscard]] static std::size_t length_of(const LeafRecord& record) {
    return record.has_value() ? LeafLog::record_len(record.opening(), record.value()) : LeafLog::record_len({}, {});
  }

  // Subtracts the octets of records that were read. Throws DirectoryError (OPTIKS_E_DATA) if the log cannot have so
  // many octets of records.
  void spend(std::size_t octets) {
    const auto spent = static_cast<std::int64_t>(octets);
    if (left_.fetch_sub(spent, std::memory_order_relaxed) < spent) {
      data_error("the snapshot's leaves share records of its leaf log");
    }
  }

 private:
  std::atomic<std::int64_t> left_;
};

}  // namespace optiks::ozks
