/*
 * kernel_bits.c: for each kernel that runs here, a hash of what it makes of random problems.
 *
 * usage: kernel_bits [PROBLEMS [KERNEL]]
 *
 * KERNEL is run even if the processor seems not to have it: where it is emulated.
 */
#include "engine/base/hash.h"
#include "tests/support/solve/impulse_random.h"

#include <stdio.h>

static uint64_t
hash_of(const struct cn_impulse_kernel *kernel, int problems)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    for (int i = 0; i < 2 * problems; i++) {
        bool spatial = i % 2 == 1;
        struct impulse_run run;
        random_problem(&run, (uint64_t)i, spatial);
        play(&run, kernel);
        size_t n = (size_t)run.body_count, m = (size_t)run.contact_count;
        cn_hash_bytes(&hash, run.body, n * (spatial ? 64 : 32));
        cn_hash_bytes(&hash, run.manifold,
            m * (spatial ? sizeof(struct cn_manifold3) : sizeof(struct cn_manifold2)));
        impulse_run_free(&run);
    }
    return hash.state;
}

int
main(int argc, char **argv)
{
    int problems = argc > 1 ? atoi(argv[1]) : 200;
    printf("%016llx single\n",
        (unsigned long long)hash_of(&cn_impulse_kernel_single, problems));
    for (size_t i = 0; cn_impulse_kernels[i] != NULL; i++) {
        if (cn_impulse_kernel_runs(cn_impulse_kernels[i]) ||
            (argc > 2 && strcmp(argv[2], cn_impulse_kernels[i]->name) == 0)) {
            printf("%016llx %s\n",
                (unsigned long long)hash_of(cn_impulse_kernels[i], problems),
                cn_impulse_kernels[i]->name);
        }
    }
    return 0;
}
