// ECVRF over FourQ with BLAKE2b-512: the suite of docs/spec/vrf.md.
//
// The secret values are a secret key, the nonce of a proof, and on the server also alpha. All functions are constant
// time in these values; the length of alpha is public. Functions whose names end in _vartime take public input only.
// Thread safety: keys are immutable after construction, so any number of threads may use one key at the same time.
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

// A secret key: a scalar in [1, N), its public key, and precomputed values. Keys can be moved, but not copied. The
// destructor erases the secrets. A moved-from key may only be destroyed or assigned to.
class SecretKey {
 public:
  // Returns the key with this scalar. Fails with kMalformed unless the scalar is in [1, N).
  [[nodiscard]] static base::Result<SecretKey> load(std::span<const std::uint8_t, kSecretKeyLen> bytes);

  // Makes a key from a seed, which must be 64 uniformly random octets. Fails with kInvalidArgument if the seed is 0
  // modulo N (probability 2^-246). The caller then calls again with another seed.
  [[nodiscard]] static base::Result<SecretKey> from_seed(std::span<const std::uint8_t, kKeySeedLen> seed);

  // Makes a key from random octets of the operating system. Fails with kUnavailable if the system gives no randomness.
  [[nodiscard]] static base::Result<SecretKey> generate();

  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) noexcept;
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  ~SecretKey();

  // Returns the scalar in the form that load takes. The caller owns this copy of the secret.
  [[nodiscard]] base::Secret<kSecretKeyLen> export_bytes() const;

  [[nodiscard]] std::span<const std::uint8_t, kPublicKeyLen> public_key() const;

  // Returns the memory that holds the secrets, for a caller that locks memory. The secrets stay at this address as long
  // as the key exists, even if the key is moved.
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

// A public key that validate_key accepted, with 24 KiB of precomputed multiples. Keys can be moved, but not copied.
class PublicKey {
 public:
  // Runs validate_key. Returns kValid or kKeyInvalid, and sets `out` only on kValid. The call takes about as long as
  // the verification of a proof, so callers should keep the key.
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

// Computes the label of alpha, and writes it to `label`.
void evaluate(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label);

// Computes the label of alpha and its proof, and writes both.
void prove(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label,
           std::span<std::uint8_t, kProofLen> proof);

// Verifies the proof. On kValid, and only then, writes the label that the proof proves. The function computes the label
// from the proof, so callers never need a label that a peer sent.
[[nodiscard]] Reason verify_vartime(const PublicKey& key, base::ByteSpan alpha,
                                    std::span<const std::uint8_t, kProofLen> proof,
                                    std::span<std::uint8_t, kLabelLen> label);

// n byte strings in one array. String i is bytes[offsets[i], offsets[i + 1]). `offsets` must have n + 1 entries, which
// never decrease and end within `bytes`; otherwise the functions abort.
struct Alphas {
  base::ByteSpan bytes;
  std::span<const std::size_t> offsets;

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] base::ByteSpan operator[](std::size_t i) const {
    return bytes.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// The batch functions give the same results as n single calls, but share work between the elements. The arrays hold the
// values of all elements one after another: `labels` has n*kLabelLen octets, `proofs` has n*kProofLen octets, and
// `reasons` has n elements. verify_batch_vartime does not change the labels of refused proofs.
void evaluate_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels);
void prove_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels,
                 base::MutableByteSpan proofs);
void verify_batch_vartime(const PublicKey& key, const Alphas& alphas, base::ByteSpan proofs,
                          base::MutableByteSpan labels, std::span<Reason> reasons);

}  // namespace optiks::vrf
