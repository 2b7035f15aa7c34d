// Writes answers while values may be erased.
#pragma once

#include <cstdint>
#include <thread>

#include "leaves/leaf_log.h"
#include "pahd/output.h"

namespace optiks::ozks {

// Writes an answer from the leaf log. If a record is erased in the meantime, it starts again from the beginning, so no
// answer has half of a value.
template <typename Write>
void write_unmixed(const LeafLog& log, Output& out, Write write) {
  const std::size_t begin = out.size();
  for (;;) {
    const std::uint64_t erasures = log.erasures();
    write();
    if (!log.changed_since(erasures)) {
      return;
    }
    out.truncate(begin);
    std::this_thread::yield();
  }
}

}  // namespace optiks::ozks
