/*
 * tls.h: checks certificates before they are used.
 *
 * TLS 1.3 only, or 1.2 too with ECDHE and an AEAD cipher; no renegotiation, no early data, no
 * session tickets, and no protocol above it but HTTP/1.1.  A certificate is looked at as a whole
 * first, in a context of its own, so that a bad one replaces nothing.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_NET_TLS_H
#define SERVER_NET_TLS_H

#include <stdbool.h>
#include <stdint.h>

struct ssl_ctx_st;

#define SV_TLS_ERROR_SIZE 512

/* This many days before a certificate ends, the log begins to warn daily. */
#define SV_TLS_ALARM_DAYS 14

/* The ciphers of TLS 1.2, in OpenSSL's words; 1.3 has only such ciphers. */
#define SV_TLS_CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20"

struct sv_tls {
    const char *cert, *key; /* files, borrowed; NULL: no TLS */
    bool is_12_spoken;
    int64_t ends_s; /* Unix seconds: the end of the certificate in force */
};

/*
 * Whether the two files are a valid certificate and its key at `now_s`; *ends_s is when the first
 * certificate of the chain ends.  False with *error filled: missing, unreadable, no certificate, no
 * key, not a pair, not yet or no longer valid, too weak, or a key that everybody may read.
 */
bool sv_tls_check(const struct sv_tls *tls, int64_t now_s, int64_t *ends_s,
    char error[SV_TLS_ERROR_SIZE]);

/* Sets the protocols and ciphers of a new server context. */
void sv_tls_configure(const struct sv_tls *tls, struct ssl_ctx_st *context);

/* Loads the checked files into a context in use, for new connections. */
bool sv_tls_renew(const struct sv_tls *tls, struct ssl_ctx_st *context);

#endif
