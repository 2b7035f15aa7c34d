// Sequences of doublings and additions, for one point and for several points in lanes (curve_formulas.h). The comments
// here give numbers of operations; the comments of point_double, point_add and the other operations give their cost.
#pragma once

#include "endomorphism.h"

namespace optiks::vrf {

// For each of n points P = point(i), which has order N or is the identity, computes eight sums and calls keep(i, sums).
// The sum with index j is P plus those of phi(P), psi(P) and psi(phi(P)) that bits 0, 1 and 2 of j select. The cost for
// each point is three endomorphisms and 7 additions. The function applies each step of the endomorphisms to all points
// before the next step, because in lanes the code of all steps is twice as large as the first-level instruction cache.
template <typename F, std::size_t MaxPoints, typename GetPoint, typename Keep>
OPTIKS_INLINE void mul_table_sums(std::size_t n, const GetPoint& point, const Keep& keep) {
  BasicPoint<F> images[MaxPoints];
  Isogenous<F> isogenous[MaxPoints];
  Isogenous<F> chi[MaxPoints];
  BasicCachedPoint<F> addends[MaxPoints][3];
  const auto for_all = [n](const auto& step) {
    for (std::size_t i = 0; i < n; ++i) {
      step(i);
    }
  };
  const auto psi = [&](std::size_t bit) {
    for_all([&](std::size_t i) { chi[i] = point_chi(isogenous[i]); });
    for_all([&](std::size_t i) { addends[i][bit] = point_to_cached(point_tau_dual(chi[i])); });
  };
  for_all([&](std::size_t i) { isogenous[i] = point_tau(point(i)); });
  psi(1);
  for_all([&](std::size_t i) { isogenous[i] = point_upsilon(isogenous[i]); });
  for_all([&](std::size_t i) {
    images[i] = point_tau_dual(isogenous[i]);
    addends[i][0] = point_to_cached(images[i]);
  });
  for_all([&](std::size_t i) { isogenous[i] = point_tau(images[i]); });
  psi(2);
  for_all([&](std::size_t i) {
    BasicPoint<F> sums[8];
    sums[0] = point(i);
    for (std::size_t j = 1; j < 8; ++j) {
      const std::size_t top = j >= 4 ? 2 : j >= 2 ? 1 : 0;
      sums[j] = sums[j - (std::size_t{1} << top)];
      point_add(sums[j], addends[i][top]);
    }
    keep(i, sums);
  });
}

// Fills the table of one point. entry_of converts each sum to the form of the entries.
template <typename F, typename Entry, typename EntryOf>
OPTIKS_INLINE void fill_mul_table(Entry (&entries)[8], const BasicPoint<F>& point, const EntryOf& entry_of) {
  mul_table_sums<F, 1>(
      1, [&](std::size_t) -> const BasicPoint<F>& { return point; },
      [&](std::size_t, const BasicPoint<F>(&sums)[8]) {
        for (std::size_t j = 0; j < 8; ++j) {
          entries[j] = entry_of(sums[j]);
        }
      });
}

// Returns 392*point = 2^3 (2^4 (2 + 1) + 1) point, for every point of the curve. Cost: 8 doublings and 2 additions.
template <typename F>
OPTIKS_INLINE BasicPoint<F> cofactor_cleared(const BasicPoint<F>& point) {
  const BasicCachedPoint<F> addend = point_to_cached(point);
  BasicPoint<F> out = point;
  point_double_add(out, addend);
  for (int i = 0; i < 3; ++i) {
    point_double(out);
  }
  point_double_add(out, addend);
  for (int i = 0; i < 3; ++i) {
    point_double(out);
  }
  return out;
}

}  // namespace optiks::vrf
