// The ladder of versions: docs/spec/pahd.md section 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace optiks::ozks::verify {

// Versions in increasing order. R(a) has at most 64 powers of two and 63 further members.
class VersionSet {
 public:
  void add(std::uint64_t version) { versions_[size_++] = version; }
  // Returns a view into the set.
  [[nodiscard]] std::span<const std::uint64_t> get() const& { return std::span(versions_).first(size_); }
  std::span<const std::uint64_t> get() const&& = delete;
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<std::uint64_t, 127> versions_{};
  std::size_t size_ = 0;
};

// Returns the members of R(a) that are above `known`.
[[nodiscard]] VersionSet ladder(std::uint64_t a, std::uint64_t known = 0);

// Returns C(a), without 2^64, which is not a version.
[[nodiscard]] VersionSet next_rungs(std::uint64_t a);

}  // namespace optiks::ozks::verify
