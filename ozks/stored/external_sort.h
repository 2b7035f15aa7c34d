// ExternalSort: sorts more records than fit into memory. It sorts as many records as fit at a time, writes each sorted
// run to disk, and merges the runs when the records are read.
//
// Thread safety: one thread at a time; each thread uses its own object.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "stored/scratch_file.h"

namespace optiks::ozks {

// Records are ordered by <. All functions throw std::system_error if the disk fails.
template <typename Record>
class ExternalSort {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  // Uses at most `memory` octets, unless thousands of times as many octets are added. `folder`: the folder of the
  // file, which is made only when it is needed.
  ExternalSort(std::string folder, std::size_t memory)
      : folder_(std::move(folder)), capacity_(memory / sizeof(Record)) {}

  void add(const Record& record) {
    if (records_.size() == capacity_) {
      write_run();
    }
    // The vector gets room for a few records first, then for as many as fit into memory. Growth by doubling would need
    // half as much memory again during the last copy.
    if (records_.size() == records_.capacity()) {
      records_.reserve(records_.empty() ? std::min(capacity_, kFirst) : capacity_);
    }
    records_.push_back(record);
  }

  // Ends the adding of records and sorts the last run.
  void sort() {
    std::sort(records_.begin(), records_.end());
    if (runs_.empty()) {
      return;
    }
    write_run();
    const std::size_t share = std::max<std::size_t>(capacity_ / runs_.size(), kLeastShare);
    records_.resize(share * runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      runs_[i].buffer = std::span(records_).subspan(i * share, share);
      runs_[i].at = share;
      if (refill(runs_[i])) {
        heap_.push_back(&runs_[i]);
      }
    }
    std::make_heap(heap_.begin(), heap_.end(), is_after);
  }

  // Writes the next record in order to `out`. Returns false if there are no more records, and then releases memory and
  // disk.
  [[nodiscard]] bool next(Record& out) {
    if (runs_.empty() && num_taken_ != records_.size()) {
      out = records_[num_taken_++];
      return true;
    }
    if (heap_.empty()) {
      records_ = {};
      runs_.clear();
      file_.reset();
      num_taken_ = 0;
      return false;
    }
    std::pop_heap(heap_.begin(), heap_.end(), is_after);
    Run& run = *heap_.back();
    out = run.buffer[run.at++];
    if (run.at != run.len || refill(run)) {
      std::push_heap(heap_.begin(), heap_.end(), is_after);
    } else {
      heap_.pop_back();
    }
    return true;
  }

 private:
  // The initial capacity: a small log has no more records.
  static constexpr std::size_t kFirst = 1024;
  // The least number of records of a run that are read at once.
  static constexpr std::size_t kLeastShare = 64;

  struct Run {
    std::uint64_t first;  // index in the file of the first record that was not read yet
    std::uint64_t end;
    std::span<Record> buffer;
    std::size_t at = 0;
    std::size_t len = 0;
  };

  static bool is_after(const Run* a, const Run* b) { return b->buffer[b->at] < a->buffer[a->at]; }

  void write_run() {
    if (file_ == nullptr) {
      file_ = std::make_unique<ScratchFile>(folder_);
    }
    std::sort(records_.begin(), records_.end());
    file_->append({reinterpret_cast<const std::uint8_t*>(records_.data()), records_.size() * sizeof(Record)});
    const std::uint64_t first = runs_.empty() ? 0 : runs_.back().end;
    runs_.push_back({first, first + records_.size(), {}});
    records_.clear();
  }

  [[nodiscard]] bool refill(Run& run) {
    run.at = 0;
    run.len = static_cast<std::size_t>(std::min<std::uint64_t>(run.buffer.size(), run.end - run.first));
    file_->read(run.first * sizeof(Record),
                {reinterpret_cast<std::uint8_t*>(run.buffer.data()), run.len * sizeof(Record)});
    run.first += run.len;
    return run.len != 0;
  }

  std::string folder_;
  std::size_t capacity_;
  std::vector<Record> records_;  // records that wait for a run; later the runs' buffers
  std::unique_ptr<ScratchFile> file_;
  std::vector<Run> runs_;
  std::vector<Run*> heap_;
  std::size_t num_taken_ = 0;
};

}  // namespace optiks::ozks
