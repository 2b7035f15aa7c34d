// EpochState: a published state of the directory, which readers pin while they use it. EpochStates: the list of these
// states, which tells the writer which states no reader can use any more.
//
// Thread safety: one writer calls prepare(), publish() and oldest(). Any number of threads call pin() and unpin(),
// which take no locks and wait neither for the writer nor for each other.
// Invariants
//   1. EpochState objects are never freed while their EpochStates lives, so a reader may touch the counter of a state
//      that was retired in the meantime. A reader reads the objects that a state *refers to* only after pin() returned
//      the state.
//   2. pin() returns a state only if it was still current after its counter had been raised. The writer frees what a
//      state refers to only if the state is no longer current and its counter was zero afterwards. (Both accesses are
//      sequentially consistent: either the reader sees that the state is not current, or the writer sees the raised
//      counter.)
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "trie/tree_store.h"

namespace optiks::ozks {

struct EpochState {
  std::uint64_t epoch = 0;
  Trees trees;
  std::uint64_t log_len = 0;  // length of the leaf log; it has all records of these trees
  std::atomic<std::uint64_t> readers{0};
};

class EpochStates {
 public:
  // Publishes the first state.
  EpochStates(std::uint64_t epoch, const Trees& trees, std::uint64_t log_len) {
    prepare();
    publish(epoch, trees, log_len);
  }

  [[nodiscard]] EpochState& current() const { return *current_.load(); }

  [[nodiscard]] EpochState* pin() {
    for (;;) {
      EpochState* state = current_.load();
      state->readers.fetch_add(1);
      if (current_.load() == state) {
        return state;
      }
      state->readers.fetch_sub(1);
    }
  }

  static void unpin(EpochState* state) { state->readers.fetch_sub(1); }

  // Makes room for one publish(), which then cannot fail. Writer thread only.
  void prepare() {
    if (unused_.empty()) {
      // Each list has room for all states, so moving a state between lists cannot fail.
      unused_.reserve(all_.size() + 1);
      live_.reserve(all_.size() + 1);
      unused_.push_back(&all_.emplace_back());
    }
  }

  void publish(std::uint64_t epoch, const Trees& trees, std::uint64_t log_len) noexcept {
    EpochState* state = unused_.back();
    unused_.pop_back();
    state->epoch = epoch;
    state->trees = trees;
    state->log_len = log_len;
    live_.push_back(state);
    current_.store(state);
  }

  // True if no reader uses a state before the current one. Writer thread only.
  [[nodiscard]] bool has_only_current() noexcept {
    static_cast<void>(oldest());
    return live_.size() == 1;
  }

  // Returns the epoch of the oldest state that a reader may still use. States before it are recycled. Writer thread
  // only.
  [[nodiscard]] std::uint64_t oldest() noexcept {
    const auto pinned = std::find_if(live_.begin(), live_.end() - 1,
                                     [](const EpochState* state) { return state->readers.load() != 0; });
    unused_.insert(unused_.end(), live_.begin(), pinned);
    live_.erase(live_.begin(), pinned);
    return live_.front()->epoch;
  }

 private:
  std::deque<EpochState> all_;
  std::vector<EpochState*> live_;  // oldest first; the last state is the current one
  std::vector<EpochState*> unused_;
  std::atomic<EpochState*> current_{nullptr};
};

}  // namespace optiks::ozks
