# The command `cairn`.
bin_PROGRAMS += cairn
cairn_SOURCES = clients/cli/ask.c clients/cli/ask.h clients/cli/attributes.c \
	clients/cli/attributes.h clients/cli/backup.c clients/cli/check.c \
	clients/cli/cli.h clients/cli/csv.c clients/cli/csv.h clients/cli/help.c \
	clients/cli/key.c clients/cli/list.c clients/cli/main.c clients/cli/query.c \
	clients/cli/recording/export.c clients/cli/recording/export.h \
	clients/cli/recording/export_csv.c clients/cli/recording/export_mcap.c \
	clients/cli/recording/export_scene.c clients/cli/recording/export_scene.h \
	clients/cli/recording/import.c clients/cli/recording/mcap.c \
	clients/cli/recording/mcap.h clients/cli/recording/pack.c clients/cli/recording/pack.h \
	clients/cli/recording/past.c clients/cli/recording/past.h \
	clients/cli/recording/record.c clients/cli/recording/replay.c \
	clients/cli/recording/retell.c clients/cli/recording/retell.h \
	clients/cli/recording/run_record.c clients/cli/recording/run_record.h \
	clients/cli/recording/shown_check.c clients/cli/recording/shown_check.h \
	clients/cli/recording/shown_file.c clients/cli/recording/verify.c \
	clients/cli/revoke.c clients/cli/rooms.c clients/cli/run.c clients/cli/sample.c clients/cli/sample.h \
	clients/cli/scene_file.c clients/cli/scene_file.h clients/cli/tables.c \
	clients/cli/token.c clients/cli/validate.c clients/cli/watch.c clients/cli/watch.h \
	clients/cli/watch_print.c clients/cli/worlds.c
cairn_CPPFLAGS = $(libcairnserver_a_CPPFLAGS) -isystem $(top_builddir)/proto/gen $(GMP_CFLAGS) $(JANSSON_CFLAGS) -DCLI_SCENES_DIR='"$(scenesdir)"' \
	-DCLI_SCENES_SOURCE_DIR='"$(abs_top_srcdir)/scenes"'
cairn_LDADD = libcairncli.a libcairnclient.a libcrew.a libcairnverify.a $(SERVER_LIBS)

# The manual page is the program's own table.
man1_MANS = clients/cli/cairn.1
CLEANFILES += clients/cli/cairn.1
clients/cli/cairn.1: cairn$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) clients/cli && ./cairn$(EXEEXT) --help-man > $@.tmp && mv $@.tmp $@

EXTRA_DIST += clients/cli/README.md clients/cli/recording/README.md
