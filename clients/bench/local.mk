# The program `cairn-bench`: it is built, but not installed.
noinst_PROGRAMS += cairn-bench
bench_sources = clients/bench/bench.h clients/bench/bench_bones.c clients/bench/bench_build.c \
	clients/bench/bench_build.h clients/bench/bench_depth.c clients/bench/bench_human.c \
	clients/bench/bench_masonry.c clients/bench/bench_planar.c clients/bench/bench_rain.c \
	clients/bench/bench_rings.c clients/bench/bench_scene.c clients/bench/bench_scene.h \
	clients/bench/bench_spatial.c clients/bench/bench_stand.c
cairn_bench_SOURCES = $(bench_sources) clients/bench/bench.c clients/bench/bench_options.h \
	clients/bench/bench_print.c clients/bench/main.c
cairn_bench_LDADD = libcairncli.a libcrew.a libcairn.a -lm
EXTRA_DIST += clients/bench/README.md
