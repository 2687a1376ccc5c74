# Meshes from files as bytes, and by construction.
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_obj tests/fuzz/fuzz_gltf tests/fuzz/fuzz_mesh
endif
tests_fuzz_fuzz_obj_SOURCES = tests/fuzz/formats/fuzz_obj.c
tests_fuzz_fuzz_obj_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_obj_LDADD = $(ASSETS_LIBS)
tests_fuzz_fuzz_gltf_SOURCES = tests/fuzz/formats/fuzz_gltf.c
tests_fuzz_fuzz_gltf_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_gltf_LDADD = $(ASSETS_LIBS)
tests_fuzz_fuzz_mesh_SOURCES = tests/fuzz/engine/fuzz_mesh.c tests/support/mesh/meshes.h
tests_fuzz_fuzz_mesh_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_mesh_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_propagation
endif
tests_fuzz_fuzz_propagation_SOURCES = tests/fuzz/engine/fuzz_propagation.c \
	tests/support/world/scene.c
tests_fuzz_fuzz_propagation_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_propagation_LDADD = libcairn.a -lm
