/* replay.c: `cairn replay`: the samples of a recording, in the format of `cairn run`. */
#include "clients/cli/csv.h"
#include "clients/cli/recording/retell.h"

#include "engine/base/name.h"

#include <errno.h>
#include <string.h>

struct replay {
    FILE *out;
    bool is_csv, has_header;
    struct wire_json json;
};

static bool
show_moment(void *context, const struct cli_moment *moment)
{
    struct replay *replay = context;
    if (replay->is_csv) {
        if (!replay->has_header) {
            cli_csv_sample_header(replay->out, moment->world);
            replay->has_header = true;
        }
        cli_csv_sample(replay->out, moment->scene, moment->world);
    } else {
        wire_json_clear(&replay->json);
        cli_sample_json(&replay->json, moment->scene, moment->world, moment->events);
        if (replay->json.failed) {
            cli_complain("no memory for a sample");
            return false;
        }
        fwrite(replay->json.data, 1, replay->json.size, replay->out);
        fputc('\n', replay->out);
    }
    if (ferror(replay->out)) {
        cli_complain("can not write: %s", strerror(errno));
        return false;
    }
    return true;
}

enum cli_exit
cli_replay(const struct cli_call *call)
{
    struct replay replay = {.out = stdout};
    const char *path = call->replay_out, *format = call->replay_format;
    bool is_file = path != NULL && strcmp(path, "-") != 0;
    replay.is_csv = format != NULL && strcmp(format, "csv") == 0;
    if (format != NULL && !replay.is_csv && strcmp(format, "json") != 0) {
        cli_complain("--format is %s; json or csv is accepted", cn_quote(format).text);
        return CLI_BAD;
    }
    if (call->replay_every == 0) {
        cli_complain("--sample-every is 0; 1 or more is accepted");
        return CLI_BAD;
    }
    if (is_file && (replay.out = fopen(path, "w")) == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        return CLI_COULD_NOT;
    }
    const struct cli_retelling how = {.path = call->operands[0],
        .from = call->replay_from,
        .to = call->replay_to,
        .every = call->replay_every,
        .show = show_moment,
        .context = &replay};
    wire_json_init(&replay.json, false);
    enum cli_exit result = cli_retell(&how);
    wire_json_finish(&replay.json);
    if (is_file && fclose(replay.out) != 0 && result == CLI_DONE) {
        cli_complain("can not write %s: %s", cn_quote(path).text, strerror(errno));
        result = CLI_COULD_NOT;
    }
    return result;
}
