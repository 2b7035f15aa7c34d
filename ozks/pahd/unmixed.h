// Writes answers while another thread may erase values.
#pragma once

#include <cstdint>
#include <thread>

#include "leaves/leaf_log.h"
#include "pahd/output.h"

namespace optiks::ozks {

// Calls `write`, which writes an answer with values from the leaf log. If a record is erased at the same time, discards
// the answer and calls `write` again, so that no answer has a half-erased value.
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
