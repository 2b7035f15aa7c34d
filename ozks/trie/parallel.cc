#include "trie/parallel.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>

#include "optiks/base/check.h"

namespace optiks::ozks {
namespace {

// How long a thread polls before it sleeps. A helper polls for more work, because the caller's own work between two
// steps is shorter than this time in an epoch of some thousand leaves. The caller polls until the helpers' last calls
// return. Waking up takes a tenth of this time, and several tenths on a virtual machine.
constexpr std::chrono::microseconds kLooks{250};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns after `now` differs from `seen`: polls first, and then sleeps.
void await_change(const std::atomic<std::uint32_t>& now, std::uint32_t seen) {
  const auto until = std::chrono::steady_clock::now() + kLooks;
  while (now == seen && std::chrono::steady_clock::now() < until) {
    pause();
  }
  now.wait(seen);
}

}  // namespace

struct Workers::Job {
  // The caller takes work from the front, helpers from the back. If steps over the same leaves follow each other, each
  // core then finds the data of the previous step in its cache.
  enum class Side : std::uint8_t { kFront, kBack };

  Job(std::size_t n, const std::function<void(std::size_t)>& body) : left_(n), body_(body) {
    OPTIKS_CHECK(n <= kLowHalf);
  }

  void work(Side side) noexcept {
    try {
      for (std::size_t i = 0; take(side, i);) {
        body_(i);
      }
    } catch (...) {
      left_ = 0;
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  }

  std::mutex mutex{};
  std::exception_ptr failure{};

 private:
  static constexpr std::uint64_t kLowHalf = 0xffffffff;

  bool take(Side side, std::size_t& out) {
    std::uint64_t now = left_;
    for (;;) {
      const std::uint64_t first = now >> 32;
      const std::uint64_t last = now & kLowHalf;
      if (first == last) {
        return false;
      }
      const bool is_front = side == Side::kFront;
      if (left_.compare_exchange_weak(now, is_front ? now + kLowHalf + 1 : now - 1)) {
        out = static_cast<std::size_t>(is_front ? first : last - 1);
        return true;
      }
    }
  }

  std::atomic<std::uint64_t> left_;  // indices that were not called yet: the first in the upper half, the end in the
                                     // lower half
  const std::function<void(std::size_t)>& body_;
};

Workers::Workers(unsigned threads) : threads_(std::max(1U, threads)) {}

Workers::~Workers() { end_helpers(); }

void Workers::end_helpers() {
  if (is_taken_.exchange(true)) {
    return;
  }
  is_ending_ = true;
  ++num_calls_;
  num_calls_.notify_all();
  for (std::thread& helper : helpers_) {
    helper.join();
  }
  helpers_.clear();
  is_ending_ = false;
  is_taken_ = false;
}

void Workers::for_each_index(unsigned most, std::size_t n, const std::function<void(std::size_t)>& body) {
  Job job(n, body);
  const std::size_t wanted = std::min<std::size_t>(std::min(most, threads_), n);
  if (wanted <= 1 || is_taken_.exchange(true)) {
    job.work(Job::Side::kFront);
  } else {
    start_helpers(wanted - 1);
    job_ = &job;
    state_ &= ~kClosed;
    ++num_calls_;
    for (std::size_t i = 0; i < std::min(wanted - 1, helpers_.size()); ++i) {
      num_calls_.notify_one();
    }
    job.work(Job::Side::kFront);
    // The caller does not wait for helpers that did not wake up in time.
    for (std::uint32_t state = state_ |= kClosed; state != kClosed; state = state_) {
      await_change(state_, state);
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
    // Without memory or threads for more helpers, the caller and the running helpers do all the work.
  }
}

void Workers::help() {
  for (std::uint32_t seen = 0;;) {
    join_job();
    await_change(num_calls_, seen);
    if (is_ending_) {
      return;
    }
    seen = num_calls_;
  }
}

void Workers::join_job() {
  if ((state_++ & kClosed) == 0) {
    job_->work(Job::Side::kBack);
  }
  --state_;
  state_.notify_all();
}

}  // namespace optiks::ozks
