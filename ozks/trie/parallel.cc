#include "trie/parallel.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>

namespace optiks::ozks {
namespace {

// So long a helper looks for more work before it sleeps: what one thread does between two steps of an epoch of some
// thousand leaves is shorter, and waking up takes a tenth of it.
constexpr std::chrono::microseconds kLooks{250};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

struct Workers::Job {
  std::size_t n;
  const std::function<void(std::size_t)>& body;
  std::atomic<std::size_t> next{0};
  std::mutex mutex{};
  std::exception_ptr failure{};

  void work() noexcept {
    try {
      for (std::size_t i = next++; i < n; i = next++) {
        body(i);
      }
    } catch (...) {
      next = n;
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  }
};

Workers::Workers(unsigned threads) : threads_(std::max(1U, threads)) {}

Workers::~Workers() {
  is_ending_ = true;
  ++num_calls_;
  num_calls_.notify_all();
  for (std::thread& helper : helpers_) {
    helper.join();
  }
}

void Workers::for_each_index(unsigned most, std::size_t n, const std::function<void(std::size_t)>& body) {
  Job job{n, body};
  const std::size_t wanted = std::min<std::size_t>(std::min(most, threads_), n);
  if (wanted <= 1 || is_taken_.exchange(true)) {
    job.work();
  } else {
    start_helpers(wanted - 1);
    job_ = &job;
    state_ &= ~kClosed;
    ++num_calls_;
    for (std::size_t i = 0; i < std::min(wanted - 1, helpers_.size()); ++i) {
      num_calls_.notify_one();
    }
    job.work();
    // Helpers that did not wake up in time are not waited for.
    for (std::uint32_t state = state_ |= kClosed; state != kClosed; state = state_) {
      state_.wait(state);
    }
    is_taken_ = false;
  }
  if (job.failure) {
    std::rethrow_exception(job.failure);
  }
}

void Workers::start_helpers(std::size_t wanted) {
  try {
    helpers_.reserve(wanted);
    while (helpers_.size() < wanted) {
      helpers_.emplace_back([this] { help(); });
    }
  } catch (const std::exception&) {
    // Without memory or threads for more helpers, those that run and the caller do all of it.
  }
}

void Workers::help() {
  for (std::uint32_t seen = 0;;) {
    join_job();
    const auto until = std::chrono::steady_clock::now() + kLooks;
    while (num_calls_ == seen && std::chrono::steady_clock::now() < until) {
      pause();
    }
    num_calls_.wait(seen);
    if (is_ending_) {
      return;
    }
    seen = num_calls_;
  }
}

void Workers::join_job() {
  if ((state_++ & kClosed) == 0) {
    job_->work();
  }
  --state_;
  state_.notify_all();
}

}  // namespace optiks::ozks
