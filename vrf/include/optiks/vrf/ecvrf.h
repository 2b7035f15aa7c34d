// ECVRF over FourQ with BLAKE2b-512: the suite of docs/spec/vrf.md.
//
// Secrets: a secret key, the nonce of a proof, and on the server alpha. Everything here is constant time in
// them (alpha's length is public). Functions ending in _vartime take public input only.
// Threads: keys are immutable after construction; any number of threads may use one key at the same time.
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

// SecretKey: a scalar in [1, N) with its public key and precomputation. Move-only, erased on destruction. A
// moved-from key may only be destroyed or assigned to.
class SecretKey {
 public:
  // kMalformed unless the scalar is in [1, N).
  [[nodiscard]] static base::Result<SecretKey> load(std::span<const std::uint8_t, kSecretKeyLen> bytes);

  // The key of 64 uniformly random octets; kInvalidArgument for a seed that is 0 modulo N (probability 2^-246), after
  // which the caller takes another.
  [[nodiscard]] static base::Result<SecretKey> from_seed(std::span<const std::uint8_t, kKeySeedLen> seed);

  // A fresh key from the operating system's randomness; kUnavailable when there is none.
  [[nodiscard]] static base::Result<SecretKey> generate();

  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) noexcept;
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  ~SecretKey();

  // The form that load takes; the caller owns the copy of the secret.
  [[nodiscard]] base::Secret<kSecretKeyLen> export_bytes() const;

  [[nodiscard]] std::span<const std::uint8_t, kPublicKeyLen> public_key() const;

  // Where the secrets are, for a caller that locks memory; the same place as long as the key lives, also when moved.
  [[nodiscard]] std::span<const std::byte> memory() const;

  struct Impl;
  // For the library: aborts on an empty or moved-from key.
  [[nodiscard]] const Impl& impl() const {
    OPTIKS_CHECK(impl_ != nullptr);
    return *impl_;
  }

 private:
  explicit SecretKey(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// PublicKey: a key that validate_key accepted, with 24 KiB of precomputed multiples. Move-only.
class PublicKey {
 public:
  // parse_vartime runs validate_key; nothing but kValid and kKeyInvalid comes out. `out` is set on kValid only.
  // Costs about as much as verifying a proof: keep the key.
  [[nodiscard]] static Reason parse_vartime(std::span<const std::uint8_t> bytes, PublicKey& out);

  // An empty key: usable for nothing but being assigned to.
  PublicKey();
  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  PublicKey(const PublicKey&) = delete;
  PublicKey& operator=(const PublicKey&) = delete;
  ~PublicKey();

  [[nodiscard]] std::span<const std::uint8_t, kPublicKeyLen> bytes() const;

  struct Impl;
  // For the library: aborts on an empty or moved-from key.
  [[nodiscard]] const Impl& impl() const {
    OPTIKS_CHECK(impl_ != nullptr);
    return *impl_;
  }

 private:
  std::unique_ptr<const Impl> impl_;
};

// evaluate writes the label of alpha.
void evaluate(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label);

// prove writes the label of alpha and its proof.
void prove(const SecretKey& key, base::ByteSpan alpha, std::span<std::uint8_t, kLabelLen> label,
           std::span<std::uint8_t, kProofLen> proof);

// verify_vartime writes the label that the proof proves, computed from the proof and never taken from a peer. The
// label is written on kValid only.
[[nodiscard]] Reason verify_vartime(const PublicKey& key, base::ByteSpan alpha,
                                    std::span<const std::uint8_t, kProofLen> proof,
                                    std::span<std::uint8_t, kLabelLen> label);

// Alphas: n byte strings in one array; string i is bytes[offsets[i], offsets[i + 1]). offsets has n + 1 entries, does
// not decrease and ends within bytes; anything else aborts.
struct Alphas {
  base::ByteSpan bytes;
  std::span<const std::size_t> offsets;

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] base::ByteSpan operator[](std::size_t i) const {
    return bytes.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// The batch forms give what n single calls give, and share work between the elements. Flat arrays: labels is
// n*kLabelLen octets, proofs n*kProofLen, reasons n. Labels of refused proofs are left as they are.
void evaluate_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels);
void prove_batch(const SecretKey& key, const Alphas& alphas, base::MutableByteSpan labels,
                 base::MutableByteSpan proofs);
void verify_batch_vartime(const PublicKey& key, const Alphas& alphas, base::ByteSpan proofs,
                          base::MutableByteSpan labels, std::span<Reason> reasons);

}  // namespace optiks::vrf
