# Keys and tokens.
access_tests = tests/unit/access/test_jws tests/unit/access/test_token \
	tests/unit/access/test_revoked
check_PROGRAMS += $(access_tests)
TESTS += $(access_tests)
access_tests_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
access_tests_ldadd = $(ACCESS_LIBS) libcairn.a $(CMOCKA_LIBS)
tests_unit_access_test_jws_SOURCES = tests/unit/access/test_jws.c
tests_unit_access_test_jws_CPPFLAGS = $(access_tests_cppflags)
tests_unit_access_test_jws_LDADD = $(access_tests_ldadd)
tests_unit_access_test_token_SOURCES = tests/unit/access/test_token.c
tests_unit_access_test_token_CPPFLAGS = $(access_tests_cppflags)
tests_unit_access_test_revoked_SOURCES = tests/unit/access/test_revoked.c
tests_unit_access_test_revoked_CPPFLAGS = $(access_tests_cppflags)
tests_unit_access_test_revoked_LDADD = $(access_tests_ldadd)
tests_unit_access_test_token_LDADD = $(access_tests_ldadd)
