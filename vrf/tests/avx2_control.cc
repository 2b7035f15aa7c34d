// The positive control of check_disassembly.py for AVX2: the script must find each of these functions. This file is not
// linked into any program.
#include <immintrin.h>

#include <cstdint>

// This function reads a different address for each lane.
__m256i control_gather(__m256i index, const long long* table) { return _mm256_i64gather_epi64(table, index, 8); }

// This function branches on the contents of a lane.
int control_branch(__m256i secret) { return _mm256_testz_si256(secret, secret) != 0 ? 1 : 2; }

// This function moves bits of all lanes to a general register, and branches on them.
int control_lane(__m256i secret, int (*call)()) { return _mm256_movemask_epi8(secret) > 7 ? call() : 0; }

// This function branches on an octet of memory.
int control_octet(const std::uint8_t* secret, int (*call)()) { return *secret > 7 ? call() : 0; }

// The secret decides whether this load reads memory.
__m256i control_masked_load(__m256i secret, const long long* memory) { return _mm256_maskload_epi64(memory, secret); }

// This inline function is a weak symbol. The linker could use this copy, which is compiled for AVX2, for the whole
// program.
inline int control_weak(int a) { return a + 1; }
int (*control_take(void))(int) { return control_weak; }
