#include "trie/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace optiks::ozks {

void for_each_index(unsigned threads, std::size_t n, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&]() noexcept {
    try {
      for (std::size_t i = next++; i < n; i = next++) {
        body(i);
      }
    } catch (...) {
      next = n;
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min<std::size_t>(threads, n);
    try {
      while (helpers.size() + 1 < wanted) {
        helpers.emplace_back(work);
      }
    } catch (const std::exception&) {
      // Without memory or threads for more helpers, those that run and this one do all of it.
    }
    work();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace optiks::ozks
