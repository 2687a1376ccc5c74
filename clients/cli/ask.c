#include "clients/cli/ask.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <errno.h>
#include <jansson.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE_S 120 /* the daemon replays minutes of a recording before it has the world */
#define HEAD_SIZE 1024
#define ANSWER_SIZE_MAX ((size_t)256 * 1024 * 1024)

static int
connect_to(const struct cnc_address *address)
{
    char port[16];
    struct addrinfo *list = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    int file = -1;
    snprintf(port, sizeof(port), "%d", address->port);
    if (getaddrinfo(address->host, port, &hints, &list) != 0) {
        return -1;
    }
    for (const struct addrinfo *at = list; at != NULL && file < 0; at = at->ai_next) {
        file = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (file >= 0 && connect(file, at->ai_addr, at->ai_addrlen) != 0) {
            close(file);
            file = -1;
        }
    }
    freeaddrinfo(list);
    if (file >= 0) {
        (void)setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        (void)setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    }
    return file;
}

static bool
send_all(int file, const void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t sent = send(file, (const char *)bytes + at, size - at, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += (size_t)sent;
    }
    return true;
}

static bool
send_request(int file, const struct cli_remote *remote, const struct cli_request *request)
{
    char head[HEAD_SIZE + CNC_TOKEN_SIZE], where[CNC_HOST_SIZE + 16];
    cnc_address_print(&remote->address, where, sizeof(where));
    int size = snprintf(head, sizeof(head),
        "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %zu\r\n"
        "%s%s%s%s%s%s\r\n",
        request->method, request->path, where, request->size,
        request->type != NULL ? "Content-Type: " : "",
        request->type != NULL ? request->type : "", request->type != NULL ? "\r\n" : "",
        remote->token != NULL ? "Authorization: Bearer " : "",
        remote->token != NULL ? remote->token : "", remote->token != NULL ? "\r\n" : "");
    return size > 0 && (size_t)size < sizeof(head) && send_all(file, head, (size_t)size) &&
        send_all(file, request->body, request->size);
}

/* Receives all bytes until the daemon closes; heap memory, with a NUL at the end. */
static unsigned char *
receive_all(int file, size_t *size)
{
    unsigned char *bytes = NULL;
    size_t capacity = 0;
    *size = 0;
    for (;;) {
        if (capacity - *size < 2) {
            capacity = 2 * capacity + 65536;
            unsigned char *larger =
                capacity <= ANSWER_SIZE_MAX ? realloc(bytes, capacity) : NULL;
            if (larger == NULL) {
                free(bytes);
                return NULL;
            }
            bytes = larger;
        }
        ssize_t got = recv(file, bytes + *size, capacity - *size - 1, 0);
        if (got <= 0) {
            break;
        }
        *size += (size_t)got;
    }
    CN_ASSERT(*size < capacity);
    bytes[*size] = '\0';
    return bytes;
}

/* Splits head and body; the body has the length that the head gives. */
static bool
split_response(
    unsigned char *bytes, size_t size, int *status, unsigned char **body, size_t *body_size)
{
    unsigned char *end = memmem(bytes, size, "\r\n\r\n", 4);
    if (end == NULL || sscanf((const char *)bytes, "HTTP/1.1 %d ", status) != 1) {
        return false;
    }
    *end = '\0';
    *body = end + 4;
    *body_size = size - (size_t)(end + 4 - bytes);
    const char *length = strcasestr((const char *)bytes, "\r\ncontent-length:");
    if (length == NULL) {
        return *status == 204 && *body_size == 0;
    }
    return strtoull(length + 17, NULL, 10) == *body_size;
}

/* Prints the refusal; if the body is an Error, with its text. */
static void
complain_of(const char *where, int status, const unsigned char *body, size_t size)
{
    json_t *said = json_loadb((const char *)body, size, 0, NULL);
    const char *text = json_string_value(json_object_get(said, "text"));
    const char *path = json_string_value(json_object_get(said, "path"));
    const char *code = json_string_value(json_object_get(said, "code"));
    if (text != NULL && path != NULL && code != NULL) {
        cli_complain(
            "%s refuses: %s%s%s (%s)", where, path, path[0] != '\0' ? " " : "", text, code);
    } else {
        cli_complain("%s says %d: %.*s", where, status, (int)(size < 1024 ? size : 1024),
            (const char *)body);
    }
    json_decref(said);
}

static enum cli_exit
take_answer(unsigned char *bytes, size_t size, const char *where, unsigned char **body_give,
    size_t *body_size)
{
    int status = 0;
    unsigned char *body;
    if (bytes == NULL || !split_response(bytes, size, &status, &body, body_size)) {
        cli_complain("%s gives no whole answer", where);
        return CLI_COULD_NOT;
    }
    if (status != 200 && status != 201 && status != 204) {
        complain_of(where, status, body, *body_size);
        return status >= 500 ? CLI_COULD_NOT : CLI_BAD;
    }
    *body_give = malloc(*body_size + 1);
    if (*body_give == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    memcpy(*body_give, body, *body_size);
    (*body_give)[*body_size] = '\0';
    return CLI_DONE;
}

enum cli_exit
cli_ask(const struct cli_remote *remote, const struct cli_request *request,
    unsigned char **body_give, size_t *size)
{
    char where[CNC_HOST_SIZE + 16];
    size_t all_size = 0;
    unsigned char *bytes = NULL;
    cnc_address_print(&remote->address, where, sizeof(where));
    if (remote->address.is_tls) {
        cli_complain("an operator's requests go to the daemon's own machine, without TLS: name "
                     "its --admin-listen");
        return CLI_BAD;
    }
    int file = connect_to(&remote->address);
    if (file < 0) {
        cli_complain("can not connect to %s: %s", where, strerror(errno));
        return CLI_COULD_NOT;
    }
    /* A request that is refused early is answered before all of it has been sent. */
    bool is_sent = send_request(file, remote, request);
    bytes = receive_all(file, &all_size);
    close(file);
    enum cli_exit result = CLI_COULD_NOT;
    if (!is_sent && all_size == 0) {
        cli_complain("%s takes no request", where);
    } else {
        result = take_answer(bytes, all_size, where, body_give, size);
    }
    free(bytes);
    return result;
}
