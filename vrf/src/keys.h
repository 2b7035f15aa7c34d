// The contents of keys: secrets, strings and precomputed values.
#pragma once

#include "decompose.h"
#include "lanes/comb.h"
#include "optiks/vrf/ecvrf.h"
#include "suite.h"
#include "vartime_mul.h"

namespace optiks::vrf {

// Whether the library has kernels that compute many elements in lanes. A client's build has none.
#ifdef OPTIKS_CLIENT_ONLY
inline constexpr bool kHasLanes = false;
#else
inline constexpr bool kHasLanes = true;
#endif

struct SecretKey::Impl {
  explicit Impl(const Scalar& scalar);

  base::Zeroizing<Scalar> x;
  base::Zeroizing<ShiftedScalar> shifted_x;
  base::Zeroizing<Digits> x_digits;          // digits of x
  base::Zeroizing<Digits> cleared_x_digits;  // the digits of 392*x mod N, because a label needs only 392*Gamma
  PointString public_key;
  base::Blake2b encode;  // the hash state that encode_prefix() returns
  base::Blake2b nonce;   // the hash state that nonce_prefix() returns, which is secret; Blake2b's destructor erases it
};

struct PublicKey::Impl {
  PointString bytes;
  base::Blake2b encode;  // the hash state that encode_prefix() returns
  ShortMulTable table;   // multiples of Y
#ifndef OPTIKS_CLIENT_ONLY
  lanes::ChallengeCombs combs;  // multiples of Y, which only kernels with lanes read
#endif
};

}  // namespace optiks::vrf
