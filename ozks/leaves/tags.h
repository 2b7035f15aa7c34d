// A tag is the hash of a directory's key under a secret tag key, and identifies the directory's key. So a directory
// need not keep names, and an outsider cannot choose names whose tags collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leaves/leaf_log.h"
#include "optiks/base/blake2b.h"
#include "optiks/base/secret.h"

namespace optiks::ozks {

// A hash function for tables of tags. It returns eight octets of the tag, which are evenly distributed because tags are
// hashes under a secret key.
struct HashOfTag {
  std::size_t operator()(const Tag& tag) const { return static_cast<std::size_t>(base::load_le64(tag.data())); }
};

// The input of a tag. The domain is the kind of the data: the number of a structure, for keys of this structure, or
// another number.
struct TagInput {
  std::uint8_t domain;
  ByteSpan data;
};

class TagKey {
 public:
  explicit TagKey(std::span<const std::uint8_t, 32> key);

  [[nodiscard]] Tag tag(const TagInput& input) const;
  // Computes the tags of many inputs, several at a time. `out` must have as many elements as `inputs`.
  void tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const;

  // Returns the memory that holds the secret, so that the caller can keep it out of swap.
  [[nodiscard]] std::span<const std::byte> memory() const { return std::as_bytes(std::span(&prefix_, 1)); }

 private:
  // The state of the hash after it absorbed the tag key.
  base::Zeroizing<base::Blake2bPrefix> prefix_;
};

}  // namespace optiks::ozks
