// Compares the batch kernels with the scalar path: the labels, the proofs, and the verdicts on damaged proofs. The fuzz
// input is a secret key, and then for each element the length of its alpha, the alpha, and a mask that is XORed into
// its proof. Missing octets are 0. The target is built with the debug checks, so that the fuzzer also finds a limb
// above its bound.
#include <algorithm>
#include <array>
#include <vector>

#include "batch.h"
#include "optiks/base/check.h"

using namespace optiks::vrf;
namespace base = optiks::base;

namespace {

constexpr std::size_t kMaxElements = 17;

class Input {
 public:
  explicit Input(base::ByteSpan octets) : octets_(octets) {}
  [[nodiscard]] bool empty() const { return octets_.empty(); }
  void read(base::MutableByteSpan out) {
    const std::size_t n = std::min(out.size(), octets_.size());
    std::copy_n(octets_.begin(), n, out.begin());
    octets_ = octets_.subspan(n);
  }
  std::uint8_t octet() {
    std::uint8_t value = 0;
    read({&value, 1});
    return value;
  }

 private:
  base::ByteSpan octets_;
};

struct Results {
  std::vector<std::uint8_t> labels, proofs, verified;
  std::vector<Reason> reasons;
  bool operator==(const Results&) const = default;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input({data, size});
  std::array<std::uint8_t, kSecretKeyLen> key_octets{};
  input.read(key_octets);
  key_octets[31] = 0;  // below N
  const base::Result<SecretKey> loaded = SecretKey::load(key_octets);
  if (!loaded.ok()) {
    return 0;
  }
  const SecretKey& key = loaded.value();
  PublicKey public_key;
  OPTIKS_CHECK(PublicKey::parse_vartime(key.public_key(), public_key) == Reason::kValid);

  std::vector<std::uint8_t> bytes;
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint8_t> damage;
  while (!input.empty() && offsets.size() <= kMaxElements) {
    bytes.resize(bytes.size() + input.octet());
    input.read(std::span(bytes).subspan(offsets.back()));
    offsets.push_back(bytes.size());
    damage.resize(damage.size() + kProofLen);
    input.read(std::span(damage).last<kProofLen>());
  }
  const Alphas alphas{bytes, offsets};
  const std::size_t n = alphas.size();

  const auto run = [&](base::Kernel kernel) {
    Results out{std::vector<std::uint8_t>(n * kLabelLen), std::vector<std::uint8_t>(n * kProofLen),
                std::vector<std::uint8_t>(n * kLabelLen), std::vector<Reason>(n)};
    prove_batch_by(kernel, key, alphas, out.labels, out.proofs);
    std::vector<std::uint8_t> evaluated(n * kLabelLen);
    evaluate_batch_by(kernel, key, alphas, evaluated);
    OPTIKS_CHECK(evaluated == out.labels);
    std::vector<std::uint8_t> damaged = out.proofs;
    for (std::size_t i = 0; i < damaged.size(); ++i) {
      damaged[i] ^= damage[i];
    }
    verify_batch_by_vartime(kernel, public_key, alphas, damaged, out.verified, out.reasons);
    return out;
  };
  const Results expected = run(base::Kernel::kScalar);
  for (const base::Kernel kernel : base::runnable_kernels()) {
    OPTIKS_CHECK(run(kernel) == expected);
  }
  return 0;
}
