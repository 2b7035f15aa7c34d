// Looks for a difference between the time for one fixed secret and the time for random secrets. It runs Welch's t-test
// on two interleaved classes of inputs. The method comes from Reparaz, Balasch, Verbauwhede, "Dude, is my code constant
// time?" (DATE 2017). Inputs of class 0 are one fixed scalar, and inputs of class 1 are a fresh scalar each time. Both
// are prepared before the clock starts. The same run must also detect a positive control, which omits work for some
// digits; otherwise the run proves nothing.
//
// The program prints one line for each subject. It exits with 0 if it detects a leak in every positive control and in
// no other subject. CI does not depend on the result, because a loaded machine can hide a leak or report a leak that
// does not exist.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "batch.h"
#include "scalar_mul.h"

namespace optiks::vrf {
namespace {

constexpr std::size_t kNumSamples = 50000;
constexpr double kThreshold = 10;  // a leak is reported if |t| is above this, as in dudect

// Returns the t statistic of two classes. The function ignores the slowest tenth of all samples, because interrupts may
// have delayed these.
double t_statistic(std::vector<double> (&classes)[2]) {
  std::vector<double> all;
  for (const auto& samples : classes) {
    all.insert(all.end(), samples.begin(), samples.end());
  }
  const auto cut = all.begin() + static_cast<std::ptrdiff_t>(all.size() * 9 / 10);
  std::nth_element(all.begin(), cut, all.end());
  double mean[2] = {};
  double error[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    double n = 0;
    double squares = 0;
    for (const double sample : classes[i]) {
      if (sample <= *cut) {
        n += 1;
        const double distance = sample - mean[i];
        mean[i] += distance / n;
        squares += distance * (sample - mean[i]);
      }
    }
    error[i] = squares / (n - 1) / n;
  }
  return (mean[0] - mean[1]) / std::sqrt(error[0] + error[1]);
}

// Measures the time of subject(digits) for both classes of digits.
template <typename Subject>
double measure(const Subject& subject) {
  std::mt19937_64 random(std::random_device{}());
  const auto random_digits = [&] {
    return recode(decompose(scalar_reduce({{random(), random(), random(), random()}})));
  };
  const Digits fixed = recode(decompose({{1, 0, 0, 0}}));
  std::vector<double> classes[2];
  for (std::size_t i = 0; i < kNumSamples; ++i) {
    const std::size_t which = random() % 2;
    const Digits fresh = random_digits();
    const Digits digits = which == 0 ? fixed : fresh;
    const auto start = std::chrono::steady_clock::now();
    subject(digits);
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    classes[which].push_back(elapsed.count());
  }
  return t_statistic(classes);
}

bool report(const std::string& name, double t, bool must_leak) {
  const bool leaks = std::abs(t) > kThreshold;
  static_cast<void>(
      std::printf("%-28s |t| = %8.1f  %s\n", name.c_str(), std::abs(t), leaks ? "differs" : "no difference found"));
  return leaks == must_leak;
}

int run() {
  const MulTable table = make_mul_table(kGenerator);
  Point sink = kIdentity;
  // The positive control omits work for a digit whose index is 0, as code that skips a table read would.
  const auto leak = [&](const Digits& digits) {
    for (std::size_t i = 0; i < kNumDigits; ++i) {
      if ((digits.index_mask[0][i] | digits.index_mask[1][i] | digits.index_mask[2][i]) != 0) {
        point_double(sink);
      }
    }
  };
  const auto scalar = [&](const Digits& digits) { sink = scalar_mul(table, digits); };
  bool is_good = report("scalar", measure(scalar), false);
  is_good &= report("scalar, positive control", measure([&](const Digits& digits) {
                      scalar(digits);
                      leak(digits);
                    }),
                    true);
  const auto kernel = [&](base::Kernel which) {
    const std::string name = base::kernel_name(which);
    const lanes::Kernel& curve = *kernel_of(which);
    const std::vector<Fp2> u(curve.lanes, kGeneratorX);
    std::vector<lanes::GroupPoints> h(1);
    std::vector<lanes::GroupPoints> out(1);
    curve.encode_to_curve(h.data(), u.data(), 1);
    const auto group = [&](const Digits& digits) { curve.mul_same(out.data(), h.data(), 1, digits); };
    is_good &= report(name, measure(group), false);
    is_good &= report(name + ", positive control", measure([&](const Digits& digits) {
                        group(digits);
                        leak(digits);
                      }),
                      true);
  };
  for (const base::Kernel which : base::runnable_kernels()) {
    if (which != base::Kernel::kScalar) {
      kernel(which);
    }
  }
  return is_good && point_is_identity(sink) < 2 ? 0 : 1;
}

}  // namespace
}  // namespace optiks::vrf

int main() { return optiks::vrf::run(); }
