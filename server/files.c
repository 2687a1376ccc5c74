#include "server/files.h"

#include "server/base/limits.h"

#include <sys/resource.h>

int
sv_files_reserve(unsigned clients_max, struct sv_log *log)
{
    struct rlimit files;
    rlim_t wanted = (rlim_t)clients_max + SV_FILES_RESERVE + SV_CLIENTS_EXCESS;
    int connections_max = (int)clients_max;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return connections_max;
    }
    if (files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        if (setrlimit(RLIMIT_NOFILE, &files) != 0 || getrlimit(RLIMIT_NOFILE, &files) != 0) {
            return connections_max;
        }
    }
    if (files.rlim_cur < wanted) {
        rlim_t short_by = wanted - files.rlim_cur;
        bool is_any = short_by < (rlim_t)connections_max;
        connections_max = is_any ? connections_max - (int)short_by : 1;
        sv_log(log, SV_LOG_WARN,
            "this process may open %llu files: room for %d connections, not %u (ulimit -n)",
            (unsigned long long)files.rlim_cur, connections_max, clients_max);
    }
    return connections_max;
}
