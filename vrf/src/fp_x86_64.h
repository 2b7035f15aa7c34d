// Products in GF(p) for x86-64: compilers turn 128-bit additions into moves and into flags kept in registers, twice the
// instructions of what is written here. Only what every such processor has: mulx, adcx and adox measured the same to 1 %
// (Zen 5, 2026-11), because a sum of products waits for multipliers, not for the one carry flag.
#pragma once

#include <cstdint>

#include "fp.h"

namespace optiks::vrf::x86_64 {

// The limbs of t are t3:t2:t1:t0, and c1:c0 is free. mul writes rdx:rax.

// t = x*y, x < 2^128, y <= p: the cross products sum to less than t.
#define OPTIKS_MULTIPLY(x, y)              \
  "movq %[" x "0], %%rax\n\t"              \
  "mulq %[" y "0]\n\t"                     \
  "movq %%rax, %[t0]\n\t"                  \
  "movq %%rdx, %[t1]\n\t"                  \
  "movq %[" x "1], %%rax\n\t"              \
  "mulq %[" y "1]\n\t"                     \
  "movq %%rax, %[t2]\n\t"                  \
  "movq %%rdx, %[t3]\n\t"                  \
  OPTIKS_ADD_CROSS(x, y)

// t += (x0 y1 + x1 y0) 2^64. The two do not fit in 128 bits together unless both high halves are below 2^63.
#define OPTIKS_ADD_CROSS(x, y)             \
  "movq %[" x "0], %%rax\n\t"              \
  "mulq %[" y "1]\n\t"                     \
  "addq %%rax, %[t1]\n\t"                  \
  "adcq %%rdx, %[t2]\n\t"                  \
  "adcq $0, %[t3]\n\t"                     \
  "movq %[" x "1], %%rax\n\t"              \
  "mulq %[" y "0]\n\t"                     \
  "addq %%rax, %[t1]\n\t"                  \
  "adcq %%rdx, %[t2]\n\t"                  \
  "adcq $0, %[t3]\n\t"
