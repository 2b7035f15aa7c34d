// ExternalSort: sorts more records than fit into memory. It sorts runs of as many records as fit into memory, writes
// each sorted run to disk, and merges the runs while the caller reads the records.
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

// The operator < of Record determines the order. All functions throw std::system_error if the disk fails.
template <typename Record>
class ExternalSort {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  // `memory`: the maximum memory in octets. It is exceeded only if the records together have thousands of times as many
  // octets as this maximum. `folder`: the folder of the file for the runs, which is made only if the records do not fit
  // into memory.
  ExternalSort(std::string folder, std::size_t memory)
      : folder_(std::move(folder)), capacity_(memory / sizeof(Record)) {}

  void add(const Record& record) {
    if (records_.size() == capacity_) {
      write_run();
    }
    // The vector first gets room for a few records, then for the maximum number. If it grew by doubling instead, the
    // last growth would temporarily need one and a half times as much memory as the full vector.
    if (records_.size() == records_.capacity()) {
      records_.reserve(records_.empty() ? std::min(capacity_, kFirst) : capacity_);
    }
    records_.push_back(record);
  }

  // Calls `see` with each added record that is neither before nor after `like` in the order `is_before`, which must
  // agree with operator <. Call it only before sort(). It reads about twenty records of each run.
  template <typename IsBefore, typename See>
  void find(const Record& like, IsBefore is_before, See see) const {
    Record record;
    for (const Run& run : runs_) {
      std::uint64_t first = run.first;
      for (std::uint64_t end = run.end; first != end;) {
        const std::uint64_t middle = first + (end - first) / 2;
        read_one(middle, record);
        if (is_before(record, like)) {
          first = middle + 1;
        } else {
          end = middle;
        }
      }
      for (; first != run.end; ++first) {
        read_one(first, record);
        if (is_before(like, record)) {
          break;
        }
        see(record);
      }
    }
    for (const Record& in_memory : records_) {
      if (!is_before(in_memory, like) && !is_before(like, in_memory)) {
        see(in_memory);
      }
    }
  }

  // Sorts the last run. Call it once, after the last add() and before the first next().
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

  // Writes the next record in order to `out`. If there are no more records, releases memory and disk and returns false.
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
  // The initial capacity of the vector, which is enough for a small log.
  static constexpr std::size_t kFirst = 1024;
  // The minimum number of records that are read from a run at once.
  static constexpr std::size_t kLeastShare = 64;

  struct Run {
    std::uint64_t first;  // index in the file of the run's next record to read
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

  void read_one(std::uint64_t index, Record& out) const {
    file_->read(index * sizeof(Record), {reinterpret_cast<std::uint8_t*>(&out), sizeof(Record)});
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
  std::vector<Record> records_;  // records of the next run; after sort(): the buffers of all runs
  std::unique_ptr<ScratchFile> file_;
  std::vector<Run> runs_;
  std::vector<Run*> heap_;
  std::size_t num_taken_ = 0;
};

}  // namespace optiks::ozks
