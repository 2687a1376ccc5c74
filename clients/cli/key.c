/* key.c: `cairn key`. */
#include "clients/cli/cli.h"

#include "access/key.h"
#include "engine/base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 1024

/* Makes a new file with the text.  A file that could not be written completely is removed. */
static enum cli_exit
write_new(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) {
        cli_complain("%s: %s", path, strerror(errno));
        return errno == EEXIST ? CLI_BAD : CLI_COULD_NOT;
    }
    size_t size = strlen(text);
    bool is_written = write(fd, text, size) == (ssize_t)size && fsync(fd) == 0;
    int reason = errno;
    is_written = close(fd) == 0 && is_written;
    if (!is_written) {
        cli_complain("%s: %s", path, strerror(reason));
        unlink(path);
        return CLI_COULD_NOT;
    }
    return CLI_DONE;
}

static enum cli_exit
write_pair(const struct ac_private_key *key, const char *path, const char *public_path)
{
    char text[AC_KEY_FILE_SIZE_MAX];
    struct ac_public_key public_key;
    memcpy(public_key.kid, key->kid, sizeof(public_key.kid));
    memcpy(public_key.public_key, key->public_key, sizeof(public_key.public_key));
    bool is_good = ac_public_key_write(&public_key, text, sizeof(text));
    enum cli_exit result = is_good ? write_new(public_path, text, 0644) : CLI_COULD_NOT;
    if (result != CLI_DONE) {
        return result;
    }
    is_good = ac_private_key_write(key, text, sizeof(text));
    result = is_good ? write_new(path, text, 0600) : CLI_COULD_NOT;
    ac_wipe(text, sizeof(text));
    if (result != CLI_DONE) {
        unlink(public_path);
    }
    return result;
}

enum cli_exit
cli_key(const struct cli_call *call)
{
    const char *path = call->operands[0];
    char public_path[PATH_SIZE];
    if ((size_t)snprintf(public_path, sizeof(public_path), "%s.pub", path) >= PATH_SIZE) {
        cli_complain("%s is too long a path", cn_quote(path).text);
        return CLI_BAD;
    }
    struct ac_private_key *key = ac_init() ? ac_private_key_create() : NULL;
    if (key == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    enum cli_exit result = write_pair(key, path, public_path);
    if (result == CLI_DONE) {
        printf("kid          %s\n"
               "private key  %s   signs tokens: cairn token --key %s\n"
               "public key   %s   tells good ones: cairnd --token-key %s\n",
            key->kid, path, path, public_path, public_path);
    }
    ac_private_key_destroy(key);
    return result;
}
