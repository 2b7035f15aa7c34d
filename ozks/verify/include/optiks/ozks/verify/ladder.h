// Computes the ladder of versions R(a) and the absent versions C(a) (docs/spec/pahd.md section 1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace optiks::ozks::verify {

// A set of versions in increasing order. Its capacity is the maximum size of R(a), which has at most 64 powers of two
// and 63 other members.
class VersionSet {
 public:
  void add(std::uint64_t version) { versions_[size_++] = version; }
  // Returns a view of the versions, valid as long as the set.
  [[nodiscard]] std::span<const std::uint64_t> get() const& { return std::span(versions_).first(size_); }
  std::span<const std::uint64_t> get() const&& = delete;
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<std::uint64_t, 127> versions_{};
  std::size_t size_ = 0;
};

// Returns the members of R(a) that are greater than `known`.
[[nodiscard]] VersionSet ladder(std::uint64_t a, std::uint64_t known = 0);

// Returns C(a) without 2^64, because 2^64 is not a version.
[[nodiscard]] VersionSet next_rungs(std::uint64_t a);

}  // namespace optiks::ozks::verify
