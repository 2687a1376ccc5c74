# The world without a daemon (wasm/solo.h), compiled for this machine.
check_PROGRAMS += tests/unit/wasm/test_solo
TESTS += tests/unit/wasm/test_solo
tests_unit_wasm_test_solo_SOURCES = tests/unit/wasm/test_solo.c \
	wasm/solo_run.c wasm/solo_hear.c wasm/solo_rules.c wasm/solo_say.c wasm/solo.h wasm/solo_inside.h wasm/inside.h
tests_unit_wasm_test_solo_CPPFLAGS = $(server_tests_cppflags)
tests_unit_wasm_test_solo_CFLAGS = $(server_tests_cflags) -Wno-attributes
tests_unit_wasm_test_solo_LDADD = $(server_tests_ldadd)
