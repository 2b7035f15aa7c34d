// Workers: threads that help with the work of one call. The caller's thread starts them when they are first needed,
// with its own scheduling priority. They wait between calls, and end with this object.
//
// Thread safety: any thread may call for_each_index(), and no call waits for another one. A call that comes while the
// helpers are busy does all of its work itself.
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
  // `threads`: the number of threads that work together, including the caller's thread. With 0 or 1 the caller's thread
  // works alone.
  explicit Workers(unsigned threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] unsigned threads() const { return threads_; }

  // Calls body(i) once for each i < n, n below 2^32, on at most `most` of these threads, and returns after all calls
  // have returned. The calls happen in any order: the caller takes the first ones, the helpers the last ones. The
  // caller sees afterwards what the calls wrote. If a call of body throws, other calls may be omitted, and
  // for_each_index() throws one of the exceptions. body must not call for_each_index() of the same Workers.
  void for_each_index(unsigned most, std::size_t n, const std::function<void(std::size_t)>& body);
  void for_each_index(std::size_t n, const std::function<void(std::size_t)>& body) {
    for_each_index(threads_, n, body);
  }

  // Ends the helpers, unless a call uses them. The next call that needs helpers starts new ones.
  void end_helpers();

 private:
  struct Job;

  // A bit of state_. While it is set, no helper may join. The other bits count the helpers that have joined.
  static constexpr std::uint32_t kClosed = 1U << 31;

  void help();
  void join_job();
  void start_helpers(std::size_t wanted);

  const unsigned threads_;
  std::atomic<bool> is_taken_{false};  // whether a call has taken the helpers to share its work
  Job* job_ = nullptr;                 // the helpers' job, while state_ is not closed
  std::atomic<std::uint32_t> state_{kClosed};
  std::atomic<std::uint32_t> num_calls_{0};  // changes when new work is available
  std::atomic<bool> is_ending_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace optiks::ozks
