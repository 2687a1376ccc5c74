# What the programs of clients/ share: the command line by tables, and the daemon that is spoken to.
noinst_LIBRARIES += libcairncli.a
libcairncli_a_SOURCES = clients/base/exit.c clients/base/exit.h clients/base/follower.c \
	clients/base/follower.h clients/base/help.c \
	clients/base/options.c clients/base/options.h clients/base/progress.c \
	clients/base/progress.h clients/base/remote.c clients/base/remote.h clients/base/shown.c \
	clients/base/shown.h clients/base/shown_write.c
libcairncli_a_CPPFLAGS = $(libcairnclient_a_CPPFLAGS)
EXTRA_DIST += clients/base/README.md
