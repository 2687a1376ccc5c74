# The command `cairn`.
bin_PROGRAMS += cairn
bench_sources = clients/cli/bench_build.c clients/cli/bench_build.h \
	clients/cli/bench.h clients/cli/bench_bones.c clients/cli/bench_depth.c \
	clients/cli/bench_human.c \
	clients/cli/bench_planar.c clients/cli/bench_rain.c clients/cli/bench_scene.c clients/cli/bench_scene.h \
	clients/cli/bench_rings.c \
	clients/cli/bench_masonry.c clients/cli/bench_spatial.c clients/cli/bench_stand.c
cairn_SOURCES = $(bench_sources) clients/cli/bench.c \
	clients/cli/bench_print.c clients/cli/check.c clients/cli/cli.h \
	clients/cli/help.c clients/cli/key.c clients/cli/list.c \
	clients/cli/load.c clients/cli/load.h clients/cli/load_bot.c \
	clients/cli/load_line.c clients/cli/load_line.h clients/cli/load_report.c \
	clients/cli/load_script.c clients/cli/load_script.h clients/cli/main.c \
	clients/cli/options.c clients/cli/progress.c clients/cli/progress.h clients/cli/query.c \
	clients/cli/quantile.c clients/cli/quantile.h clients/cli/remote.c clients/cli/remote.h \
	clients/cli/csv.c clients/cli/csv.h clients/cli/export.c clients/cli/export.h clients/cli/export_csv.c \
	clients/cli/export_mcap.c clients/cli/export_scene.c clients/cli/export_scene.h \
	clients/cli/mcap.c clients/cli/mcap.h clients/cli/pack.c clients/cli/pack.h \
	clients/cli/backup.c clients/cli/ask.c clients/cli/ask.h clients/cli/import.c clients/cli/past.c clients/cli/past.h clients/cli/record.c clients/cli/replay.c \
	clients/cli/retell.c clients/cli/retell.h clients/cli/revoke.c clients/cli/run.c \
	clients/cli/run_record.c clients/cli/run_record.h clients/cli/verify.c \
	clients/cli/sample.c clients/cli/sample.h clients/cli/scene_file.c \
	clients/cli/scene_file.h clients/cli/shown.c clients/cli/shown.h clients/cli/shown_check.c \
	clients/cli/shown_file.c clients/cli/shown_write.c clients/cli/token.c clients/cli/validate.c \
	clients/cli/watch.c clients/cli/watch.h clients/cli/watch_print.c clients/cli/worlds.c
cairn_CPPFLAGS = $(libcairnserver_a_CPPFLAGS) -isystem $(top_builddir)/proto/gen $(GMP_CFLAGS) $(JANSSON_CFLAGS) -DCLI_SCENES_DIR='"$(scenesdir)"' \
	-DCLI_SCENES_SOURCE_DIR='"$(abs_top_srcdir)/scenes"'
cairn_LDADD = libcairnclient.a libcrew.a libcairnverify.a $(SERVER_LIBS)

# The manual page is the program's own table.
man1_MANS = clients/cli/cairn.1
CLEANFILES += clients/cli/cairn.1
clients/cli/cairn.1: cairn$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) clients/cli && ./cairn$(EXEEXT) --help-man > $@.tmp && mv $@.tmp $@
