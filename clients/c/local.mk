# A client of the protocol cairn.v1, for the command `cairn`.
noinst_LIBRARIES += libcairnclient.a
libcairnclient_a_SOURCES = clients/c/address.c clients/c/address.h \
	clients/c/connection.c clients/c/connection.h clients/c/link.c clients/c/link.h \
	clients/c/offset.c clients/c/offset.h clients/c/say.c clients/c/say.h
libcairnclient_a_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(UV_CFLAGS) $(LWS_CFLAGS) \
	 $(PROTOBUF_C_CFLAGS)
CLIENT_LIBS = libcairnclient.a libcairndeed.a libcairnwire.a $(PROTO_LIBS) $(UV_LIBS) $(LWS_LIBS)
