# Proofs of stability, and their verifier.
prove_tests = tests/unit/verify/test_verify
check_PROGRAMS += $(prove_tests)
TESTS += $(prove_tests)
prove_tests_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(GMP_CFLAGS)
tests_unit_verify_test_verify_SOURCES = tests/support/scene.c tests/support/scene.h \
	tests/unit/verify/test_verify.c
tests_unit_verify_test_verify_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_verify_test_verify_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
