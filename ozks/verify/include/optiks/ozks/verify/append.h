// Append-only proofs of one tree over the epochs (a, b]: docs/spec/proofs.md section 5.
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

// The memory of one verification, about 9 KiB for each epoch of the range. It holds the hashes of at most one
// unfinished node for each depth and epoch. A workspace can be reused. One thread at a time.
class AppendWorkspace {
 public:
  // Returns nothing if memory runs out. 1 <= num_epochs <= kMaxRangeEpochs.
  [[nodiscard]] static std::optional<AppendWorkspace> create(std::size_t num_epochs);

 private:
  friend class AppendWalk;
  // A node's hash from epoch a + `from` on, until the next change of the same node.
  struct Change {
    std::uint16_t from;
    Hash hash;
  };
  AppendWorkspace(std::unique_ptr<Change[]> changes, std::size_t capacity)
      : changes_(std::move(changes)), capacity_(capacity) {}

  std::unique_ptr<Change[]> changes_;
  std::size_t capacity_;
};

// states[0] is the tree's state in epoch first_epoch = a, and states[j] is its state in epoch a + j. There are 2 to
// kMaxRangeEpochs + 1 states, from checked records. The workspace must have been created for states.size() - 1 epochs
// or more.
Reason verify_append(std::uint64_t first_epoch, std::span<const TreeState> states, const AppendProof& proof,
                     AppendWorkspace& workspace);

}  // namespace optiks::ozks::verify
