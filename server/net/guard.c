#include "server/net/guard.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BLOCK_COUNT_MAX 8 /* the longest block is 2^7 times the first: 21 hours */
#define MINUTE_NS (60 * SV_NS_PER_S)

struct sv_network
sv_network_of(const struct sockaddr *address, bool is_loopback_counted)
{
    struct sv_network network = {{0}};
    uint8_t v6[16], v4[4];
    bool is_v4 = address->sa_family == AF_INET;
    if (address->sa_family == AF_INET6) {
        memcpy(v6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, sizeof(v6));
        is_v4 = IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)v6);
        memcpy(v4, v6 + 12, sizeof(v4));
    } else if (is_v4) {
        memcpy(v4, &((const struct sockaddr_in *)(const void *)address)->sin_addr, sizeof(v4));
    } else {
        return network;
    }
    static const uint8_t one[16] = {[15] = 1};
    bool is_loopback = is_v4 ? v4[0] == 127 : memcmp(v6, one, sizeof(one)) == 0;
    if (is_loopback && !is_loopback_counted) {
        return network;
    }
    network.bytes[0] = is_v4 ? 4 : 6;
    memcpy(network.bytes + 1, is_v4 ? v4 : v6, is_v4 ? 4 : 8);
    return network;
}

struct sv_network
sv_network_of_name(const char *name)
{
    struct sv_network network = {{'n'}};
    uint8_t hash[crypto_generichash_BYTES_MIN];
    crypto_generichash(
        hash, sizeof(hash), (const unsigned char *)name, strlen(name), NULL, 0);
    memcpy(network.bytes + 1, hash, sizeof(network.bytes) - 1);
    return network;
}

void
sv_network_print(const struct sv_network *network, char out[SV_NETWORK_TEXT_SIZE])
{
    uint8_t address[16] = {0};
    char text[INET6_ADDRSTRLEN] = "";
    memcpy(address, network->bytes + 1, sizeof(network->bytes) - 1);
    switch (network->bytes[0]) {
    case 4:
        inet_ntop(AF_INET, address, text, sizeof(text));
        snprintf(out, SV_NETWORK_TEXT_SIZE, "%s", text);
        return;
    case 6:
        inet_ntop(AF_INET6, address, text, sizeof(text));
        snprintf(out, SV_NETWORK_TEXT_SIZE, "%s/64", text);
        return;
    case 'n':
        strcpy(out, "of a name that its proxy gives");
        return;
    default:
        out[0] = '\0';
    }
}

struct sv_guard_limits
sv_guard_limits_make(unsigned connections, unsigned rate, unsigned process_rate,
    unsigned failures, bool is_loopback_counted)
{
    return (struct sv_guard_limits){
        .connections = connections,
        .rate = rate,
        .burst = rate * SV_ADDRESS_BURST_S,
        .process_rate = process_rate,
        .process_burst = process_rate * SV_ACCEPT_BURST_S,
        .failures = failures,
        .failure_burst = failures * SV_ADDRESS_FAILURE_BURST_MIN,
        .is_loopback_counted = is_loopback_counted,
    };
}

bool
sv_guard_init(struct sv_guard *guard, const struct sv_guard_limits *limits,
    uint32_t entry_count, const struct sv_random *random)
{
    CN_ASSERT(entry_count > 0 && (entry_count & (entry_count - 1)) == 0);
    memset(guard, 0, sizeof(*guard));
    guard->limits = *limits;
    guard->entry_count = entry_count;
    guard->entries = calloc(entry_count, sizeof(guard->entries[0]));
    return guard->entries != NULL && sv_random_fill(random, guard->key, sizeof(guard->key));
}

void
sv_guard_finish(struct sv_guard *guard)
{
    free(guard->entries);
    guard->entries = NULL;
}

/* Entry i of the network's window. */
static struct sv_guard_entry *
entry_at(const struct sv_guard *guard, uint64_t home, uint32_t i)
{
    CN_ASSERT(i < guard->entry_count);
    return &guard->entries[(home + i) & (guard->entry_count - 1)];
}

static uint64_t
home_of(const struct sv_guard *guard, const struct sv_network *network)
{
    uint8_t hash[crypto_shorthash_BYTES];
    uint64_t home = 0;
    crypto_shorthash(hash, network->bytes, sizeof(network->bytes), guard->key);
    for (size_t i = 0; i < sizeof(home); i++) {
        home |= (uint64_t)hash[i] << (8 * i);
    }
    return home;
}

static uint32_t
current_window(const struct sv_guard *guard)
{
    return guard->entry_count < SV_GUARD_WINDOW ? guard->entry_count : SV_GUARD_WINDOW;
}

/* The network's entry; NULL: it has none. */
static struct sv_guard_entry *
find_network(const struct sv_guard *guard, const struct sv_network *network)
{
    uint64_t home = home_of(guard, network);
    for (uint32_t i = 0; i < current_window(guard); i++) {
        struct sv_guard_entry *entry = entry_at(guard, home, i);
        if (memcmp(&entry->network, network, sizeof(*network)) == 0) {
            return entry;
        }
    }
    return NULL;
}

/*
 * Whether `a` should be dropped before `b`, which is NULL or has no connections, as `a` has none.
 */
static bool
is_sooner_gone(
    const struct sv_guard_entry *a, const struct sv_guard_entry *b, uint64_t now_ns)
{
    if (b == NULL) {
        return true;
    }
    bool is_a_blocked = a->blocked_ns > now_ns, is_b_blocked = b->blocked_ns > now_ns;
    if (is_a_blocked != is_b_blocked) {
        return is_b_blocked;
    }
    return is_a_blocked ? a->blocked_ns < b->blocked_ns : a->seen_ns < b->seen_ns;
}

/* The network's entry, or a new one; NULL: there is no room. */
static struct sv_guard_entry *
find_or_make(struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns)
{
    struct sv_guard_entry *entry = find_network(guard, network), *chosen = NULL;
    if (entry != NULL) {
        return entry;
    }
    uint64_t home = home_of(guard, network);
    for (uint32_t i = 0; i < current_window(guard); i++) {
        entry = entry_at(guard, home, i);
        if (entry->network.bytes[0] == 0) {
            chosen = entry;
            break;
        }
        if (entry->connection_count == 0 && is_sooner_gone(entry, chosen, now_ns)) {
            chosen = entry;
        }
    }
    if (chosen != NULL) {
        CN_ASSERT(chosen->connection_count == 0); /* else its leave would find no entry */
        memset(chosen, 0, sizeof(*chosen));
        chosen->network = *network;
    }
    return chosen;
}

enum sv_guard_verdict
sv_guard_enter(struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns)
{
    const struct sv_guard_limits *limits = &guard->limits;
    if (network->bytes[0] == 0) {
        return SV_GUARD_LET_IN;
    }
    /* All connections count here, and are only delayed: see sv_guard_pause_ns. */
    sv_rate_charge(&guard->all, now_ns, SV_NS_PER_S / limits->process_rate);
    struct sv_guard_entry *entry = find_or_make(guard, network, now_ns);
    if (entry == NULL) {
        return SV_GUARD_NO_ROOM;
    }
    entry->seen_ns = now_ns;
    if (entry->blocked_ns > now_ns) {
        return SV_GUARD_BLOCKED;
    }
    if (entry->connection_count >= limits->connections) {
        return SV_GUARD_MANY;
    }
    if (!sv_rate_take(&entry->rate, now_ns, SV_NS_PER_S / limits->rate, limits->burst)) {
        return SV_GUARD_OFTEN;
    }
    CN_ASSERT(entry->connection_count < limits->connections);
    entry->connection_count++;
    return SV_GUARD_LET_IN;
}

void
sv_guard_leave(struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns)
{
    if (network->bytes[0] == 0) {
        return;
    }
    struct sv_guard_entry *entry = find_network(guard, network);
    CN_ASSERT(entry != NULL && entry->connection_count > 0); /* such entries are not dropped */
    entry->connection_count--;
    entry->seen_ns = now_ns;
}

bool
sv_guard_blame(struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns)
{
    struct sv_guard_entry *entry =
        network->bytes[0] != 0 ? find_or_make(guard, network, now_ns) : NULL;
    if (entry == NULL) {
        return false;
    }
    entry->seen_ns = now_ns;
    if (entry->blocked_ns > now_ns ||
        sv_rate_take(&entry->failures, now_ns, MINUTE_NS / guard->limits.failures,
            guard->limits.failure_burst)) {
        return false;
    }
    if (entry->blocked_ns != 0 && now_ns - entry->blocked_ns > SV_ADDRESS_FORGIVEN_NS) {
        entry->block_count = 0;
    }
    CN_ASSERT(entry->block_count < BLOCK_COUNT_MAX);
    entry->blocked_ns = now_ns + (SV_ADDRESS_BLOCK_NS << entry->block_count);
    entry->failures.arrival_ns = 0; /* afterwards it may fail as often again */
    if (entry->block_count + 1 < BLOCK_COUNT_MAX) {
        entry->block_count++;
    }
    return true;
}

uint64_t
sv_guard_pause_ns(const struct sv_guard *guard, uint64_t now_ns)
{
    return sv_rate_wait_ns(&guard->all, now_ns, SV_NS_PER_S / guard->limits.process_rate,
        guard->limits.process_burst);
}
