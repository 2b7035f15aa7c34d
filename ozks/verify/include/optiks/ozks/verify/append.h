// Verifies append-only proofs (docs/spec/proofs.md section 5). A proof is about one tree over the epochs (a, b].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify {

struct TreeState {
  ByteSpan root;  // 32
  std::uint64_t count = 0;
};

// The memory for a verification: about 9 KiB for each epoch of the range. For each depth and each epoch it holds the
// hash of at most one unfinished node. A workspace can be reused. Only one thread at a time may use it.
class AppendWorkspace {
 public:
  // Makes a workspace for ranges of at most `num_epochs` epochs; `num_epochs` must be in [1, kMaxRangeEpochs]. Returns
  // nullopt if memory runs out.
  [[nodiscard]] static std::optional<AppendWorkspace> create(std::size_t num_epochs);

 private:
  friend class AppendWalk;
  // The hash that a node has from epoch a + `from` until the node's next change.
  struct Change {
    std::uint16_t from;
    Hash hash;
  };
  AppendWorkspace(std::unique_ptr<Change[]> changes, std::size_t capacity)
      : changes_(std::move(changes)), capacity_(capacity) {}

  std::unique_ptr<Change[]> changes_;
  std::size_t capacity_;
};

// Verifies that the tree only grew, by exactly the leaves that the proof lists. Let a be `first_epoch`. states[0] is
// the tree's state in epoch a, and states[j] is its state in epoch a + j. There must be 2 to kMaxRangeEpochs + 1
// states, and they must be from checked records. The workspace must have been created for at least `states.size() - 1`
// epochs.
Reason verify_append(std::uint64_t first_epoch, std::span<const TreeState> states, const AppendProof& proof,
                     AppendWorkspace& workspace);

}  // namespace optiks::ozks::verify
