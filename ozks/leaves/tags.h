// Tags: keyed hashes that identify keys. A directory keeps no names, and nobody outside can choose names that collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leaves/leaf_log.h"
#include "optiks/base/blake2b.h"
#include "optiks/base/secret.h"

namespace optiks::ozks {

// Tags are keyed hashes: any eight octets of a tag are evenly distributed.
struct HashOfTag {
  std::size_t operator()(const Tag& tag) const { return static_cast<std::size_t>(base::load_le64(tag.data())); }
};

// The domain says what the data is.
struct TagInput {
  std::uint8_t domain;
  ByteSpan data;
};

class TagKey {
 public:
  explicit TagKey(std::span<const std::uint8_t, 32> key);

  [[nodiscard]] Tag tag(const TagInput& input) const;
  // Computes the tags of many inputs, several at a time; `out` has as many elements as `inputs`.
  void tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const;

  // Returns the secret memory, for a caller that keeps it out of swap.
  [[nodiscard]] std::span<const std::byte> memory() const { return std::as_bytes(std::span(&prefix_, 1)); }

 private:
  // The state of the hash after it absorbed the key.
  base::Zeroizing<base::Blake2bPrefix> prefix_;
};

}  // namespace optiks::ozks
