# Checks of bytes from sockets before a library parses them.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_request_head tests/fuzz/fuzz_frame_head \
	tests/fuzz/fuzz_proxy_header tests/fuzz/fuzz_forwarded
endif
inspect_fuzz_ldadd = libcairnserver.a libcairn.a -lm
tests_fuzz_fuzz_request_head_SOURCES = tests/fuzz/net/fuzz_request_head.c tests/fuzz/take.h
tests_fuzz_fuzz_request_head_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_fuzz_fuzz_request_head_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_request_head_LDADD = $(inspect_fuzz_ldadd)
tests_fuzz_fuzz_frame_head_SOURCES = tests/fuzz/net/fuzz_frame_head.c tests/fuzz/take.h
tests_fuzz_fuzz_frame_head_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_frame_head_LDADD = $(inspect_fuzz_ldadd)
tests_fuzz_fuzz_proxy_header_SOURCES = tests/fuzz/net/fuzz_proxy_header.c tests/fuzz/take.h
tests_fuzz_fuzz_proxy_header_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_fuzz_fuzz_proxy_header_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_proxy_header_LDADD = $(inspect_fuzz_ldadd)
tests_fuzz_fuzz_forwarded_SOURCES = tests/fuzz/net/fuzz_forwarded.c tests/fuzz/take.h
tests_fuzz_fuzz_forwarded_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_fuzz_fuzz_forwarded_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_forwarded_LDADD = $(inspect_fuzz_ldadd)
