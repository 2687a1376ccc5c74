/*
 * shim.c: intercepts calls of the C library, and makes one call fail.
 *
 * It is preloaded (LD_PRELOAD).  A *site* is the name of a call with the stack that led to it, if
 * a part of that stack is the program's own code.  Its number is the same in every run, at every
 * load address.  While the control file allows it, every call at a site is counted.  The n-th call
 * at the chosen site fails in the chosen way.
 *
 *     FAULTS_REPORT   file that is appended to: `site NUMBER NAME FRAME...` when a site is met for
 *                     the first time, `failed NUMBER NAME FRAME...` when a call is made to fail,
 *                     `count NUMBER CALLS` and `left NUMBER BLOCKS FRAME...` at the end
 *     FAULTS_CONTROL  file of two words in memory: not 0 while calls count; calls made to fail
 *     FAULTS_SITE     the chosen site; if it is not set, nothing fails
 *     FAULTS_CALL     which of its calls, 1 the first
 *     FAULTS_HOW      errno of the failure; -1: the call does only a part of its work
 *     FAULTS_BLOCKS   not empty: blocks that the program allocated itself and did not free are
 *                     reported at the end
 *     FAULTS_FILL     not empty: the first bytes of allocated and freed blocks are set to values
 *                     other than 0 (MALLOC_PERTURB_ sets whole blocks, so that a daemon's start
 *                     touches 80 MB)
 *
 * A frame is a file's name and an offset into it, for addr2line.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define DEPTH_MAX 40
#define MODULES_MAX 64
#define SITES_MAX (1U << 14)
#define BLOCKS_MAX (1U << 20)
#define EARLY_SIZE ((size_t)1 << 16)
#define LINE_SIZE 4096
#define PART (-1)
#define FILL_MAX 4096

struct module {
    uintptr_t start, end, base;
    const char *name;
};

struct site {
    uint64_t number; /* 0: free */
    uint64_t calls, blocks;
    int depth;
    void *frames[DEPTH_MAX];
};

struct control {
    uint32_t is_on, failed;
};

static struct module modules[MODULES_MAX];
static int module_count; /* the program is the first */
static int own_module;   /* this file's */
static struct site sites[SITES_MAX];
static struct {
    void *block;
    struct site *site;
} blocks[BLOCKS_MAX];
static struct control idle, *control = &idle;
static int report = -1, how;
static uint64_t chosen_site, chosen_call;
static bool counts_blocks, fills;
static char locked;
/*
 * Volatile, because signal handlers read it, and because dlsym calls us unexpectedly for the
 * compiler.
 */
static _Thread_local volatile int busy __attribute__((tls_model("initial-exec")));

/* If a signal handler calls us here, it finds its thread busy and does not wait for the lock. */
static void
lock(void)
{
    busy++;
    while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE)) {
        syscall(SYS_sched_yield);
    }
}

static void
unlock(void)
{
    __atomic_clear(&locked, __ATOMIC_RELEASE);
    busy--;
}

/* ---- where a call comes from ---- */

static int
add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD) {
            uintptr_t from = info->dlpi_addr + part->p_vaddr;
            start = from < start ? from : start;
            end = from + part->p_memsz > end ? from + part->p_memsz : end;
        }
    }
    if (module_count < MODULES_MAX) {
        const char *name = module_count == 0 ? "program" : info->dlpi_name;
        const char *slash = strrchr(name, '/');
        if (start <= (uintptr_t)add_module && (uintptr_t)add_module < end) {
            own_module = module_count;
        }
        modules[module_count++] = (struct module){
            start, end, info->dlpi_addr, slash != NULL ? slash + 1 : name};
    }
    return 0;
}

static int
find_module(const void *frame)
{
    uintptr_t address = (uintptr_t)frame;
    int i = 0;
    while (i < module_count && (address < modules[i].start || address >= modules[i].end)) {
        i++;
    }
    return i;
}

static uint64_t
mix(uint64_t number, uint64_t value)
{
    number = (number ^ value) * 0x9e3779b97f4a7c15U;
    return number ^ (number >> 29);
}

static void
tell(const char *what, const char *name, const struct site *site, uint64_t count)
{
    char line[LINE_SIZE];
    size_t used = (size_t)snprintf(line, sizeof(line), "%s %016llx ", what,
        (unsigned long long)site->number);
    if (name != NULL) {
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s", name);
    } else {
        used += (size_t)snprintf(
            line + used, sizeof(line) - used, "%llu", (unsigned long long)count);
    }
    for (int i = 0; i < site->depth && used + 128 < sizeof(line); i++) {
        int m = find_module(site->frames[i]);
        if (m < module_count) {
            used += (size_t)snprintf(line + used, sizeof(line) - used, " %.64s+0x%llx",
                modules[m].name,
                (unsigned long long)((uintptr_t)site->frames[i] - modules[m].base));
        }
    }
    line[used++] = '\n';
    (void)!syscall(SYS_write, report, line, used);
}

/* The site of the present call; NULL if the program is not in its stack, or without room. */
static struct site *
find_site(const char *name)
{
    void *all[DEPTH_MAX], *frames[DEPTH_MAX];
    int count = backtrace(all, DEPTH_MAX), depth = 0;
    uint64_t number = 0;
    bool is_ours = false;
    for (const char *c = name; *c != '\0'; c++) {
        number = mix(number, (unsigned char)*c);
    }
    for (int i = 0; i < count; i++) {
        int m = find_module(all[i]);
        if (m == own_module || m == module_count) {
            continue;
        }
        is_ours = is_ours || m == 0;
        frames[depth++] = all[i];
        number = mix(number, ((uint64_t)m << 48) ^ ((uintptr_t)all[i] - modules[m].base));
    }
    if (!is_ours) {
        return NULL;
    }
    number |= 1;
    uint32_t i = (uint32_t)(number >> 20) % SITES_MAX, tried = 0;
    while (sites[i].number != 0 && sites[i].number != number && tried++ < SITES_MAX / 2) {
        i = (i + 1) % SITES_MAX;
    }
    struct site *site = &sites[i];
    if (site->number != 0 && site->number != number) {
        return NULL;
    }
    if (site->number == 0) {
        site->number = number;
        site->depth = depth;
        memcpy(site->frames, frames, sizeof(frames[0]) * (size_t)depth);
    }
    return site;
}

/*
 * 0: the call is made; errno: it fails; PART.  *site_out is the site of an allocation by the
 * program itself, whose `caller` it is, when blocks are counted.
 */
static int
decide_from(const char *name, const void *caller, struct site **site_out)
{
    struct site *site = NULL;
    bool is_first = false, is_on = control->is_on != 0;
    bool is_kept = counts_blocks && caller != NULL && find_module(caller) == 0;
    int result = 0, saved = errno;
    if ((is_on || is_kept) && busy == 0) {
        busy = 1;
        lock();
        site = find_site(name);
        bool is_chosen = false;
        if (site != NULL && is_on) {
            site->calls++;
            is_first = site->calls == 1;
            is_chosen = site->calls == chosen_call && site->number == chosen_site;
        }
        unlock();
        if (is_first && chosen_site == 0) {
            tell("site", name, site, 0);
        }
        if (is_chosen) {
            tell("failed", name, site, 0);
            __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
            result = how;
        }
        busy = 0;
    }
    if (site_out != NULL) {
        *site_out = is_kept ? site : NULL;
    }
    errno = result > 0 ? result : saved;
    return result;
}

#define decide(name, site_out) decide_from(name, __builtin_return_address(0), site_out)

/* ---- blocks that are still in use at the end ---- */

static uint32_t
place_of(const void *block)
{
    return (uint32_t)(mix(1, (uintptr_t)block) >> 32) % BLOCKS_MAX;
}

static void
keep_block(void *block, struct site *site)
{
    if (block == NULL || site == NULL || !counts_blocks) {
        return;
    }
    lock();
    uint32_t i = place_of(block);
    while (blocks[i].block != NULL) {
        i = (i + 1) % BLOCKS_MAX;
    }
    blocks[i].block = block;
    blocks[i].site = site;
    site->blocks++;
    unlock();
}

static void
forget_block(const void *block)
{
    if (block == NULL || !counts_blocks) {
        return;
    }
    lock();
    uint32_t i = place_of(block);
    while (blocks[i].block != NULL && blocks[i].block != block) {
        i = (i + 1) % BLOCKS_MAX;
    }
    if (blocks[i].block != NULL) {
        blocks[i].site->blocks--;
        /* Later entries move up into the hole, so that a search still finds them. */
        uint32_t hole = i;
        for (;;) {
            i = (i + 1) % BLOCKS_MAX;
            if (blocks[i].block == NULL) {
                break;
            }
            uint32_t home = place_of(blocks[i].block);
            if ((i - home) % BLOCKS_MAX >= (i - hole) % BLOCKS_MAX) {
                blocks[hole] = blocks[i];
                hole = i;
            }
        }
        blocks[hole].block = NULL;
    }
    unlock();
}

/* ---- beginning and end ---- */

__attribute__((constructor)) static void
start(void)
{
    const char *path = getenv("FAULTS_REPORT"), *text;
    void *warm[4];
    busy = 1;
    backtrace(warm, 4); /* the first call loads the unwinder */
    dl_iterate_phdr(add_module, NULL);
    if (path != NULL) {
        report = (int)syscall(
            SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    how = (text = getenv("FAULTS_HOW")) != NULL ? atoi(text) : 0;
    chosen_site = (text = getenv("FAULTS_SITE")) != NULL ? strtoull(text, NULL, 16) : 0;
    chosen_call = (text = getenv("FAULTS_CALL")) != NULL ? strtoull(text, NULL, 10) : 0;
    counts_blocks = (text = getenv("FAULTS_BLOCKS")) != NULL && *text != '\0';
    if ((path = getenv("FAULTS_CONTROL")) != NULL) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
        long memory = syscall(
            SYS_mmap, NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (file >= 0 && memory > 0) {
            control = (struct control *)memory;
            syscall(SYS_close, file);
        }
    }
    fills = (text = getenv("FAULTS_FILL")) != NULL && *text != '\0';
    unsetenv("LD_PRELOAD"); /* programs started by this one run without the shim */
    busy = 0;
}

__attribute__((destructor)) static void
end(void)
{
    busy = 1;
    for (uint32_t i = 0; i < SITES_MAX && report >= 0; i++) {
        if (sites[i].number != 0) {
            struct site brief = sites[i];
            brief.depth = 0;
            tell("count", NULL, &brief, sites[i].calls);
            if (sites[i].blocks > 0) {
                tell("left", NULL, &sites[i], sites[i].blocks);
            }
        }
    }
}

/* ---- memory ---- */

static _Alignas(16) char early[EARLY_SIZE]; /* for allocations by dlsym itself */
static size_t early_used;

static bool
is_early(const void *block)
{
    return (const char *)block >= early && (const char *)block < early + EARLY_SIZE;
}

static void *
take_early(size_t size)
{
    size = (size + 31) / 16 * 16;
    char *block = early_used + size <= EARLY_SIZE ? early + early_used + 16 : NULL;
    early_used += size + 16;
    return block;
}

static void *
real(void **found, const char *name)
{
    if (*found == NULL) {
        busy++;
        *found = dlsym(RTLD_NEXT, name);
        busy--;
        if (*found == NULL) {
            abort();
        }
    }
    return *found;
}

#define REAL(type, name) ((type)real(&real_##name, #name))
static void *real_malloc, *real_calloc, *real_realloc, *real_free, *real_posix_memalign,
    *real_aligned_alloc;

static void
fill(void *block)
{
    if (fills && block != NULL) {
        size_t size = malloc_usable_size(block);
        memset(block, 0xa5, size < FILL_MAX ? size : FILL_MAX);
    }
}

void *
malloc(size_t size)
{
    struct site *site;
    if (real_malloc == NULL && busy != 0) {
        return take_early(size);
    }
    if (decide("malloc", &site) != 0) {
        return NULL;
    }
    void *block = REAL(void *(*)(size_t), malloc)(size);
    fill(block);
    keep_block(block, site);
    return block;
}

void *
calloc(size_t count, size_t size)
{
    struct site *site;
    if (real_calloc == NULL && busy != 0) {
        return take_early(count * size);
    }
    if (decide("calloc", &site) != 0) {
        return NULL;
    }
    void *block = REAL(void *(*)(size_t, size_t), calloc)(count, size);
    keep_block(block, site);
    return block;
}

void *
realloc(void *old, size_t size)
{
    struct site *site;
    if (is_early(old)) {
        void *moved = malloc(size);
        size_t most = (size_t)(early + EARLY_SIZE - (char *)old);
        return moved != NULL ? memcpy(moved, old, size < most ? size : most) : NULL;
    }
    if (decide("realloc", &site) != 0) {
        return NULL;
    }
    forget_block(old);
    void *block = REAL(void *(*)(void *, size_t), realloc)(old, size);
    keep_block(block, site);
    return block;
}

void
free(void *block)
{
    /* While dlsym looks for free itself, blocks that it frees stay allocated. */
    if (!is_early(block) && (real_free != NULL || busy == 0)) {
        forget_block(block);
        fill(block);
        REAL(void (*)(void *), free)(block);
    }
}

int
posix_memalign(void **out, size_t alignment, size_t size)
{
    struct site *site;
    if (decide("posix_memalign", &site) != 0) {
        return ENOMEM;
    }
    int result = REAL(int (*)(void **, size_t, size_t), posix_memalign)(out, alignment, size);
    fill(result == 0 ? *out : NULL);
    keep_block(result == 0 ? *out : NULL, site);
    return result;
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    struct site *site;
    if (decide("aligned_alloc", &site) != 0) {
        return NULL;
    }
    void *block = REAL(void *(*)(size_t, size_t), aligned_alloc)(alignment, size);
    fill(block);
    keep_block(block, site);
    return block;
}

/* ---- the system ---- */

/*
 * CALL wraps a call that succeeds or fails as a whole.  CALL_IN_PARTS wraps one that can do a part
 * of `size`.
 */
#define CALL(type, bad, name, parameters, arguments)                                               \
    type name parameters;                                                                          \
    type name parameters                                                                           \
    {                                                                                              \
        static void *real_##name;                                                                  \
        if (decide(#name, NULL) != 0) {                                                            \
            return bad;                                                                            \
        }                                                                                          \
        return REAL(type(*) parameters, name) arguments;                                           \
    }

#define CALL_IN_PARTS(type, name, parameters, size, arguments)                                     \
    type name parameters;                                                                          \
    type name parameters                                                                           \
    {                                                                                              \
        static void *real_##name;                                                                  \
        int result = decide(#name, NULL);                                                          \
        if (result > 0) {                                                                          \
            return -1;                                                                             \
        }                                                                                          \
        if (result == PART && size > 1) {                                                          \
            size /= 2;                                                                            \
        }                                                                                          \
        return REAL(type(*) parameters, name) arguments;                                           \
    }

/* Calls that end in an optional argument. */
#define CALL_OPEN(name, parameters, last, arguments)                                               \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        static void *real_##name;                                                                  \
        va_list rest;                                                                              \
        va_start(rest, last);                                                                      \
        unsigned long more = va_arg(rest, unsigned long);                                          \
        va_end(rest);                                                                              \
        if (decide(#name, NULL) != 0) {                                                            \
            return -1;                                                                             \
        }                                                                                          \
        return REAL(int(*) parameters, name) arguments;                                            \
    }

#include "tests/faults/calls.h"
