// Workers: helper threads that do a part of a caller's work. The caller's thread starts them when they are first
// needed, so they have its scheduling priority. They wait between calls, and end when this object is destroyed.
//
// Thread safety: any thread may call for_each_index(), and no call waits for another call. If the helpers are busy with
// another call, a call does all of its work on its own thread.
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
  // `threads`: the number of threads that work together, including the caller's thread. If it is 0 or 1, the caller's
  // thread does all the work.
  explicit Workers(unsigned threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] unsigned threads() const { return threads_; }

  // Calls `body(i)` once for each `i` less than `n`, on at most `most` of the threads, and returns after all these
  // calls have returned. `n` must be less than 2^32. The caller's thread begins with the first indices, and the helpers
  // begin with the last. On return the caller sees all that the calls wrote. If a call of `body` throws, other calls
  // may be left out, and for_each_index() throws one of the exceptions. `body` must not call for_each_index() of the
  // same object.
  void for_each_index(unsigned most, std::size_t n, const std::function<void(std::size_t)>& body);
  void for_each_index(std::size_t n, const std::function<void(std::size_t)>& body) {
    for_each_index(threads_, n, body);
  }

  // Ends the helper threads, unless a call uses them. The next call that needs helpers starts new threads.
  void end_helpers();

 private:
  struct Job;

  // A bit of state_. While it is set, no helper may join the job. The other bits count the helpers that have joined.
  static constexpr std::uint32_t kClosed = 1U << 31;

  void help();
  void join_job();
  void start_helpers(std::size_t wanted);

  const unsigned threads_;
  std::atomic<bool> is_taken_{false};  // true while a call uses the helpers
  Job* job_ = nullptr;                 // the current job; valid while kClosed is not set in state_
  std::atomic<std::uint32_t> state_{kClosed};
  std::atomic<std::uint32_t> num_calls_{0};  // changes when there is a new job
  std::atomic<bool> is_ending_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace optiks::ozks
