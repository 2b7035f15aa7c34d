// Version: a published state of the directory that readers pin; and the list by which the writer knows what nobody can
// see any more.
//
// Thread safety: one writer publishes and collects; any number of threads pin and unpin, without locks and without
// waiting for the writer or each other.
// Invariants
//  1. Version objects are never freed while their Versions lives, so a reader may touch the counter of one that was
//     retired under it; what a version *refers to* is only read after pin() returned it.
//  2. pin() returns a version only if it was still current after its counter had been raised. The writer frees what a
//     version refers to only if the version is not current and its counter was zero after that. (Both are sequentially
//     consistent, so one of the two sees the other.)
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "trie/tree_store.h"

namespace optiks::ozks {

struct Version {
  std::uint64_t epoch = 0;
  Trees trees;
  std::uint64_t log_len = 0;  // of the leaf log: all records of these trees are before it
  std::atomic<std::uint64_t> readers{0};
};

class Versions {
 public:
  // With a first version that is published.
  Versions(std::uint64_t epoch, const Trees& trees, std::uint64_t log_len) {
    prepare();
    publish(epoch, trees, log_len);
  }

  [[nodiscard]] Version& current() const { return *current_.load(); }

  [[nodiscard]] Version* pin() {
    for (;;) {
      Version* version = current_.load();
      version->readers.fetch_add(1);
      if (current_.load() == version) {
        return version;
      }
      version->readers.fetch_sub(1);
    }
  }

  static void unpin(Version* version) { version->readers.fetch_sub(1); }

  // Room for one publish(), which then cannot fail. Writer.
  void prepare() {
    if (unused_.empty()) {
      // Each list has room for all versions, so that moving one between them cannot fail.
      unused_.reserve(all_.size() + 1);
      live_.reserve(all_.size() + 1);
      unused_.push_back(&all_.emplace_back());
    }
  }

  void publish(std::uint64_t epoch, const Trees& trees, std::uint64_t log_len) noexcept {
    Version* version = unused_.back();
    unused_.pop_back();
    version->epoch = epoch;
    version->trees = trees;
    version->log_len = log_len;
    live_.push_back(version);
    current_.store(version);
  }

  // The epoch of the oldest version that someone may still read; versions before it are recycled. Writer.
  [[nodiscard]] std::uint64_t oldest() noexcept {
    const auto pinned = std::find_if(live_.begin(), live_.end() - 1,
                                     [](const Version* version) { return version->readers.load() != 0; });
    unused_.insert(unused_.end(), live_.begin(), pinned);
    live_.erase(live_.begin(), pinned);
    return live_.front()->epoch;
  }

 private:
  std::deque<Version> all_;
  std::vector<Version*> live_;  // oldest first; the last is current
  std::vector<Version*> unused_;
  std::atomic<Version*> current_{nullptr};
};

}  // namespace optiks::ozks
