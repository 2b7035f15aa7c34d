#include "directory/directory.h"

#include <algorithm>

#include "directory/new_leaves.h"
#include "leaves/leaf_rows.h"

namespace optiks::ozks {

// Adds the leaves of several epochs to the trees together: all leaves of one call or, in a bulk load, the leaves of all
// calls.
void Directory::load(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values) {
  const std::uint64_t before = bulk_ != nullptr ? staged_->epoch : data_->epochs.current().epoch;
  if ((staged_.has_value() && bulk_ == nullptr) || epoch < before) {
    throw DirectoryError(OPTIKS_E_STATE, "leaves are loaded in the order of their epochs, while none is staged");
  }
  check_order(rows, before, epoch);
  if (!data_->has_begun()) {
    check_know_no_periods(rows);
  }
  if (!staged_.has_value()) {
    // While copies wait for load_end(), the leaves are few and get into the trees at once. So a load never waits for
    // load_end() at the same time as copies do.
    bulk_ = copies_ == nullptr ? data_->trees->begin_bulk_load(data_->reuses_usernames) : nullptr;
    begin(epoch);
  }
  staged_->epoch = epoch;
  try {
    if (bulk_ != nullptr) {
      add_rows(rows, values);
    } else {
      stage_rows(rows, values, false);
      commit();
    }
  } catch (...) {
    discard();
    throw;
  }
}

void Directory::load_end() {
  if (bulk_ != nullptr) {
    try {
      bulk_->build(data_->log, workers_);
      bulk_.reset();
      commit();
    } catch (...) {
      discard();
      throw;
    }
  }
  if (copies_ != nullptr) {
    end_copies();
  }
}

void Directory::add_rows(std::span<const LeafRow> rows, ByteSpan values) {
  const NewLeaves leaves = make_leaves(*data_, rows, values, workers_, Links::kLater);
  std::array<std::size_t, kNumStructures> next{};
  for (const LeafRow& row : rows) {
    const std::uint8_t structure = row.structure();
    const std::size_t s = structure_index(structure);
    bulk_->add(structure, leaves[s][next[s]++], facts_of(row));
  }
}

void Directory::stage(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values, bool with_proofs) {
  data_->require_begun();
  stage_next(epoch, rows, values, with_proofs);
}

void Directory::stage_next(std::uint64_t epoch, std::span<const LeafRow> rows, ByteSpan values, bool with_proofs) {
  const std::uint64_t before = data_->epochs.current().epoch;
  if (staged_.has_value() || epoch != before + 1) {
    throw DirectoryError(OPTIKS_E_STATE, "the next epoch is staged, and one at a time");
  }
  check_order(rows, before, epoch);
  begin(epoch);
  try {
    stage_rows(rows, values, with_proofs);
  } catch (...) {
    discard();
    throw;
  }
}

void Directory::stage_rows(std::span<const LeafRow> rows, ByteSpan values, bool with_proofs) {
  NewLeaves leaves = make_leaves(*data_, rows, values, workers_, Links::kNow);
  // If proofs are made, all rows are of one epoch, and the leaves are in the order of the rows.
  std::vector<Hash> commitments(with_proofs ? rows.size() : 0);
  for (std::size_t i = 0; i < commitments.size(); ++i) {
    commitments[i] = rows[i].commitment;
  }
  std::size_t first = 0;
  for (const std::uint8_t structure : kStructures) {
    std::vector<NewLeaf>& of = leaves[structure_index(structure)];
    if (!std::ranges::is_sorted(of, {}, &NewLeaf::label)) {
      std::ranges::sort(of, {}, &NewLeaf::label);
    }
    const std::size_t end = with_proofs ? first + of.size() : 0;
    const StepProof proof{data_->log, std::span(commitments).subspan(first, end - first), staged_->proofs};
    if (!data_->trees->stage(structure, of, workers_, with_proofs ? &proof : nullptr)) {
      throw DirectoryError(OPTIKS_E_DUPLICATE, "a label is in the tree already");
    }
    first = end;
  }
}

void Directory::commit() {
  if (!staged_.has_value()) {
    throw DirectoryError(OPTIKS_E_STATE, "no epoch is staged");
  }
  commit_trees();
  publish();
}

// Does all steps of a commit that can fail.
void Directory::commit_trees() {
  EpochStates& epochs = data_->epochs;
  epochs.prepare();
  data_->trees->release(epochs.oldest());
  data_->trees->commit(staged_->epoch, data_->log, workers_);
}

void Directory::publish() noexcept {
  EpochStates& epochs = data_->epochs;
  epochs.publish(staged_->epoch, data_->trees->staged(), data_->log.size());
  if (staged_->starts_period) {
    // Before the period, the helper threads worked in the background, with the priority of the thread that started
    // them. From now on callers wait for the helpers, so the next call must start new helpers, which have the priority
    // of its own thread.
    workers_.end_helpers();
    // This store comes after publish(), so that a reader who sees that the period has begun gets a view of an epoch of
    // the period.
    data_->period_first_epoch = staged_->epoch;
  }
  staged_.reset();
  // Often no view pins the previous epoch any more. The memory that only the previous epoch uses is then free for the
  // next epoch.
  data_->trees->release(epochs.oldest());
}

bool Directory::shrink(std::uint64_t node_cache_bytes) {
  EpochStates& epochs = data_->epochs;
  if (data_->cache.bytes() != 0) {
    data_->cache.end();
    // A reader of the new state, which is published after the cache has ended, does not use the cache's memory.
    epochs.prepare();
    const EpochState& now = epochs.current();
    epochs.publish(now.epoch, now.trees, now.log_len);
  }
  data_->trees->limit_cache(node_cache_bytes);
  const bool is_unused = epochs.has_only_current();
  if (is_unused) {
    data_->cache.free();
  }
  return is_unused;
}

void Directory::discard() noexcept {
  if (staged_.has_value()) {
    bulk_.reset();
    data_->trees->discard();
    data_->log.truncate(staged_->log_size);
    staged_.reset();
  }
}

}  // namespace optiks::ozks
