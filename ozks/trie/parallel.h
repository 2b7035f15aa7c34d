// Workers: threads that help with the work of one call. They are started when they are first wanted, by the caller's
// thread, whose scheduling priority they have, wait between calls, and end with this object.
//
// Thread safety: any thread calls for_each_index(), and nobody waits for another's call: who comes while the helpers
// are busy does all of its work itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace optiks::ozks {

class Workers {
 public:
  // `threads`: that work together, of which the caller's is one; 0 and 1 mean that one alone.
  explicit Workers(unsigned threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] unsigned threads() const { return threads_; }

  // Calls body(i) once for each i < n, n below 2^32, on at most `most` threads of these, and returns when all calls
  // have. They happen in any order, the caller's own from the first on, the helpers' from the last; what one wrote, the
  // caller sees afterwards. When a call throws, others may be left out, and one of the exceptions is thrown here. A
  // body calls no for_each_index() of the same Workers.
  void for_each_index(unsigned most, std::size_t n, const std::function<void(std::size_t)>& body);
  void for_each_index(std::size_t n, const std::function<void(std::size_t)>& body) {
    for_each_index(threads_, n, body);
  }

  // Ends the helpers, unless a call has them: the next one that wants some starts others.
  void end_helpers();

 private:
  struct Job;

  // Of state_: no helper may join. The other bits count those that have.
  static constexpr std::uint32_t kClosed = 1U << 31;

  void help();
  void join_job();
  void start_helpers(std::size_t wanted);

  const unsigned threads_;
  std::atomic<bool> is_taken_{false};  // by the call whose work the helpers share
  Job* job_ = nullptr;                 // theirs, while it is not closed
  std::atomic<std::uint32_t> state_{kClosed};
  std::atomic<std::uint32_t> num_calls_{0};  // changes when there is work
  std::atomic<bool> is_ending_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace optiks::ozks
