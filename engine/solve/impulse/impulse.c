#include "engine/solve/impulse/impulse.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <string.h>

const struct cn_impulse_kernel *const cn_impulse_kernels[] = {
    &cn_impulse_kernel_plain,
#if defined(CN_SIMD_X86)
    &cn_impulse_kernel_sse2,
    &cn_impulse_kernel_avx2,
    &cn_impulse_kernel_avx512,
#elif defined(CN_SIMD_ARM)
    &cn_impulse_kernel_neon,
#endif
    NULL,
};

/* __builtin_cpu_supports also asks whether the system keeps the wide registers (XGETBV). */
bool
cn_impulse_kernel_runs(const struct cn_impulse_kernel *kernel)
{
#if defined(CN_SIMD_X86)
    if (kernel == &cn_impulse_kernel_sse2) {
        return __builtin_cpu_supports("sse2") != 0;
    }
    if (kernel == &cn_impulse_kernel_avx2) {
        return __builtin_cpu_supports("avx2") != 0;
    }
    if (kernel == &cn_impulse_kernel_avx512) {
        return __builtin_cpu_supports("avx512f") != 0;
    }
#endif
    (void)kernel;
    return true;
}

const struct cn_impulse_kernel *
cn_impulse_kernel_best(void)
{
    CN_ASSERT(cn_impulse_kernels[0] == &cn_impulse_kernel_plain); /* which runs everywhere */
    const struct cn_impulse_kernel *best = &cn_impulse_kernel_plain;
    for (size_t i = 0; cn_impulse_kernels[i] != NULL; i++) {
        if (cn_impulse_kernel_runs(cn_impulse_kernels[i])) {
            CN_ASSERT(cn_impulse_kernels[i]->lanes >= best->lanes); /* best last */
            best = cn_impulse_kernels[i];
        }
    }
    return best;
}

const struct cn_impulse_kernel *
cn_impulse_kernel_find(const char *name)
{
    CN_ASSERT(name != NULL);
    for (size_t i = 0; cn_impulse_kernels[i] != NULL; i++) {
        if (strcmp(cn_impulse_kernels[i]->name, name) == 0) {
            return cn_impulse_kernel_runs(cn_impulse_kernels[i]) ? cn_impulse_kernels[i] : NULL;
        }
    }
    return NULL;
}

struct cn_impulse_soft
cn_impulse_soft_make(float hertz, float damping_ratio, float h)
{
    if (hertz == 0.0f) {
        return (struct cn_impulse_soft){0.0f, 1.0f, 0.0f};
    }
    float w = 2.0f * (float)CN_PI * hertz;
    float a1 = 2.0f * damping_ratio + h * w;
    float a2 = h * w * a1;
    float a3 = 1.0f / (1.0f + a2);
    return (struct cn_impulse_soft){w / a1, a2 * a3, a3};
}
