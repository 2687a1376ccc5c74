# The program `cairn-load`.
bin_PROGRAMS += cairn-load
cairn_load_SOURCES = clients/load/load.c clients/load/load.h clients/load/load_bot.c \
	clients/load/load_line.c clients/load/load_line.h clients/load/load_options.h \
	clients/load/load_report.c clients/load/load_script.c clients/load/load_script.h \
	clients/load/main.c clients/load/quantile.c clients/load/quantile.h
cairn_load_CPPFLAGS = $(libcairncli_a_CPPFLAGS)
cairn_load_LDADD = libcairncli.a $(CLIENT_LIBS)

# The manual page is the program's own table.
man1_MANS += clients/load/cairn-load.1
CLEANFILES += clients/load/cairn-load.1
clients/load/cairn-load.1: cairn-load$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) clients/load && ./cairn-load$(EXEEXT) --help-man > $@.tmp && mv $@.tmp $@
EXTRA_DIST += clients/load/README.md
