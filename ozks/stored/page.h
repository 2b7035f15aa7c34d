// Page: a connected part of a stored tree, of at most four kilobytes, as the node store keeps it. A reader walks the
// stored octets themselves. docs/stored-mode.md has the format.
//
// Thread safety: a page never changes; any number of threads read it. A Page object is a shared reference.
// Invariants, of every page that parse() accepted
//   1. A child's code names a part of the same page: a leaf, the id of a page, or a node after its parent with a longer
//      prefix. So every walk ends, whatever the octets.
//   2. The page's id is in its checksum, which therefore detects octets of another page.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

// A page's id, which is never used twice in one store. So a page can be cached forever under its id.
using PageId = std::uint64_t;
inline constexpr PageId kNoPage = 0;

// The child of a node within its page: the two upper bits are the kind, the other bits an index.
using ChildCode = std::uint8_t;
enum class ChildKind : std::uint8_t { kNode = 0, kLeaf = 1, kPage = 2 };
[[nodiscard]] constexpr ChildKind kind_of(ChildCode code) { return static_cast<ChildKind>(code >> 6); }
[[nodiscard]] constexpr std::size_t index_of(ChildCode code) { return code & 63U; }
[[nodiscard]] constexpr ChildCode child_code(ChildKind kind, std::size_t index) {
  return static_cast<ChildCode>(static_cast<unsigned>(kind) << 6 | static_cast<unsigned>(index));
}

// The parts of a page, octet for octet.
struct PageNode {
  std::uint8_t length;  // length of the prefix
  ChildCode child[2];
  Hash hash[2];  // hashes of the children
};
struct PageLeaf {
  Hash label;
  std::array<std::uint8_t, 8> log_offset;  // offset of its record in the leaf log, big-endian
};
using PageRef = std::array<std::uint8_t, 8>;  // big-endian PageId
static_assert(sizeof(PageNode) == 67 && alignof(PageNode) == 1);
static_assert(sizeof(PageLeaf) == 40 && alignof(PageLeaf) == 1);
static_assert(sizeof(PageRef) == 8 && alignof(PageRef) == 1);

inline constexpr std::size_t kPageChecksumLen = 4;
inline constexpr std::size_t kPageHeaderLen = kPageChecksumLen + 4;
// The maximum length of a page, which is one page of the file system with LMDB's header of 16 octets. The limit also
// keeps a page from having more parts than an index can name.
inline constexpr std::size_t kMaxPageLen = 4080;
static_assert((kMaxPageLen - kPageHeaderLen) / (sizeof(PageNode) + sizeof(PageRef)) + 1 <= 64);

class Page {
 public:
  Page() = default;

  // Makes a page of a copy of the octets that the store has under the id. Returns false if the octets are damaged.
  [[nodiscard]] static bool parse(PageId id, ByteSpan octets, Page& out);

  // Returns an object that keeps the octets alive as long as a reader holds the object.
  [[nodiscard]] std::shared_ptr<const void> holder() const { return octets_; }
  [[nodiscard]] explicit operator bool() const { return octets_ != nullptr; }
  [[nodiscard]] ByteSpan octets() const { return {octets_.get(), len_}; }
  [[nodiscard]] ChildCode top() const { return octets_[kPageChecksumLen]; }
  [[nodiscard]] std::size_t num_nodes() const { return octets_[kPageChecksumLen + 1]; }
  [[nodiscard]] std::size_t num_leaves() const { return octets_[kPageChecksumLen + 2]; }
  [[nodiscard]] std::size_t num_refs() const { return octets_[kPageChecksumLen + 3]; }

  [[nodiscard]] const PageNode& node(std::size_t i) const { return parts<PageNode>(kPageHeaderLen)[i]; }
  [[nodiscard]] const PageLeaf& leaf(std::size_t i) const {
    return parts<PageLeaf>(kPageHeaderLen + num_nodes() * sizeof(PageNode))[i];
  }
  [[nodiscard]] PageId ref(std::size_t i) const {
    const std::size_t at = kPageHeaderLen + num_nodes() * sizeof(PageNode) + num_leaves() * sizeof(PageLeaf);
    return base::load_be64(octets_.get() + at + i * sizeof(PageRef));
  }

 private:
  // Each part consists of octets alone, so any position in the page's octets is aligned for it.
  template <typename Part>
  [[nodiscard]] const Part* parts(std::size_t at) const {
    return std::launder(reinterpret_cast<const Part*>(octets_.get() + at));
  }
  [[nodiscard]] bool is_sound() const;

  std::shared_ptr<const std::uint8_t[]> octets_;
  std::size_t len_ = 0;
};

// Returns the checksum of the id and of the page's octets after its first integer (big-endian), which is the stored
// checksum.
[[nodiscard]] std::uint32_t page_checksum(PageId id, ByteSpan octets);

}  // namespace optiks::ozks
