// Runs every operation on secrets once, with the secrets marked as undefined memory. In a build with OPTIKS_CT_CHECK,
// Valgrind memcheck reports every branch and every address that depends on a secret as an error. With the argument
// --leak the program branches on a secret on purpose. This is the positive control, which memcheck must report.
#include <cstdio>
#include <cstring>
#include <utility>

#include "optiks/base/secret.h"
#include "optiks/vrf/ecvrf.h"

namespace {

using namespace optiks;

int run(bool leak) {
  std::array<std::uint8_t, vrf::kKeySeedLen> seed;
  for (std::size_t i = 0; i < seed.size(); ++i) {
    seed[i] = static_cast<std::uint8_t>(31 * i + 7);
  }
  OPTIKS_SECRET(seed.data(), seed.size());
  const vrf::SecretKey key = vrf::SecretKey::from_seed(seed).value();
  const base::Secret<vrf::kSecretKeyLen> exported = key.export_bytes();
  const vrf::SecretKey loaded = vrf::SecretKey::load(exported.bytes()).value();

  // Three alphas with secret contents, whose public lengths are near the block length of the hash.
  std::array<std::uint8_t, 200> alphas{};
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    alphas[i] = static_cast<std::uint8_t>(i);
  }
  OPTIKS_SECRET(alphas.data(), alphas.size());
  const std::size_t offsets[] = {0, 20, 20, 200};
  std::array<std::uint8_t, 3 * vrf::kLabelLen> labels{};
  std::array<std::uint8_t, 3 * vrf::kLabelLen> proved{};
  std::array<std::uint8_t, 3 * vrf::kProofLen> proofs{};
  vrf::evaluate_batch(loaded, {alphas, offsets}, labels);
  vrf::prove_batch(key, {alphas, offsets}, proved, proofs);

  if (leak && alphas[17] == 17) {
    std::puts("branched on a secret");
  }

  // The server publishes these octets, so they are not secret.
  OPTIKS_DECLASSIFY(alphas.data(), alphas.size());
  OPTIKS_DECLASSIFY(labels.data(), labels.size());
  OPTIKS_DECLASSIFY(proved.data(), proved.size());
  OPTIKS_DECLASSIFY(proofs.data(), proofs.size());
  vrf::PublicKey public_key;
  if (vrf::PublicKey::parse_vartime(key.public_key(), public_key) != vrf::Reason::kValid) {
    return 1;
  }
  std::array<std::uint8_t, 3 * vrf::kLabelLen> verified{};
  std::array<vrf::Reason, 3> reasons{};
  vrf::verify_batch_vartime(public_key, {alphas, offsets}, proofs, verified, reasons);
  for (const vrf::Reason reason : reasons) {
    if (reason != vrf::Reason::kValid) {
      return 1;
    }
  }
  return labels == proved && proved == verified ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run(argc == 2 && std::strcmp(argv[1], "--leak") == 0); }
