// Writes TLS presentation (docs/spec/encoding.md section 2), which ozks/verify's Reader reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "optiks/base/check.h"
#include "optiks/client/octets.h"
#include "optiks/ozks/verify/codec.h"

namespace optiks::client {

class TlsWriter {
 public:
  // Writes a big-endian integer of 1 to 8 octets.
  void integer(std::uint64_t value, std::size_t octets) {
    OPTIKS_DCHECK(octets == 8 || value >> (8 * octets) == 0);
    for (std::size_t i = octets; i-- > 0;) {
      out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
  }

  void raw(ByteSpan octets) { out_.insert(out_.end(), octets.begin(), octets.end()); }

  // Writes `opaque x<low..high>`. The length must be within the bounds.
  void octets(const ozks::verify::VectorBounds& bounds, ByteSpan contents) {
    OPTIKS_CHECK(contents.size() >= bounds.low && contents.size() <= bounds.high);
    integer(contents.size(), bounds.length_octets());
    raw(contents);
  }

  // Writes a vector whose contents the function writes.
  template <typename Write>
  void vector(const ozks::verify::VectorBounds& bounds, const Write& write) {
    const std::size_t begin = out_.size();
    integer(0, bounds.length_octets());
    write();
    const std::size_t contents = begin + bounds.length_octets();
    const std::uint64_t length = out_.size() - contents;
    OPTIKS_CHECK(length >= bounds.low && length <= bounds.high);
    for (std::size_t i = 0; i < bounds.length_octets(); ++i) {
      out_[contents - 1 - i] = static_cast<std::uint8_t>(length >> (8 * i));
    }
  }

  [[nodiscard]] const Bytes& out() const { return out_; }
  [[nodiscard]] Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

}  // namespace optiks::client
