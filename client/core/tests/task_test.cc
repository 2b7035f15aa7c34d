// Tests Task and Operation. Under AddressSanitizer and LeakSanitizer, cancelling shows each access to a destroyed frame
// and each frame that is left over.
#include "optiks/client/task.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace optiks::client::test {
namespace {

using Op = Operation<std::string, std::uint64_t, std::uint64_t>;

int g_alive = 0;

// A local variable with memory of its own.
class Tracked {
 public:
  explicit Tracked(std::uint64_t value) : value_(std::make_unique<std::uint64_t>(value)) { ++g_alive; }
  Tracked(Tracked&& other) noexcept : value_(std::move(other.value_)) { ++g_alive; }
  Tracked(const Tracked& other) : value_(std::make_unique<std::uint64_t>(*other.value_)) { ++g_alive; }
  Tracked& operator=(const Tracked&) = delete;
  Tracked& operator=(Tracked&&) = delete;
  ~Tracked() { --g_alive; }
  [[nodiscard]] std::uint64_t get() const { return *value_; }

 private:
  std::unique_ptr<std::uint64_t> value_;
};

// Performs one effect, and returns the reply.
Task<Tracked> ask(Op& op, std::string what, Tracked unused) {
  const std::string effect = "ask " + what + " " + std::to_string(unused.get());
  Perform perform(op, effect);
  const std::uint64_t reply = co_await perform;
  co_return Tracked(reply);
}

// Performs no effect.
Task<Tracked> add(Tracked a, Tracked b) { co_return Tracked(a.get() + b.get()); }

// Returns the sum of the replies to 2 * depth + 1 questions.
Task<Tracked> sum(Op& op, Tracked depth) {
  Tracked total(0);
  Task<Tracked> first = ask(op, "first", depth);
  const Tracked a = co_await first;
  if (depth.get() == 0) {
    co_return a;
  }
  Task<Tracked> below = sum(op, Tracked(depth.get() - 1));
  const Tracked b = co_await below;
  Task<Tracked> second = ask(op, "second", depth);
  const Tracked c = co_await second;
  Task<Tracked> adding = add(a, b);
  const Tracked d = co_await adding;
  Task<Tracked> last = add(d, c);
  co_return co_await last;
}

Task<std::uint64_t> root(Op& op, Tracked depth) {
  // A task that is never awaited has a frame too.
  const Task<Tracked> unused = ask(op, "never", depth);
  Task<Tracked> task = sum(op, depth);
  const Tracked result = co_await task;
  co_return result.get();
}

// Awaits many tasks that end without an effect.
Task<std::uint64_t> loop(Op& /*op*/, std::uint64_t count) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Task<Tracked> one = add(Tracked(i), Tracked(1));
    const Tracked value = co_await one;
    total += value.get();
  }
  co_return total;
}

TEST(Task, RunsToItsEnd) {
  {
    Op op;
    EXPECT_EQ(op.next(), nullptr);
    EXPECT_FALSE(op.take_result());
    EXPECT_FALSE(op.reply(1));
    op.start(root(op, Tracked(2)));
    std::vector<std::string> effects;
    std::uint64_t replies = 0;
    while (const std::string* effect = op.next()) {
      EXPECT_EQ(op.next(), effect);  // the same effect until the reply
      EXPECT_FALSE(op.take_result());
      effects.push_back(*effect);
      EXPECT_TRUE(op.reply(++replies));
      EXPECT_FALSE(op.reply(100));
    }
    EXPECT_EQ(effects,
              (std::vector<std::string>{"ask first 2", "ask first 1", "ask first 0", "ask second 1", "ask second 2"}));
    EXPECT_EQ(op.take_result(), 15U);
    EXPECT_FALSE(op.take_result());
    EXPECT_EQ(op.next(), nullptr);
    EXPECT_FALSE(op.reply(1));
  }
  EXPECT_EQ(g_alive, 0);
}

TEST(Task, CancelledAtEachSuspension) {
  constexpr std::uint64_t kDepth = 6;
  for (std::uint64_t stop = 0; stop <= 2 * kDepth + 1; ++stop) {
    for (const bool by_destructor : {false, true}) {
      for (const bool after_reply : {false, true}) {
        {
          Op op;
          op.start(root(op, Tracked(kDepth)));
          for (std::uint64_t i = 0; i < stop; ++i) {
            ASSERT_NE(op.next(), nullptr);
            ASSERT_TRUE(op.reply(i));
          }
          if (!after_reply) {
            EXPECT_EQ(op.next() == nullptr, stop == 2 * kDepth + 1);
          }
          if (!by_destructor) {
            op.cancel();
            EXPECT_EQ(g_alive, 0);
            EXPECT_EQ(op.next(), nullptr);
            EXPECT_FALSE(op.reply(1));
            EXPECT_FALSE(op.take_result());
            op.cancel();
          }
        }
        ASSERT_EQ(g_alive, 0);
      }
    }
  }
}

TEST(Task, ManyAwaitsNeedNoStack) {
  Op op;
  op.start(loop(op, 100000));
  EXPECT_EQ(op.next(), nullptr);
  EXPECT_EQ(op.take_result(), 5000050000U);
  EXPECT_EQ(g_alive, 0);
}

TEST(Task, MovesAndUnusedTasks) {
  Op op;
  {
    Task<Tracked> a = ask(op, "a", Tracked(1));
    Task<Tracked> b = std::move(a);
    a = ask(op, "c", Tracked(2));
    a = std::move(b);
    EXPECT_EQ(g_alive, 1);
  }
  EXPECT_EQ(g_alive, 0);
}

// Several operations side by side, which end, are cancelled and are replaced at random.
TEST(Task, OperationsSideBySide) {
  std::mt19937 random(33);
  std::vector<std::unique_ptr<Op>> ops(4);
  int effects = 0;
  int cancelled = 0;
  int ended = 0;
  for (int step = 0; step < 60000; ++step) {
    std::unique_ptr<Op>& op = ops[random() % ops.size()];
    if (op == nullptr) {
      op = std::make_unique<Op>();
      op->start(root(*op, Tracked(random() % 8)));
    } else if (random() % 32 == 0) {
      op.reset();
      ++cancelled;
    } else if (op->next() == nullptr) {
      EXPECT_TRUE(op->take_result());
      op.reset();
      ++ended;
    } else {
      EXPECT_TRUE(op->reply(random()));
      ++effects;
    }
  }
  ops.clear();
  EXPECT_EQ(g_alive, 0);
  EXPECT_GT(effects, 40000);
  EXPECT_GT(cancelled, 1000);
  EXPECT_GT(ended, 1000);
}

}  // namespace
}  // namespace optiks::client::test
