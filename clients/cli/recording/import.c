/* import.c: `cairn import`: a recording as a world of a daemon. */
#include "clients/cli/ask.h"
#include "clients/cli/recording/past.h"

#include "engine/base/name.h"
#include "server/admin/recording.h"

#include <stdlib.h>

enum cli_exit
cli_import(const struct cli_call *call)
{
    char path[WIRE_NAME_SIZE + 64];
    struct cli_remote remote;
    struct cli_recording file;
    unsigned char *answer = NULL;
    size_t size;
    if (call->import_as == NULL || !wire_name_is_id(call->import_as)) {
        cli_complain("--as gives the world's id: 1 to 63 letters, digits, '-', '_' and '.', not "
                     "'.' first");
        return CLI_BAD;
    }
    enum cli_exit result =
        cli_remote_init(&remote, call->import_server, NULL, call->import_token);
    if (result != CLI_DONE) {
        return result;
    }
    result = cli_recording_open(&file, call->operands[0]);
    if (result == CLI_DONE) {
        snprintf(path, sizeof(path), "/v1/worlds/%s/recording", call->import_as);
        const struct cli_request request = {.method = "POST",
            .path = path,
            .type = SV_RECORDING_TYPE,
            .body = file.bytes,
            .size = file.size};
        result = cli_ask(&remote, &request, &answer, &size);
    }
    if (result == CLI_DONE) {
        printf("%s\n", (const char *)answer);
    }
    free(answer);
    cli_recording_close(&file);
    return result;
}
