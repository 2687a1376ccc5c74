assets_tests = tests/unit/assets/test_obj tests/unit/assets/test_gltf \
	tests/unit/assets/test_library tests/unit/assets/test_meshes
check_PROGRAMS += $(assets_tests)
TESTS += $(assets_tests)
tests_unit_assets_test_obj_SOURCES = tests/unit/assets/test_obj.c
tests_unit_assets_test_obj_LDADD = $(ASSETS_LIBS) $(CMOCKA_LIBS)
tests_unit_assets_test_gltf_SOURCES = tests/unit/assets/test_gltf.c
tests_unit_assets_test_gltf_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_unit_assets_test_gltf_LDADD = $(ASSETS_LIBS) $(CMOCKA_LIBS)
tests_unit_assets_test_library_SOURCES = tests/unit/assets/test_library.c \
	tests/support/mesh/meshes.h
tests_unit_assets_test_library_LDADD = $(ASSETS_LIBS) $(CMOCKA_LIBS)
tests_unit_assets_test_meshes_SOURCES = tests/unit/assets/test_meshes.c
tests_unit_assets_test_meshes_CPPFLAGS = $(AM_CPPFLAGS) \
	-DMESHES_DIR='"$(abs_top_srcdir)/scenes/meshes"'
tests_unit_assets_test_meshes_LDADD = $(ASSETS_LIBS) $(CMOCKA_LIBS)
