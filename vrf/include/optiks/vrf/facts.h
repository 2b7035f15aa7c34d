// Generated from docs/spec/facts.toml by `make facts`: do not edit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace optiks::vrf {

// The length of a VRF secret key, which is a scalar in [1, N).
inline constexpr std::size_t kSecretKeyLen = 32;
// The length of a VRF public key, which is a point.
inline constexpr std::size_t kPublicKeyLen = 32;
// The length of a VRF proof: Gamma has 32 octets, c has 16, s has 31.
inline constexpr std::size_t kProofLen = 79;
// The length of a label, which is the beginning of the VRF's output.
inline constexpr std::size_t kLabelLen = 32;

// Reason: why a key or a proof is refused. The first check of docs/spec/vrf.md sections 3 and 7 that fails names it.
enum class Reason : std::uint8_t {
  kValid = 0,
  kKeyInvalid = 20,
  kGammaMalformed = 21,
  kScalarRange = 22,
  kGammaSmallOrder = 23,
  kChallenge = 24,
};

inline constexpr std::pair<Reason, const char*> kReasonNames[] = {
    {Reason::kValid, "valid"},
    {Reason::kKeyInvalid, "vrf_key_invalid"},
    {Reason::kGammaMalformed, "vrf_gamma_malformed"},
    {Reason::kScalarRange, "vrf_scalar_range"},
    {Reason::kGammaSmallOrder, "vrf_gamma_small_order"},
    {Reason::kChallenge, "vrf_challenge"},
};

}  // namespace optiks::vrf
