// The products of fp.h for x86-64. Compilers keep the carries of 128-bit additions in registers and use twice as many
// instructions as this code. Every x86-64 processor has the instructions used here. Code with mulx took the same time
// to within 1 % (Zen 5, 2026-11), so the code does not choose between instructions at run time. All functions are
// constant time.
#pragma once

#include "uint128.h"

namespace optiks::vrf::x86_64 {

// A product, or the sum of two products, as little-endian words. Each block of assembly below uses at most twelve
// registers, so that every compiler can allocate them with all options. The instruction mulq writes its result to
// rdx:rax.
struct Product {
  u64 t0, t1, t2, t3;
};

// Returns x*y, for x < 2^128 and y <= p.
OPTIKS_INLINE Product multiply(u128 x, u128 y) {
  Product p;
  u64 c0;
  u64 c1;
  __asm__(
      "movq %[x0], %%rax\n\t"
      "mulq %[y0]\n\t"
      "movq %%rax, %[t0]\n\t"
      "movq %%rdx, %[t1]\n\t"
      "movq %[x1], %%rax\n\t"
      "mulq %[y1]\n\t"
      "movq %%rax, %[t2]\n\t"
      "movq %%rdx, %[t3]\n\t"
      "movq %[x0], %%rax\n\t"
      "mulq %[y1]\n\t"
      "movq %%rax, %[c0]\n\t"
      "movq %%rdx, %[c1]\n\t"
      "movq %[x1], %%rax\n\t"
      "mulq %[y0]\n\t"
      "addq %[c0], %[t1]\n\t"
      "adcq %[c1], %[t2]\n\t"
      "adcq $0, %[t3]\n\t"
      "addq %%rax, %[t1]\n\t"
      "adcq %%rdx, %[t2]\n\t"
      "adcq $0, %[t3]\n\t"
      : [t0] "=&r"(p.t0), [t1] "=&r"(p.t1), [t2] "=&r"(p.t2), [t3] "=&r"(p.t3), [c0] "=&r"(c0), [c1] "=&r"(c1)
      : [x0] "rm"(low64(x)), [x1] "rm"(high64(x)), [y0] "rm"(low64(y)), [y1] "rm"(high64(y))
      : "rax", "rdx", "cc");
  return p;
}

// Adds x*y to the product p, for x and y at most the prime. The two cross products sum to less than 2^128.
OPTIKS_INLINE void multiply_add(Product& p, u128 x, u128 y) {
  u64 c0;
  u64 c1;
  __asm__(
      "movq %[x0], %%rax\n\t"
      "mulq %[y0]\n\t"
      "movq %%rax, %[c0]\n\t"
      "movq %%rdx, %[c1]\n\t"
      "movq %[x1], %%rax\n\t"
      "mulq %[y1]\n\t"
      "addq %[c0], %[t0]\n\t"
      "adcq %[c1], %[t1]\n\t"
      "adcq %%rax, %[t2]\n\t"
      "adcq %%rdx, %[t3]\n\t"
      "movq %[x0], %%rax\n\t"
      "mulq %[y1]\n\t"
      "movq %%rax, %[c0]\n\t"
      "movq %%rdx, %[c1]\n\t"
      "movq %[x1], %%rax\n\t"
      "mulq %[y0]\n\t"
      "addq %%rax, %[c0]\n\t"
      "adcq %%rdx, %[c1]\n\t"
      "addq %[c0], %[t1]\n\t"
      "adcq %[c1], %[t2]\n\t"
      "adcq $0, %[t3]\n\t"
      : [t0] "+&r"(p.t0), [t1] "+&r"(p.t1), [t2] "+&r"(p.t2), [t3] "+&r"(p.t3), [c0] "=&r"(c0), [c1] "=&r"(c1)
      : [x0] "rm"(low64(x)), [x1] "rm"(high64(x)), [y0] "rm"(low64(y)), [y1] "rm"(high64(y))
      : "rax", "rdx", "cc");
}

// Reduces the product t, which is at most 2p^2 for the prime p, to [0, p], using 2^127 = 1. The quotient q = t3:t2 = t
// div 2^127 is below 2^128. The sum of t mod 2^127, q mod 2^127 and q div 2^127 is at most 2p (fp.h, wide_reduce_two).
// At the end bit 127 of the sum is folded once more.
OPTIKS_INLINE u128 reduce(Product p) {
  __asm__(
      "addq %[t1], %[t1]\n\t"
      "adcq %[t2], %[t2]\n\t"
      "adcq %[t3], %[t3]\n\t"
      "shrq %[t1]\n\t"
      "btrq $63, %[t3]\n\t"
      "adcq %[t2], %[t0]\n\t"
      "adcq %[t3], %[t1]\n\t"
      "btrq $63, %[t1]\n\t"
      "adcq $0, %[t0]\n\t"
      "adcq $0, %[t1]\n\t"
      : [t0] "+&r"(p.t0), [t1] "+&r"(p.t1), [t2] "+&r"(p.t2), [t3] "+&r"(p.t3)
      :
      : "cc");
  return make_u128(p.t1, p.t0);
}

// Returns x*y + z*w. All operands are at most p.
OPTIKS_INLINE u128 dot(u128 x, u128 y, u128 z, u128 w) {
  Product p = multiply(x, y);
  multiply_add(p, z, w);
  return reduce(p);
}

// Returns x*y, for x <= 2p and y <= p.
OPTIKS_INLINE u128 mul(u128 x, u128 y) { return reduce(multiply(x, y)); }

// Returns x*x, for x <= p. Exponentiations wait for each square, so this code has as few steps as possible from the
// operand to the result. The square t <= p^2 is below 2^254, so q = t div 2^127 is below 2^127 (fp.h, wide_reduce_one).
OPTIKS_INLINE u128 sqr(u128 x) {
  u64 t0;
  u64 t1;
  u64 c0;
  u64 c1;
  __asm__(
      "movq %[x0], %%rax\n\t"
      "mulq %[x0]\n\t"
      "movq %%rax, %[t0]\n\t"
      "movq %%rdx, %[t1]\n\t"
      "leaq (%[x1], %[x1]), %%rax\n\t"
      "mulq %[x0]\n\t"
      "movq %%rax, %[c0]\n\t"
      "movq %%rdx, %[c1]\n\t"
      "movq %[x1], %%rax\n\t"
      "mulq %[x1]\n\t"
      "addq %[c0], %[t1]\n\t"
      "adcq %[c1], %%rax\n\t"
      "adcq $0, %%rdx\n\t"
      "addq %[t1], %[t1]\n\t"
      "adcq %%rax, %%rax\n\t"
      "adcq %%rdx, %%rdx\n\t"
      "shrq %[t1]\n\t"
      "addq %%rax, %[t0]\n\t"
      "adcq %%rdx, %[t1]\n\t"
      "btrq $63, %[t1]\n\t"
      "adcq $0, %[t0]\n\t"
      "adcq $0, %[t1]\n\t"
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [c0] "=&r"(c0), [c1] "=&r"(c1)
      : [x0] "r"(low64(x)), [x1] "r"(high64(x))
      : "rax", "rdx", "cc");
  return make_u128(t1, t0);
}

}  // namespace optiks::vrf::x86_64
