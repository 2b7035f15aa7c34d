// Answers while values are being erased.
#pragma once

#include <cstdint>
#include <thread>

#include "leaves/leaf_log.h"
#include "pahd/output.h"

namespace optiks::ozks {

// write_unmixed writes an answer from the leaf log, and once more from its beginning if a record was erased meanwhile:
// no answer has half of a value.
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
