# The daemon's network side in one process, by a socket pair.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_frames tests/fuzz/fuzz_http
endif
tests_fuzz_fuzz_frames_SOURCES = tests/fuzz/net/fuzz_frames.c tests/fuzz/net/net_rig.h \
	tests/fuzz/net/messages.h tests/fuzz/take.h
tests_fuzz_fuzz_frames_CPPFLAGS = $(libcairnserver_a_CPPFLAGS) -isystem $(top_builddir)/proto/gen
tests_fuzz_fuzz_frames_CFLAGS = $(libcairnwire_a_CFLAGS)
tests_fuzz_fuzz_frames_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_frames_LDADD = $(SERVER_LIBS)
tests_fuzz_fuzz_http_SOURCES = tests/fuzz/net/fuzz_http.c tests/fuzz/net/net_rig.h tests/fuzz/take.h
tests_fuzz_fuzz_http_CPPFLAGS = $(libcairnserver_a_CPPFLAGS)
tests_fuzz_fuzz_http_CFLAGS = $(libcairnwire_a_CFLAGS)
tests_fuzz_fuzz_http_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_http_LDADD = $(SERVER_LIBS)
# Requests for rooms, templates, stored rooms, tokens of seats.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_rooms
endif
tests_fuzz_fuzz_rooms_SOURCES = tests/fuzz/net/fuzz_rooms.c tests/fuzz/take.h
tests_fuzz_fuzz_rooms_CPPFLAGS = $(libcairnserver_a_CPPFLAGS)
tests_fuzz_fuzz_rooms_CFLAGS = $(libcairnwire_a_CFLAGS)
tests_fuzz_fuzz_rooms_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_rooms_LDADD = $(SERVER_LIBS)
