// Work of one call on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace optiks::ozks {

// for_each_index calls body(i) once for each i < n, on at most `threads` threads, of which the caller's is one (0 and 1
// mean that one alone), and returns when all calls have. They happen in any order; what one wrote, the caller sees
// afterwards. When a call throws, others may be left out, and one of the exceptions is thrown here.
void for_each_index(unsigned threads, std::size_t n, const std::function<void(std::size_t)>& body);

}  // namespace optiks::ozks
