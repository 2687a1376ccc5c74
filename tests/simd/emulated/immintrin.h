/*
 * immintrin.h: stands in for the compiler's, so that the AVX-512 kernel is compiled for SIMDe
 * (Debian's libsimde-dev), which does in C what the instructions do, and runs on any processor.
 */
#ifndef TESTS_SIMD_EMULATED_IMMINTRIN_H
#define TESTS_SIMD_EMULATED_IMMINTRIN_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse2.h>
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>

typedef simde__mmask16 __mmask16;

#endif
