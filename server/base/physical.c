#include "server/base/physical.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 1024

static uint64_t
least_of(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Reads a file with one number; 0 if it has another content, such as "max". */
static uint64_t
read_number(const char *folder, const char *name)
{
    char path[2 * PATH_SIZE + 32];
    uint64_t value = 0;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        value = fscanf(file, "%" SCNu64, &value) == 1 ? value : 0;
        (void)fclose(file);
    }
    return value;
}

/* Reads the path of this process's control group, such as "/a/b"; empty if it has none. */
static void
read_group(const char *self, char group[PATH_SIZE])
{
    char line[PATH_SIZE];
    FILE *file = fopen(self, "re");
    group[0] = '\0';
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "0::/", 4) == 0) { /* version 2 */
            line[strcspn(line, "\n")] = '\0';
            snprintf(group, PATH_SIZE, "%s", line + 3);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

uint64_t
sv_physical_memory_of(const char *root, const char *self)
{
    char group[PATH_SIZE], folder[2 * PATH_SIZE];
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : 0;
    read_group(self, group);
    for (;;) { /* the own group, and the groups around it */
        snprintf(folder, sizeof(folder), "%.900s%.900s", root, group);
        memory = least_of(memory, read_number(folder, "memory.max"));
        memory = least_of(memory, read_number(folder, "memory.high"));
        char *last = strrchr(group, '/');
        if (last == NULL) {
            return memory;
        }
        *last = '\0';
    }
}

uint64_t
sv_physical_memory(void)
{
    return sv_physical_memory_of("/sys/fs/cgroup", "/proc/self/cgroup");
}
