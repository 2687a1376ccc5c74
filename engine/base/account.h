/*
 * account.h: a memory account: how many bytes its owner may use, and how many it uses.
 *
 * Each world has an account, and one account of the process contains all of these.  A taken size
 * counts against both.  Nothing here allocates memory: the caller takes the size from the account
 * before it allocates, and gives the size back after it frees.
 *
 * Threads: every function may be called from any thread at any time.
 */
#ifndef ENGINE_BASE_ACCOUNT_H
#define ENGINE_BASE_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct cn_account {
    _Atomic size_t used; /* bytes */
    size_t max;
    struct cn_account *whole; /* the account that contains this one; NULL: no account does */
};

static inline void
cn_account_give(struct cn_account *account, size_t size)
{
    for (; account != NULL; account = account->whole) {
        atomic_fetch_sub_explicit(&account->used, size, memory_order_relaxed);
    }
}

/*
 * Takes `size` from the account and from those that contain it.  Returns false, and takes nothing,
 * if one of them has less left.
 */
static inline bool
cn_account_take(struct cn_account *account, size_t size)
{
    for (struct cn_account *a = account; a != NULL; a = a->whole) {
        size_t before = atomic_fetch_add_explicit(&a->used, size, memory_order_relaxed);
        if (before > a->max || size > a->max - before) {
            atomic_fetch_sub_explicit(&a->used, size, memory_order_relaxed);
            for (struct cn_account *b = account; b != a; b = b->whole) {
                atomic_fetch_sub_explicit(&b->used, size, memory_order_relaxed);
            }
            return false;
        }
    }
    return true;
}

/* Bytes that may still be taken: the least of the account and those that contain it. */
static inline size_t
cn_account_left(const struct cn_account *account)
{
    size_t left = (size_t)-1;
    for (; account != NULL; account = account->whole) {
        size_t used = atomic_load_explicit(&account->used, memory_order_relaxed);
        size_t here = used < account->max ? account->max - used : 0;
        left = here < left ? here : left;
    }
    return left;
}

#endif
