# The bytes that the store reads back.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_record tests/fuzz/fuzz_checkpoint tests/fuzz/fuzz_sentry
endif
tests_fuzz_fuzz_record_SOURCES = tests/fuzz/store/fuzz_record.c
tests_fuzz_fuzz_record_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_record_LDADD = libcairnserver.a libcairn.a
tests_fuzz_fuzz_checkpoint_SOURCES = tests/fuzz/store/fuzz_checkpoint.c
tests_fuzz_fuzz_checkpoint_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_checkpoint_LDADD = libcairnserver.a libcairn.a
tests_fuzz_fuzz_sentry_SOURCES = tests/fuzz/store/fuzz_sentry.c
tests_fuzz_fuzz_sentry_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_sentry_LDADD = libcairnserver.a libcairn.a

# Recordings as bytes, by construction, and imported.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_recording
endif
tests_fuzz_fuzz_recording_SOURCES = tests/fuzz/store/fuzz_recording.c \
	tests/support/server/recording_rig.h
tests_fuzz_fuzz_recording_CPPFLAGS = $(libcairnserver_a_CPPFLAGS)
tests_fuzz_fuzz_recording_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_recording_LDADD = $(SERVER_LIBS)
