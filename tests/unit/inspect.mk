# Checks of bytes from sockets before a library parses them.
inspect_tests = tests/unit/server/inspect/test_request_head \
	tests/unit/server/inspect/test_frame_head \
	tests/unit/server/inspect/test_proxy_header \
	tests/unit/server/inspect/test_forwarded
check_PROGRAMS += $(inspect_tests)
TESTS += $(inspect_tests)

tests_unit_server_inspect_test_request_head_SOURCES = \
	tests/unit/server/inspect/test_request_head.c
tests_unit_server_inspect_test_request_head_LDADD = $(server_tests_ldadd)
tests_unit_server_inspect_test_frame_head_SOURCES = tests/unit/server/inspect/test_frame_head.c
tests_unit_server_inspect_test_frame_head_LDADD = $(server_tests_ldadd)
tests_unit_server_inspect_test_proxy_header_SOURCES = \
	tests/unit/server/inspect/test_proxy_header.c
tests_unit_server_inspect_test_proxy_header_LDADD = $(server_tests_ldadd)
tests_unit_server_inspect_test_forwarded_SOURCES = tests/unit/server/inspect/test_forwarded.c
tests_unit_server_inspect_test_forwarded_LDADD = $(server_tests_ldadd)
