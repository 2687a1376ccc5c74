# Proofs of stability, and their verifier.
prove_tests = tests/unit/verify/test_verify tests/unit/prove/test_balls \
	tests/unit/prove/test_capsules \
	tests/unit/prove/test_hulls tests/unit/prove/test_pairs \
	tests/unit/prove/program/test_face \
	tests/unit/prove/test_heaps tests/unit/prove/test_limits tests/unit/prove/test_loads \
	tests/unit/prove/test_round
check_PROGRAMS += $(prove_tests)
TESTS += $(prove_tests)
prove_tests_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(GMP_CFLAGS)
tests_unit_verify_test_verify_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/verify/test_verify.c
tests_unit_verify_test_verify_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_verify_test_verify_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_program_test_face_SOURCES = tests/unit/prove/program/test_face.c
tests_unit_prove_program_test_face_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_program_test_face_LDADD = $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_program_test_face_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pv_factor_create
tests_unit_prove_test_limits_SOURCES = tests/unit/prove/test_limits.c
tests_unit_prove_test_limits_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_limits_LDADD = $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_test_loads_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/prove/test_loads.c
tests_unit_prove_test_loads_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_loads_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_test_round_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/prove/test_round.c
tests_unit_prove_test_round_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_round_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_test_heaps_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/prove/test_heaps.c
tests_unit_prove_test_heaps_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_heaps_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_test_balls_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/prove/test_balls.c
tests_unit_prove_test_balls_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_balls_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_test_hulls_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/prove/rig.h tests/unit/prove/test_hulls.c
tests_unit_prove_test_hulls_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_hulls_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_test_pairs_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/prove/test_pairs.c
tests_unit_prove_test_pairs_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_pairs_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
tests_unit_prove_test_capsules_SOURCES = tests/support/world/scene.c tests/support/world/scene.h \
	tests/unit/prove/rig.h tests/unit/prove/test_capsules.c
tests_unit_prove_test_capsules_CPPFLAGS = $(prove_tests_cppflags)
tests_unit_prove_test_capsules_LDADD = libcairnverify.a $(PROVE_LIBS) $(CMOCKA_LIBS)
