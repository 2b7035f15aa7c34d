// Tags: keyed hashes that stand for keys. A directory keeps no names, and nobody outside can choose
// names that collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leaves/leaf_log.h"
#include "optiks/base/blake2b.h"
#include "optiks/base/secret.h"

namespace optiks::ozks {

// Tags are keyed hashes: any eight octets of one spread evenly.
struct HashOfTag {
  std::size_t operator()(const Tag& tag) const { return static_cast<std::size_t>(base::load_le64(tag.data())); }
};

// TagInput: the domain says what the data is.
struct TagInput {
  std::uint8_t domain;
  ByteSpan data;
};

class TagKey {
 public:
  explicit TagKey(std::span<const std::uint8_t, 32> key);

  [[nodiscard]] Tag tag(const TagInput& input) const;
  // The same for many, side by side; `out` has as many elements.
  void tag_many(std::span<const TagInput> inputs, std::span<Tag> out) const;

  // What is secret here, for keeping it out of the swap.
  [[nodiscard]] std::span<const std::byte> memory() const { return std::as_bytes(std::span(&prefix_, 1)); }

 private:
  // The hash's state after the key.
  base::Zeroizing<base::Blake2bPrefix> prefix_;
};

}  // namespace optiks::ozks
