// ECVRF over FourQ with BLAKE2b-512: the suite of docs/spec/vrf.md.
//
// The secrets are a secret key, the nonce of a proof, and on the server alpha. All functions are constant time in these
// (alpha's length is public). Functions ending in _vartime take public input only. Threads: keys are immutable after
// construction; any number of threads may use one key at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "optiks/base/bytes.h"
#include "optiks/base/check.h"
#include "optiks/base/secret.h"
#include "optiks/base/status.h"
#include "optiks/vrf/facts.h"

namespace optiks::vrf {

inline constexpr std::size_t kKeySeedLen = 64;

// A scalar in [1, N) with its public key and precomputation. Move-only, erased on destruction. A moved-from key may
// only be destroyed or assigned to.
class SecretKey {
 public:
  // Fails with kMalformed unless the scalar is in [1, N).
  [[nodiscard]] static base::Result<SecretKey> load(std::span<const std::uint8_t, kSecretKeyLen> bytes);

  // Makes the key of 64 uniformly random octets. Fails with kInvalidArgument for a seed that is 0 modulo N (probability
  // 2^-246); the caller then takes another seed.
  [[nodiscard]] static base::Result<SecretKey> from_seed(std::span<const std::uint8_t, kKeySeedLen> seed);

  // Makes a key from the operating system's randomness. Fails with kUnavailable if the system gives no randomness.
  [[nodiscard]] static base::Result<SecretKey> generate();

  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) noexcept;
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  ~SecretKey();

  // Returns the form that load takes; the caller owns the copy of the secret.
  [[nodiscard]] base::Secret<kSecretKeyLen> export_bytes() const;

  [[nodiscard]] std::span<const std::uint8_t, kPublicKeyLen> public_key() const;

  // Returns where the secrets are, for a caller that locks memory. The place stays the same as long as the key lives,
  // even if it is moved.
  [[nodiscard]] std::span<const std::byte> memory() const;

  struct Impl;
  // For use within the library. Aborts on an empty or moved-from key.
  [[nodiscard]] const Impl& impl() const {
    OPTIKS_CHECK(impl_ != nullptr);
    return *impl_;
  }

 private:
  explicit SecretKey(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// A key that validate_key accepted, with 24 KiB of precomputed multiples. Move-only.
class PublicKey {
 public:
  // Runs validate_key; the result is kValid or kKeyInvalid. `out` is set only on kValid. The call costs about as much
  // as verifying a proof: keep the key.
  [[nodiscard]] static Reason parse_vartime(std::span<const std::uint8_t> bytes, PublicKey& out);

  // Makes an empty key, which may only be assigned to or destroyed.
  PublicKey();
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  PublicKey(const PublicKey&) = delete;
  PublicKey& operator=(const PublicKey&) = delete;
  ~PublicKey();

  [[nodiscard]] std::span<const std::uint8_t, kPublicKeyLen> bytes() const;

  struct Impl;
  // For use within the library. Aborts on an empty or moved-from key.
  [[nodiscard]] const Impl& impl() const {
    OPTIKS_CHECK(impl_ != nullptr);
    return *impl_;
  }

 private:
  std::unique_ptr<const Impl> impl_;
};

// Writes the label of alpha.
void evaluate(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label);

// Writes the label of alpha and its proof.
void prove(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label,
           std::span<std::uint8_t, kProofLen> proof);

// Writes the label that the proof proves, computed from the proof and never taken from a peer. The label is written
// only on kValid.
[[nodiscard]] Reason verify_vartime(const PublicKey& key, base::ByteSpan alpha,
                                    std::span<const std::uint8_t, kProofLen> proof,
                                    std::span<std::uint8_t, kLabelLen> label);

// n byte strings in one array; string i is bytes[offsets[i], offsets[i + 1]). offsets has n + 1 entries, does not
// decrease and ends within bytes; anything else aborts.
struct Alphas {
  base::ByteSpan bytes;
  std::span<const std::size_t> offsets;

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] base::ByteSpan operator[](std::size_t i) const {
    return bytes.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// The batch functions return the same results as n single calls, and share work between the elements. Their arrays are
// flat: labels has n*kLabelLen octets, proofs n*kProofLen, reasons n elements. Labels of refused proofs are left as
// they are.
void evaluate_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels);
void prove_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels,
                 base::MutableByteSpan proofs);
void verify_batch_vartime(const PublicKey& key, const Alphas& alphas, base::ByteSpan proofs,
                          base::MutableByteSpan labels, std::span<Reason> reasons);

}  // namespace optiks::vrf
