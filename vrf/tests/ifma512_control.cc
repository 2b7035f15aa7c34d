// The positive control of check_disassembly.py for AVX-512: the script must find each of these functions. This file is
// not linked into any program.
#include <immintrin.h>

#include <cstdint>

// This function reads a different address for each lane.
__m512i control_gather(__m512i index, const std::uint64_t* table) { return _mm512_i64gather_epi64(index, table, 8); }

// This function branches on the contents of a lane.
int control_branch(__m512i secret) { return _mm512_cmpeq_epi64_mask(secret, _mm512_setzero_si512()) != 0 ? 1 : 2; }

// This function moves a lane's contents to a general register, and branches on them.
int control_lane(__m512i secret, int (*call)()) {
  return _mm_cvtsi128_si64(_mm512_castsi512_si128(secret)) > 7 ? call() : 0;
}

// This function branches on an octet of memory.
int control_octet(const std::uint8_t* secret, int (*call)()) { return *secret > 7 ? call() : 0; }

// The secret decides whether this load reads memory.
__m512i control_masked_load(__m512i secret, const void* memory) {
  return _mm512_maskz_loadu_epi64(_mm512_movepi64_mask(secret), memory);
}

// This inline function is a weak symbol. The linker could use this copy, which is compiled for AVX-512, for the whole
// program.
inline int control_weak(int a) { return a + 1; }
int (*control_take(void))(int) { return control_weak; }
