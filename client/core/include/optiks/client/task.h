// Task<T>, the type of the coroutines in which the client core's operations are written, and Operation, which runs
// them.
//
// A coroutine that needs something from the host (an answer, a record, time) performs an effect: the operation stops,
// and goes on when the host replies. Example:
//
//   Task<Reason> lookup(Operation<Effect, Reply, Reason>& op, Question question) {
//     Perform ask(op, question.effect);
//     const Reply reply = co_await ask;
//     Task<Reason> check = verify(op, reply);
//     co_return co_await check;
//   }
//
// Invariants:
// (1) No coroutine resumes another. Only Operation::next() resumes coroutines, one at a time, so that the depth of the
//     stack does not depend on the number of calls.
// (2) A Task owns its coroutine. A coroutine that awaits a task has it as a local variable, so the end of the outermost
//     task ends all of them. An operation can be cancelled this way whenever it is not inside next().
// (3) eng/source_rules.py (coroutines) keeps code away from patterns that GCC 12 compiles incorrectly: the operand of
//     `co_await` is the name of a variable, and stands alone. Coroutines are free functions, and take their parameters
//     by value or as references to objects that outlive the operation.
//
// Thread safety: one thread at a time may use an operation.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "optiks/base/check.h"

namespace optiks::client {

namespace internal {

// The part of an operation that does not depend on its types: which coroutine is next.
class Runner {
 public:
  Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

 protected:
  ~Runner() = default;

  // Resumes coroutines until one performs an effect or the outermost one ends.
  void run() {
    OPTIKS_CHECK(!running_);
    running_ = true;
    while (next_ && !waits_) {
      next_.resume();
    }
    running_ = false;
  }

  std::coroutine_handle<> next_;  // null before the start and after the end
  bool waits_ = false;
  bool running_ = false;

 private:
  friend class PromiseBase;
  template <typename Effect, typename Reply>
  friend class Performer;
};

class PromiseBase {
 public:
  // A task does nothing until it is awaited or started.
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }

  // At its end a coroutine leaves its frame to its Task, and hands over to the coroutine that awaits it.
  struct HandOver {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      PromiseBase& promise = ended.promise();
      promise.runner_->next_ = promise.awaiting_;
    }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] HandOver final_suspend() const noexcept { return {}; }

  // The core is compiled without exceptions.
  [[noreturn]] void unhandled_exception() const noexcept { std::abort(); }

  // Makes the coroutine of this promise the next one. `awaiting` goes on after its end; null for the outermost one.
  void start(Runner& runner, std::coroutine_handle<> self, std::coroutine_handle<> awaiting) {
    OPTIKS_CHECK(runner_ == nullptr);
    runner_ = &runner;
    awaiting_ = awaiting;
    runner.next_ = self;
  }

  [[nodiscard]] Runner& runner() const { return *runner_; }

 private:
  Runner* runner_ = nullptr;
  std::coroutine_handle<> awaiting_;
};

}  // namespace internal

// A coroutine that will produce a T. It is awaited at most once.
template <typename T>
class [[nodiscard]] Task {
 public:
  class promise_type : public internal::PromiseBase {
   public:
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    void return_value(T value) { value_.emplace(std::move(value)); }

    // Returns the value of a coroutine that ended.
    [[nodiscard]] T take() {
      OPTIKS_CHECK(value_.has_value());
      return *std::exchange(value_, std::nullopt);
    }

   private:
    std::optional<T> value_;
  };

  Task() = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { destroy(); }

  // The awaiting coroutine stops, and Operation::next() resumes the task's coroutine.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    start(awaiting.promise().runner(), awaiting);
  }
  [[nodiscard]] T await_resume() { return take(); }

  void start(internal::Runner& runner, std::coroutine_handle<> awaiting) {
    OPTIKS_CHECK(handle_ != nullptr);
    handle_.promise().start(runner, handle_, awaiting);
  }
  [[nodiscard]] T take() { return handle_.promise().take(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  void destroy() {
    if (handle_ != nullptr) {
      std::exchange(handle_, nullptr).destroy();
    }
  }

  std::coroutine_handle<promise_type> handle_;
};

namespace internal {

// The part of an operation that coroutines use to perform effects.
template <typename Effect, typename Reply>
class Performer : public Runner {
 public:
  // Called by Perform: stops the operation until the host replied to the effect, which must exist until then.
  void stop_for(const Effect& effect) {
    effect_ = &effect;
    waits_ = true;
  }
  [[nodiscard]] Reply take_reply() { return *std::exchange(reply_, std::nullopt); }

 protected:
  ~Performer() = default;

  const Effect* effect_ = nullptr;
  std::optional<Reply> reply_;
};

}  // namespace internal

// Performs an effect when a coroutine awaits it. The effect and the operation must exist until the reply.
template <typename Effect, typename Reply>
class Perform {
 public:
  Perform(internal::Performer<Effect, Reply>& operation, const Effect& effect)
      : operation_(operation), effect_(effect) {}
  Perform(internal::Performer<Effect, Reply>& operation, const Effect&& effect) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> /*awaiting*/) { operation_.stop_for(effect_); }
  [[nodiscard]] Reply await_resume() { return operation_.take_reply(); }

 private:
  internal::Performer<Effect, Reply>& operation_;
  const Effect& effect_;
};

// One run of a coroutine that produces a Result and performs effects. The host calls next(), performs the effect, calls
// reply(), and so on until next() returns null.
template <typename Effect, typename Reply, typename Result>
class Operation final : public internal::Performer<Effect, Reply> {
 public:
  Operation() = default;
  ~Operation() { cancel(); }

  // Starts the outermost coroutine, which has this operation as a parameter. An operation is started once.
  void start(Task<Result> task) {
    OPTIKS_CHECK(!started_);
    started_ = true;
    task_ = std::move(task);
    task_.start(*this, nullptr);
  }

  // Runs up to the next effect and returns it. Returns the same effect again if the host did not reply to it. Returns
  // null if the operation has ended, was cancelled or was not started.
  [[nodiscard]] const Effect* next() {
    this->run();
    return this->waits_ ? this->effect_ : nullptr;
  }

  // Takes the reply to the effect that next() returned. Returns false, without a change, if no effect waits.
  [[nodiscard]] bool reply(Reply reply) {
    if (!this->waits_) {
      return false;
    }
    this->reply_.emplace(std::move(reply));
    this->waits_ = false;
    return true;
  }

  // Returns the result once, after the end.
  [[nodiscard]] std::optional<Result> take_result() {
    if (!started_ || this->next_ || cancelled_ || taken_) {
      return std::nullopt;
    }
    taken_ = true;
    return task_.take();
  }

  // Ends all coroutines where they are, which destroys their local variables. May be called at any time, but not by a
  // coroutine of this operation.
  void cancel() {
    OPTIKS_CHECK(!this->running_);
    cancelled_ = true;
    this->next_ = nullptr;
    this->waits_ = false;
    this->reply_.reset();
    task_ = {};
  }

 private:
  Task<Result> task_;
  bool started_ = false;
  bool cancelled_ = false;
  bool taken_ = false;
};

}  // namespace optiks::client
