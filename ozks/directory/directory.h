// Directory: the four trees of a log, with what a task or a replica keeps for each key. This is the writer's side;
// readers take views of its data (data.h). The TreeStore keeps the trees.
//
// Thread safety: one thread at a time is the writer (all functions except the following). Any number of threads take,
// use and destroy views at the same time (except during load()), without waiting for the writer or for each other. One
// of them may call precompute_labels().
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
#include "trie/parallel.h"

namespace optiks::ozks {

// n byte strings in one blob (contract rule 4 of optiks.h).
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
  // `threads`: the number of threads that its calls may use.
  Directory(std::shared_ptr<DirectoryData> data, unsigned threads) : data_(std::move(data)), workers_(threads) {}
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { discard(); }

  [[nodiscard]] const std::shared_ptr<DirectoryData>& data() const { return data_; }
  // Returns the threads that its calls share.
  [[nodiscard]] Workers& workers() const { return workers_; }

  // These functions implement the calls of optiks.h with the same names.
  void load(std::uint64_t epoch, std::span<const optiks_leaf_t> rows, ByteSpan values);
  void load_end();
  void prepare_copies(const std::uint8_t* structures, const ByteStrings& keys, const std::uint64_t* versions,
                      const ByteStrings& values, optiks_leaf_t* out_rows) const;
  void load_copies(std::span<const optiks_leaf_t> rows, ByteSpan values);
  void start_period(std::uint64_t epoch, std::span<const optiks_leaf_t> rows, ByteSpan values, bool with_proofs);
  [[nodiscard]] std::uint64_t version_of(std::uint8_t structure, ByteSpan key) const;
  // Appends the value of the key's newest leaf to `out`; returns false if the key has no leaf, or its value was erased.
  [[nodiscard]] bool newest_value(std::uint8_t structure, ByteSpan key, std::vector<std::uint8_t>& out) const;
  void precompute_labels(const std::uint8_t* structures, const ByteStrings& keys);
  void prepare(std::uint64_t epoch, const std::uint8_t* structures, const ByteStrings& keys, const ByteStrings& values,
               optiks_leaf_t* out_rows) const;

  void leaves_of(std::uint8_t structure, ByteSpan key, std::uint64_t from, std::size_t n, std::uint8_t* out_labels,
                 std::uint64_t* out_epochs) const;
  // commitments: null, or the commitments of the leaves. A leaf with one of the labels and another commitment is
  // skipped.
  void erase(std::size_t n, const std::uint8_t* structures, const std::uint8_t* labels,
             const std::uint8_t* commitments);

  void stage(std::uint64_t epoch, std::span<const optiks_leaf_t> rows, ByteSpan values, bool with_proofs);
  [[nodiscard]] const Trees& staged_trees() const { return data_->trees->staged(); }
  // Returns the append-only proofs of the staged epoch; empty if the epoch was staged without proofs.
  [[nodiscard]] ByteSpan staged_proofs() const { return staged_->proofs; }
  void commit();
  void discard() noexcept;

 private:
  struct Staged {
    std::uint64_t epoch;
    std::uint64_t log_size;  // length of the leaf log before this epoch
    std::vector<std::uint8_t> proofs;
    bool starts_period = false;
  };

  void begin(std::uint64_t epoch) { staged_ = {epoch, data_->log.size(), {}}; }
  void stage_next(std::uint64_t epoch, std::span<const optiks_leaf_t> rows, ByteSpan values, bool with_proofs);
  void stage_rows(std::span<const optiks_leaf_t> rows, ByteSpan values, bool with_proofs);
  void add_rows(std::span<const optiks_leaf_t> rows, ByteSpan values);
  void commit_trees();
  void publish() noexcept;

  std::shared_ptr<DirectoryData> data_;
  mutable Workers workers_;
  std::optional<Staged> staged_;
  std::unique_ptr<BulkLoad> bulk_;         // load of the staged epoch, which is the last loaded epoch
  mutable PrecomputedLabels precomputed_;  // only a cache
};

}  // namespace optiks::ozks
