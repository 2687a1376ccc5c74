# Tokens and keys, for the daemon and the command: signatures stay here.
noinst_LIBRARIES += libcairnaccess.a
libcairnaccess_a_SOURCES = access/claims.c access/claims.h access/jws.c access/jws.h access/key.c \
	access/key.h access/limits.h access/quota.c access/quota.h access/revoked.c access/revoked.h \
	access/token.c access/token.h
libcairnaccess_a_CPPFLAGS = $(AM_CPPFLAGS) $(SODIUM_CFLAGS) $(JANSSON_CFLAGS)
ACCESS_LIBS = libcairnaccess.a $(SODIUM_LIBS) $(JANSSON_LIBS)
