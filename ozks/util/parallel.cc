#include "util/parallel.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>

#include "optiks/base/check.h"

namespace optiks::ozks {
namespace {

// How long a thread polls before it sleeps. A helper polls for the next job: in an epoch of some thousand leaves, the
// caller's own work between two jobs takes less than this time. The caller polls for the end of the helpers' last
// calls. Waking a sleeping thread takes a tenth of this time, and several tenths on a virtual machine.
constexpr std::chrono::microseconds kLooks{250};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits until `now` differs from `seen`. It polls first, and then sleeps.
void await_change(const std::atomic<std::uint32_t>& now, std::uint32_t seen) {
  const auto until = std::chrono::steady_clock::now() + kLooks;
  while (now == seen && std::chrono::steady_clock::now() < until) {
    pause();
  }
  now.wait(seen);
}

}  // namespace

struct Workers::Job {
  // The caller takes indices from the front, and helpers take indices from the back. So if two jobs in a row are about
  // the same leaves, each core finds the data of the first job in its cache.
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

  // The indices that no thread has taken yet. The upper half is the first of them, and the lower half is the index
  // after the last.
  std::atomic<std::uint64_t> left_;
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
    // The caller now closes the job and waits only for the helpers that have joined. It does not wait for helpers that
    // are still waking up.
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
    // If the system has no memory or threads for more helpers, the caller and the running helpers do all the work.
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
