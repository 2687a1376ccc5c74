/*
 * transport_sim.h: the transport's twin: connections in memory, on one thread.
 *
 * A test plays the clients.  Messages that the daemon sends are kept until the test takes them.  A
 * test can stop a connection from taking data for a while, like a full socket.  Callbacks come only
 * from the calls below, never from within a send.
 */
#ifndef SERVER_NET_TRANSPORT_SIM_H
#define SERVER_NET_TRANSPORT_SIM_H

#include "server/net/transport.h"

#define SV_SIM_CONNECTIONS_MAX 16
#define SV_SIM_MESSAGES_MAX 1024 /* kept for one client; more is a mistake of the test */

struct sv_sim_message {
    uint8_t *bytes; /* without the WebSocket header, '\0' after them */
    size_t size;
    bool is_text;
};

struct sv_sim_transport {
    struct sv_transport_events events;
    struct sv_connection *connections[SV_SIM_CONNECTIONS_MAX];
    int good_count, bad_count; /* judgements */
    int write_count;           /* sends that were taken, each with any number of messages */
};

void sv_sim_transport_init(
    struct sv_sim_transport *sim, const struct sv_transport_events *events);
void sv_sim_transport_finish(struct sv_sim_transport *sim);
struct sv_transport sv_sim_transport(struct sv_sim_transport *sim);

/* Connects a client; -1 if it is refused. */
int sv_sim_connect(struct sv_sim_transport *sim);

/* The client sends a message. */
void sv_sim_send(struct sv_sim_transport *sim, int client, const uint8_t *bytes, size_t size);

/* The next message for the client: free its bytes.  False: none. */
bool sv_sim_take(struct sv_sim_transport *sim, int client, struct sv_sim_message *message);

/* The client stops or resumes reading. */
void sv_sim_block(struct sv_sim_transport *sim, int client, bool is_blocked);

/* The client disconnects, or acknowledges the daemon's Close. */
void sv_sim_disconnect(struct sv_sim_transport *sim, int client);

/* The code with which the daemon has closed this client; 0 while it is open. */
int sv_sim_close_code(const struct sv_sim_transport *sim, int client);

#endif
