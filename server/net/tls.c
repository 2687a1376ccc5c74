#include "server/net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Bits of security: 112 are RSA 2048 and P-224, 128 P-256 and Ed25519. */
#define SECURITY_BITS_MIN 112

#define REFUSE(...) (snprintf(error, SV_TLS_ERROR_SIZE, __VA_ARGS__), false)

/* The last of OpenSSL's reasons, for error texts; the others are dropped. */
static const char *
last_reason(void)
{
    unsigned long code = ERR_peek_last_error();
    const char *text = code != 0 ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return text != NULL ? text : "no reason is given";
}

static bool
check_files(const struct sv_tls *tls, char *error)
{
    const char *const files[] = {tls->cert, tls->key};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(files[i], "r");
        if (file == NULL) {
            return REFUSE("%.200s: %s", files[i], strerror(errno));
        }
        fclose(file);
    }
    struct stat about;
    if (stat(tls->key, &about) == 0 && (about.st_mode & (S_IROTH | S_IWOTH)) != 0) {
        return REFUSE("%.200s: everybody may read this key; chmod 640 it, or less", tls->key);
    }
    return true;
}

static bool
check_key(X509 *certificate, const struct sv_tls *tls, char *error)
{
    EVP_PKEY *key = X509_get0_pubkey(certificate);
    int bits = key != NULL ? EVP_PKEY_get_security_bits(key) : 0;
    return bits >= SECURITY_BITS_MIN ||
        REFUSE("%.200s: its key is too weak; RSA wants 2048 bits, curves P-256 or Ed25519",
            tls->cert);
}

/* The difference of two times in seconds. */
static bool
seconds_until(const ASN1_TIME *time, int64_t now_s, int64_t *seconds)
{
    int days, rest;
    ASN1_TIME *now = ASN1_TIME_set(NULL, (time_t)now_s);
    bool is_good = now != NULL && ASN1_TIME_diff(&days, &rest, now, time) == 1;
    ASN1_TIME_free(now);
    if (is_good) {
        *seconds = (int64_t)days * 86400 + rest;
    }
    return is_good;
}

static bool
check_dates(X509 *certificate, const struct sv_tls *tls, int64_t now_s, int64_t *ends_s,
    char *error)
{
    int64_t begins_in_s, ends_in_s;
    if (!seconds_until(X509_get0_notBefore(certificate), now_s, &begins_in_s) ||
        !seconds_until(X509_get0_notAfter(certificate), now_s, &ends_in_s)) {
        return REFUSE("%.200s: its dates can not be read", tls->cert);
    }
    if (begins_in_s > 0) {
        return REFUSE("%.200s: is not good yet, for %lld s", tls->cert, (long long)begins_in_s);
    }
    if (ends_in_s <= 0) {
        return REFUSE("%.200s: has expired, %lld s ago", tls->cert, -(long long)ends_in_s);
    }
    *ends_s = now_s + ends_in_s;
    return true;
}

static bool
check_pair(SSL_CTX *context, const struct sv_tls *tls, int64_t now_s, int64_t *ends_s,
    char *error)
{
    if (SSL_CTX_use_certificate_chain_file(context, tls->cert) != 1) {
        return REFUSE("%.200s: no certificate in PEM: %s", tls->cert, last_reason());
    }
    /* The certificate first, so that a key of another certificate is reported as such. */
    X509 *certificate = SSL_CTX_get0_certificate(context);
    if (!check_key(certificate, tls, error) ||
        !check_dates(certificate, tls, now_s, ends_s, error)) {
        return false;
    }
    if (SSL_CTX_use_PrivateKey_file(context, tls->key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1) {
        return REFUSE("%.200s: not this certificate's private key in PEM: %s", tls->key,
            last_reason());
    }
    return true;
}

/* Refuses encrypted keys; otherwise OpenSSL would ask for a password on the terminal. */
static int
no_password(char *buffer, int size, int is_writing, void *context)
{
    (void)buffer;
    (void)size;
    (void)is_writing;
    (void)context;
    return -1;
}

bool
sv_tls_check(
    const struct sv_tls *tls, int64_t now_s, int64_t *ends_s, char error[SV_TLS_ERROR_SIZE])
{
    if (!check_files(tls, error)) {
        return false;
    }
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL) {
        return REFUSE("no memory");
    }
    SSL_CTX_set_default_passwd_cb(context, no_password);
    SSL_CTX_set_security_level(context, 0); /* weak ones are reported by name below */
    bool is_good = check_pair(context, tls, now_s, ends_s, error);
    SSL_CTX_free(context);
    ERR_clear_error();
    return is_good;
}

void
sv_tls_configure(const struct sv_tls *tls, struct ssl_ctx_st *context)
{
    SSL_CTX_set_min_proto_version(context, tls->is_12_spoken ? TLS1_2_VERSION : TLS1_3_VERSION);
    SSL_CTX_set_cipher_list(context, SV_TLS_CIPHERS);
    SSL_CTX_set_options(context,
        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION |
            SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

bool
sv_tls_renew(const struct sv_tls *tls, struct ssl_ctx_st *context)
{
    bool is_good = SSL_CTX_use_certificate_chain_file(context, tls->cert) == 1 &&
        SSL_CTX_use_PrivateKey_file(context, tls->key, SSL_FILETYPE_PEM) == 1;
    ERR_clear_error();
    return is_good;
}
