#include "batch.h"

#include "optiks/base/check.h"

namespace optiks::vrf {

void encode_many(PointString* out, const Point* points, std::size_t n) {
  OPTIKS_CHECK(n <= kMaxEncode);
  Fp2 z_inverses[kMaxEncode];
  Fp2 scratch[kMaxEncode];
  for (std::size_t i = 0; i < n; ++i) {
    z_inverses[i] = points[i].z;
  }
  fp2_invert_many(z_inverses, scratch, n);
  for (std::size_t i = 0; i < n; ++i) {
    point_encode(out[i], points[i], z_inverses[i]);
  }
}

void check_alphas(const Alphas& alphas) {
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    OPTIKS_CHECK(alphas.offsets[i] <= alphas.offsets[i + 1]);
  }
  OPTIKS_CHECK(alphas.offsets.empty() || alphas.offsets.back() <= alphas.bytes.size());
}

}  // namespace optiks::vrf
