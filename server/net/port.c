#include "server/net/port.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTENING 0x0a
#define LINE_SIZE 512

/*
 * The inode of the socket that listens on the port, from a table of the kernel; 0: no such socket.
 */
static unsigned long
listening_socket(const char *table, int port)
{
    char line[LINE_SIZE];
    unsigned long found = 0;
    FILE *file = fopen(table, "r");
    while (file != NULL && found == 0 && fgets(line, sizeof(line), file) != NULL) {
        unsigned state, local;
        unsigned long inode;
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*d %*d %lu",
                &local, &state, &inode) == 3 &&
            state == LISTENING && local == (unsigned)port) {
            found = inode;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

/* Whether a process has that socket open. */
static bool
has_socket(const char *process, unsigned long inode)
{
    char folder[64], wanted[64], path[128], link[64];
    snprintf(folder, sizeof(folder), "/proc/%.20s/fd", process);
    snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);
    DIR *files = opendir(folder);
    bool is_found = false;
    const struct dirent *file;
    while (files != NULL && !is_found && (file = readdir(files)) != NULL) {
        snprintf(path, sizeof(path), "%s/%.20s", folder, file->d_name);
        ssize_t size = readlink(path, link, sizeof(link) - 1);
        is_found = size > 0 && (size_t)size == strlen(wanted) &&
            memcmp(link, wanted, (size_t)size) == 0;
    }
    if (files != NULL) {
        closedir(files);
    }
    return is_found;
}

long
sv_port_holder(int port)
{
    unsigned long inode = listening_socket("/proc/net/tcp", port);
    if (inode == 0) {
        inode = listening_socket("/proc/net/tcp6", port);
    }
    DIR *processes = inode != 0 ? opendir("/proc") : NULL;
    long holder = 0;
    const struct dirent *entry;
    while (processes != NULL && holder == 0 && (entry = readdir(processes)) != NULL) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
            has_socket(entry->d_name, inode)) {
            holder = strtol(entry->d_name, NULL, 10);
        }
    }
    if (processes != NULL) {
        closedir(processes);
    }
    return holder;
}

static int
bind_to(const char *address, int port)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    bool is_v6 = inet_pton(AF_INET6, address, &v6.sin6_addr) == 1;
    if (!is_v6 && inet_pton(AF_INET, address, &v4.sin_addr) != 1) {
        return EINVAL;
    }
    int one = 1, result = 0;
    int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (is_v6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
        result = bind(fd, (const struct sockaddr *)&v6, sizeof(v6));
    } else {
        result = bind(fd, (const struct sockaddr *)&v4, sizeof(v4));
    }
    int reason = result == 0 && listen(fd, 1) == 0 ? 0 : errno;
    close(fd);
    return reason;
}

bool
sv_port_check(const char *address, int port, char *error, size_t error_size)
{
    int reason = bind_to(address, port);
    switch (reason) {
    case 0:
        return true;
    case EADDRINUSE: {
        long holder = sv_port_holder(port);
        if (holder != 0) {
            snprintf(error, error_size, "is in use by the process with id %ld", holder);
        } else {
            snprintf(error, error_size, "is in use by another process");
        }
        return false;
    }
    case EADDRNOTAVAIL:
        snprintf(error, error_size, "is not an address of this machine");
        return false;
    case EINVAL:
        snprintf(error, error_size, "the address has to be numeric");
        return false;
    default:
        snprintf(error, error_size, "can not be listened on: %s", strerror(reason));
        return false;
    }
}
