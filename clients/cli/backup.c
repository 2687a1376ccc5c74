/* backup.c: `cairn backup`: a copy of a data folder, also of a daemon that runs. */
#include "clients/base/progress.h"
#include "clients/cli/recording/past.h"
#include "server/store/check/backup.h"

#include <inttypes.h>

#define MIB (UINT64_C(1) << 20)
#define RATE_MAX (UINT64_C(1) << 20) /* MiB a second */

static void
show_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    struct cli_progress *progress = context;
    progress->total = total_bytes;
    cli_progress_show(progress, done_bytes);
}

static void
tell_find(void *context, const struct sv_find *find)
{
    cli_progress_finish(context);
    cli_complain("damaged: %s", find->fault->text);
}

/* The exit code for a fault of a folder. */
static enum cli_exit
exit_of(const struct sv_fault *fault)
{
    bool is_usage = fault->kind == SV_FAULT_BUSY || fault->kind == SV_FAULT_MISSING;
    return is_usage ? CLI_BAD : CLI_COULD_NOT;
}

enum cli_exit
cli_backup(const struct cli_call *call)
{
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct cli_progress progress;
    struct sv_backup backup = {.from = call->operands[0],
        .to = call->operands[1],
        .disk = sv_disk_real(&disk),
        .clock = sv_clock_real(),
        .rate_bytes = call->backup_rate * MIB,
        .progress = show_progress,
        .tell = tell_find,
        .context = &progress};
    if (call->backup_rate > RATE_MAX) {
        cli_complain("--rate %" PRIu64 ": accepted is 0 to %" PRIu64 " MiB a second",
            call->backup_rate, RATE_MAX);
        return CLI_BAD;
    }
    cli_progress_init(&progress, 0);
    bool is_made = sv_backup_make(&backup, &fault);
    cli_progress_finish(&progress);
    if (!is_made) {
        cli_complain("%s", fault.text);
        return exit_of(&fault);
    }
    printf("%s: %d %s, %d %s, up to commit %" PRIu64 ", %.1f MB: %s\n", backup.to,
        backup.world_count, backup.world_count == 1 ? "world" : "worlds",
        backup.checkpoint_count, backup.checkpoint_count == 1 ? "checkpoint" : "checkpoints",
        backup.commit, 0.5e-6 * (double)backup.done_bytes,
        backup.find_count == 0 ? "compared, and good" : "it is damaged as the folder is");
    enum cli_exit result = backup.find_count == 0 ? CLI_DONE : CLI_NO;
    if (call->backup_verify) {
        enum cli_exit verified = cli_folder_verify(backup.to, NULL, NULL);
        result = verified > result ? verified : result;
    }
    return result;
}
