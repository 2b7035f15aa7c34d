// OldTokens: writes the tokens of the old tree for an append-only proof (docs/spec/proofs.md section 5), in the order
// in which insert_leaves() reaches the old nodes. If no proof is made, the functions do nothing.
//
// Thread safety: one thread at a time; objects that write different pieces may be used at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trie/append_tokens.h"
#include "trie/insert.h"

namespace optiks::ozks {

// A subtree of the old tree with its hash, or an empty place in the old tree.
struct OldSubtree {
  NodeId node = kNoNode;
  const Hash* hash = nullptr;
  std::uint32_t known = 0;  // number of bits of the top node's prefix that its place implies
  PageMark page{};          // page mark of the node above
  bool is_opened = false;   // true if the token of the top node was written
};

class OldTokens {
 public:
  // `opened`: receives the tokens, or null if no proof is made.
  OldTokens(const Nodes& nodes, std::span<const InsertedLeaf> leaves, OpenedTree* opened)
      : nodes_(nodes), leaves_(leaves), opened_(opened) {}

  // Writes the next tokens to a new piece.
  void begin_piece() {
    if (opened_ != nullptr) {
      piece_ = &opened_->pieces.emplace_back();
    }
  }

  // Leaves the next tokens to another object, which writes them to a piece of its own. Returns the index of that piece.
  // The tokens after it are written to a new piece.
  std::size_t leave_piece() {
    if (opened_ == nullptr) {
      return 0;
    }
    opened_->pieces.emplace_back();
    begin_piece();
    return opened_->pieces.size() - 2;
  }

  // Writes the next tokens to the piece that another object left, and reserves memory for them. The estimate is that
  // each old node on a path is opened, and that no new label reaches one of its two children.
  void use_piece(std::size_t index, std::size_t num_leaves, std::size_t num_old_nodes) {
    if (opened_ != nullptr) {
      piece_ = &opened_->pieces[index];
      piece_->octets.reserve(num_leaves * (kLeafTokenLen + verify::kHashLen) +
                             num_old_nodes * (kUsualInteriorTokenLen + verify::kHashLen));
      piece_->facts.reserve(num_leaves);
    }
  }

  // Writes the token of an old node that new leaves reach; `first` is the index of one of these leaves.
  void open(const OldSubtree& old, std::size_t first) {
    if (piece_ == nullptr || old.is_opened) {
      return;
    }
    if (Nodes::is_leaf(old.node)) {
      piece_->facts.push_back({put_leaf_token(piece_->octets, nodes_.leaf(old.node).label), old.node});
      return;
    }
    const std::size_t length = nodes_.interior(old.node).length;
    const InsertedLeaf& leaf = leaves_[first];
    // The node's prefix is taken from the label of a leaf below the node. This is the new leaf itself or, if it
    // diverges, the old leaf that is nearest to it.
    put_interior_token(piece_->octets, length, nodes_.leaf(leaf.common >= length ? leaf.id : leaf.nearest).label,
                       old.known);
  }

  // Writes the tokens of an old subtree that no new leaf reaches. If the token of its top node was already written,
  // writes the hashes of the children instead of the subtree's hash.
  void pass_by(const OldSubtree& old) {
    if (piece_ == nullptr) {
      return;
    }
    if (!old.is_opened) {
      put(piece_->octets, *old.hash);
    } else if (!Nodes::is_leaf(old.node)) {
      for (const Hash& hash : nodes_.interior(old.node).hash) {
        put(piece_->octets, hash);
      }
    }
  }

 private:
  // The length of the usual token of an interior node, whose prefix is only a few bits longer than the prefix of the
  // node above.
  static constexpr std::size_t kUsualInteriorTokenLen = 3;

  const Nodes& nodes_;
  std::span<const InsertedLeaf> leaves_;
  OpenedTree* opened_;
  OpenedTree::Piece* piece_ = nullptr;
};

}  // namespace optiks::ozks
