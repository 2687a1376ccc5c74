# The engine in WebAssembly against the native one; skipped without clang-16 for it, or Node.
EXTRA_PROGRAMS += tests/wasm/reference
tests_wasm_reference_SOURCES = tests/wasm/reference.c
tests_wasm_reference_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(top_builddir)/proto/gen \
	$(PROTOBUF_C_CFLAGS)
tests_wasm_reference_LDADD = libcairndeed.a libcairnwire.a $(PROTO_LIBS) libcairn.a -lpthread -lm
EXTRA_DIST += tests/wasm/run tests/wasm/in_node.mjs \
	tests/wasm/beside.mjs tests/wasm/in_chromium.mjs tests/wasm/predict.mjs
