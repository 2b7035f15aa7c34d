// Directory: the four trees of a log, and the data that the update-task or a replica keeps about each key. The writer
// uses this class; readers take views of its data (data.h). A TreeStore keeps the trees.
//
// Thread safety: only one thread at a time, the writer, may call the functions of Directory. At the same time, except
// during load(), any number of threads may take, use and destroy views. They wait neither for the writer nor for each
// other. One of these threads may call precompute_labels().
// Invariants
//   1. No reader sees a staged epoch (tree_store.h).
//   2. A reader at epoch e ignores leaves of later epochs that the key table already names. The records of these leaves
//      were written before the key table named them.
//   3. All steps of commit() that can fail come before the first change that a reader can see.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "directory/data.h"
#include "directory/labels.h"
#include "util/parallel.h"

namespace optiks::ozks {

// `size` byte strings that are stored one after another in one blob (contract rule 4 of optiks.h).
struct ByteStrings {
  std::size_t size = 0;
  const std::uint8_t* blob = nullptr;
  const std::uint64_t* offsets = nullptr;

  ByteSpan operator[](std::size_t i) const {
    return {blob + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

class Directory {
 public:
  // `threads`: the number of threads that calls on the directory may use.
  Directory(std::shared_ptr<DirectoryData> data, unsigned threads) : data_(std::move(data)), workers_(threads) {}
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { discard(); }

  [[nodiscard]] const std::shared_ptr<DirectoryData>& data() const { return data_; }
  // Returns the threads that all calls on the directory share.
  [[nodiscard]] Workers& workers() const { return workers_; }

  // If a function has the same name as a call in optiks.h, it implements that call.
  void load(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values);
  void load_end();
  void prepare_copies(const std::uint8_t* structures, const ByteStrings& keys, const std::uint64_t* versions,
                      const ByteStrings& values, LeafRow* out_rows) const;
  void load_copies(std::span<const LeafRow> rows, ByteSpan values);
  void start_period(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values, bool with_proofs);
  [[nodiscard]] std::uint64_t version_of(std::uint8_t structure, ByteSpan key) const;
  // Appends the value of the key's newest leaf to `out`. Returns false if the key has no leaf, or if the value was
  // erased.
  [[nodiscard]] bool newest_value(std::uint8_t structure, ByteSpan key, std::vector<std::uint8_t>& out) const;
  void precompute_labels(const std::uint8_t* structures, const ByteStrings& keys);
  void prepare(std::uint64_t epoch, const std::uint8_t* structures, const ByteStrings& keys, const ByteStrings& values,
               LeafRow* out_rows) const;

  void leaves_of(std::uint8_t structure, ByteSpan key, std::uint64_t from, std::size_t n, std::uint8_t* out_labels,
                 std::uint64_t* out_epochs) const;
  // Destroys the values and openings of `n` leaves. If `commitments` is not null, skips each leaf that is absent or has
  // another commitment.
  void erase(std::size_t n, const std::uint8_t* structures, const std::uint8_t* labels,
             const std::uint8_t* commitments);

  void stage(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values, bool with_proofs);
  [[nodiscard]] const Trees& staged_trees() const { return data_->trees->staged(); }
  // Returns the append-only proofs of the staged epoch. The view is empty if the epoch was staged without proofs.
  [[nodiscard]] ByteSpan staged_proofs() const { return staged_->proofs; }
  void commit();
  void discard() noexcept;
  [[nodiscard]] bool shrink(std::uint64_t node_cache_bytes);

 private:
  struct Staged {
    std::uint64_t epoch;
    std::uint64_t log_size;  // length of the leaf log before this epoch
    std::vector<std::uint8_t> proofs;
    bool starts_period = false;
  };

  void begin(std::uint64_t epoch) { staged_ = {epoch, data_->log.size(), {}}; }
  void stage_next(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values, bool with_proofs);
  void stage_rows(std::span<const LeafRow> rows, ByteSpan values, bool with_proofs);
  void add_rows(std::span<const LeafRow> rows, ByteSpan values);
  void add_copies(std::vector<LeafRow> rows, ByteSpan values);
  void edit_copies(TreeEditor& editor, std::vector<LeafRow> rows, ByteSpan values);
  void end_copies();
  void commit_trees();
  void publish() noexcept;

  std::shared_ptr<DirectoryData> data_;
  mutable Workers workers_;
  std::optional<Staged> staged_;
  std::unique_ptr<BulkLoad> bulk_;         // load in progress; its last epoch is the staged epoch
  std::unique_ptr<BulkCopies> copies_;     // copies that were loaded but are not in the trees yet
  mutable PrecomputedLabels precomputed_;  // only a cache
};

}  // namespace optiks::ozks
