// Decodes the structures of docs/spec/encoding.md sections 2 and 3, and accepts only their one valid encoding.
//
// Lifetime: every structure is a set of views into the octets that it was decoded from. The octets must outlive the
// structure. Decoding copies and allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/facts.h"

namespace optiks::ozks::verify {

using base::ByteSpan;

// The maximum length of a vector whose encoded length has two, three or four octets.
inline constexpr std::uint64_t kMax16 = 0xffff;
inline constexpr std::uint64_t kMax24 = 0xffffff;
inline constexpr std::uint64_t kMax32 = 0xffffffff;

// The bounds of the length of `opaque x<low..high>`, which is a multiple of `unit`. A vector that the server's code
// also writes has its bounds as a constant of its structure, so that decoder and encoder (encode.h) agree.
struct VectorBounds {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::size_t unit = 1;

  // Returns how many octets encode the length.
  [[nodiscard]] constexpr std::size_t length_octets() const {
    std::size_t octets = 1;
    while (high >> (8 * octets) != 0) {
      ++octets;
    }
    return octets;
  }
};

inline constexpr VectorBounds kKeyBounds{1, kMaxKeyLen};

inline constexpr std::size_t kMaxAuditRecords = kMaxRangeEpochs + 1;

// Reads a sequence of octets from front to back. After the first error, every read returns zeros or empty views, and
// the position stays the same. So a caller need check reason() only once, after it has read a whole structure.
class Reader {
 public:
  explicit Reader(ByteSpan container) : rest_(container) {}

  [[nodiscard]] Reason reason() const { return reason_; }
  [[nodiscard]] bool failed() const { return reason_ != Reason::kValid; }
  [[nodiscard]] bool more() const { return !failed() && !rest_.empty(); }

  // Returns exactly `count` octets, or an empty view after an error.
  ByteSpan take(std::size_t count);
  // Reads a big-endian integer of 1..8 octets.
  std::uint64_t integer(std::size_t octets);
  // Returns the contents of a vector.
  ByteSpan vector(const VectorBounds& bounds);
  // Reads a discriminant below `count`.
  std::uint8_t discriminant(std::uint8_t count);

  void fail(Reason reason);
  // Checks that no octets are left, because the outermost structure must end here. Returns reason().
  Reason finish();

 private:
  ByteSpan rest_;
  Reason reason_ = Reason::kValid;
};

// A decoded vector of variable-size elements, which is a std::ranges::input_range. The iterator decodes each element
// again, which cannot fail.
template <typename T>
class List {
 public:
  List() = default;

  static List decode(Reader& reader, const VectorBounds& bounds) {
    List list;
    list.octets_ = reader.vector(bounds);
    Reader inner(list.octets_);
    while (inner.more()) {
      static_cast<void>(T::decode(inner));
      ++list.size_;
    }
    if (inner.failed()) {
      reader.fail(inner.reason());
    }
    return list;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  // An input iterator only: the element to which it refers is a part of it.
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    Iterator(ByteSpan octets, std::size_t left) : reader_(octets), left_(left) { load(); }
    const T& operator*() const { return current_; }
    const T* operator->() const { return &current_; }
    Iterator& operator++() {
      --left_;
      load();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t /*end*/) const { return left_ == 0; }

   private:
    void load() {
      if (left_ != 0) {
        current_ = T::decode(reader_);
      }
    }

    Reader reader_;
    std::size_t left_;
    T current_{};
  };

  [[nodiscard]] Iterator begin() const { return Iterator(octets_, size_); }
  [[nodiscard]] static std::default_sentinel_t end() { return {}; }

 private:
  ByteSpan octets_;
  std::size_t size_ = 0;
};

struct Path {
  static constexpr VectorBounds kSiblingsBounds{0, kMaxSiblingsLen, kHashLen};

  ByteSpan mask;      // kHashLen
  ByteSpan siblings;  // hashes of kHashLen octets; the deepest sibling's hash is first

  static Path decode(Reader& reader);
};

struct Member {
  static constexpr VectorBounds kValueBounds{0, kMax24};

  ByteSpan vrf_proof;
  std::uint64_t epoch = 0;
  bool opened = false;
  ByteSpan commitment;  // present only if `opened` is false
  ByteSpan opening;     // present only if `opened` is true
  ByteSpan value;       // present only if `opened` is true
  Path path;

  static Member decode(Reader& reader);
};

enum class NodeKind : std::uint8_t { kEmpty = 0, kInterior = 1, kLeaf = 2 };

struct NonMember {
  ByteSpan vrf_proof;
  NodeKind node = NodeKind::kEmpty;
  std::size_t length = 0;   // the length of an interior node's prefix; 256 for a leaf
  ByteSpan position;        // an interior node's prefix, or a leaf's label
  ByteSpan left, right;     // set for an interior node
  ByteSpan commitment;      // set for a leaf
  std::uint64_t epoch = 0;  // set for a leaf
  Path path;

  static NonMember decode(Reader& reader);
};

struct Lookup {
  static constexpr VectorBounds kMembersBounds{0, kMax24};
  static constexpr VectorBounds kAbsentBounds{0, kMax24};

  std::uint64_t version = 0;
  List<Member> members;
  List<NonMember> absent;

  static Lookup decode(Reader& reader);
};

struct Versions {
  static constexpr VectorBounds kMembersBounds{0, kMax32};
  static constexpr VectorBounds kAbsentBounds{0, kMax24};

  std::uint64_t version = 0;
  std::uint64_t from = 0;
  List<Member> members;
  List<NonMember> absent;

  static Versions decode(Reader& reader);
};

struct AppendProof {
  static constexpr VectorBounds kLeavesBounds{0, kMax32, kAddedLeafLen};
  static constexpr VectorBounds kOpenedBounds{0, kMax32};

  ByteSpan leaves;  // AddedLeaf structures
  ByteSpan opened;

  static AppendProof decode(Reader& reader);
};

struct Head {
  ByteSpan record;
  ByteSpan inclusion;
  ByteSpan consistency;
  ByteSpan checkpoint;

  static Head decode(Reader& reader);
};

struct LookupAnswer {
  Head head;
  List<Lookup> lookups;

  static LookupAnswer decode(Reader& reader);
};

// A HistoryAnswer or a MonitorAnswer. They have the same encoding; only the request determines which of them an answer
// is.
struct VersionsAnswer {
  Head head;
  List<Versions> versions;

  static VersionsAnswer decode(Reader& reader);
};

struct AuditProof {
  ByteSpan records;  // 2..kMaxAuditRecords records
  std::array<AppendProof, kNumStructures> structures;

  static AuditProof decode(Reader& reader);
};

// Decodes a T, which must take up all of the input.
template <typename T>
[[nodiscard]] Reason decode_whole(ByteSpan input, T& out) {
  Reader reader(input);
  out = T::decode(reader);
  return reader.finish();
}

}  // namespace optiks::ozks::verify
