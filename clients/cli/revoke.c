/* revoke.c: `cairn revoke`. */
#include "clients/cli/cli.h"

#include "access/token.h"
#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the claims of a token in a file, without verification: its owner may revoke the token. */
static enum cli_exit
read_token(const char *path, struct ac_claims *claims)
{
    char text[AC_TOKEN_SIZE_MAX + 64], kid[AC_ID_SIZE];
    const char *claim;
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "r");
    if (file == NULL) {
        cli_complain("%s: %s", path, strerror(errno));
        return CLI_COULD_NOT;
    }
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    if (!is_input) {
        fclose(file);
    }
    text[size] = '\0';
    enum ac_reason reason =
        ac_token_read(text, strcspn(text, "\r\n"), claims, kid, &claim);
    ac_wipe(text, sizeof(text));
    if (reason != AC_REASON_GOOD) {
        cli_complain("%s: the token %s%s%s", path, ac_reason_text(reason),
            claim != NULL ? ": " : "", claim != NULL ? claim : "");
        return CLI_BAD;
    }
    return CLI_DONE;
}

/* Makes the line of the file.  The daemon's own reader checks it, so the daemon will accept it. */
static enum cli_exit
make_line(const struct cli_call *call, char line[AC_REVOKED_LINE_SIZE])
{
    struct ac_claims claims;
    char error[AC_REVOKED_ERROR_SIZE];
    int given = (call->revoke_id != NULL) + (call->revoke_token != NULL) +
        (call->revoke_for != NULL);
    int size = -1;
    if (given != 1) {
        cli_complain("give one of --id, --token-file and --for");
        return CLI_BAD;
    }
    if (call->revoke_token != NULL) {
        enum cli_exit result = read_token(call->revoke_token, &claims);
        if (result != CLI_DONE) {
            return result;
        }
        size = snprintf(line, AC_REVOKED_LINE_SIZE, "jti %s until %" PRId64 "\n", claims.id,
            claims.expires_s + 1);
    } else if (call->revoke_id != NULL) {
        size = snprintf(line, AC_REVOKED_LINE_SIZE, "jti %s\n", call->revoke_id);
    } else {
        size = snprintf(line, AC_REVOKED_LINE_SIZE, "sub %s\n", call->revoke_for);
    }
    CN_ASSERT(size > 0);
    struct ac_revoked *read = size < AC_REVOKED_LINE_SIZE
        ? ac_revoked_read(line, (size_t)size, error)
        : NULL;
    bool is_one = read != NULL && ac_revoked_count(read) == 1 &&
        strchr(line, '\n') == line + size - 1;
    ac_revoked_destroy(read);
    if (!is_one) {
        cli_complain("--%s can not be used; accepted is %s",
            call->revoke_for != NULL ? "for" : "id",
            call->revoke_for != NULL ? "1 to 64 bytes of text"
                                     : "1 to 64 letters, digits, '-', '_' and '.'");
        return CLI_BAD;
    }
    return CLI_DONE;
}

/* Adds the line in one write.  If the last line has no line break, it adds that first. */
static enum cli_exit
add_line(const char *path, const char *line)
{
    char text[AC_REVOKED_LINE_SIZE + 1], last = '\n';
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
        cli_complain("%s: %s", path, strerror(errno));
        return CLI_COULD_NOT;
    }
    off_t end = lseek(fd, 0, SEEK_END);
    if (end > 0 && pread(fd, &last, 1, end - 1) != 1) {
        last = '\n';
    }
    int size = snprintf(text, sizeof(text), "%s%s", last == '\n' ? "" : "\n", line);
    CN_ASSERT(size > 0 && (size_t)size < sizeof(text)); /* make_line's line and a break */
    bool is_written = write(fd, text, (size_t)size) == size && fsync(fd) == 0;
    int reason = errno;
    is_written = close(fd) == 0 && is_written;
    if (!is_written) {
        cli_complain("%s: %s", path, strerror(reason));
        return CLI_COULD_NOT;
    }
    return CLI_DONE;
}

enum cli_exit
cli_revoke(const struct cli_call *call)
{
    char line[AC_REVOKED_LINE_SIZE];
    enum cli_exit result = make_line(call, line);
    if (result == CLI_DONE) {
        result = add_line(call->operands[0], line);
    }
    if (result == CLI_DONE) {
        printf("%sSIGHUP tells a daemon that runs with --token-revoked %s\n", line,
            call->operands[0]);
    }
    return result;
}
