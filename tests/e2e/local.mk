# End-to-end tests of the page; skipped where Node, Chromium or the built page is missing.
TESTS += tests/e2e/run
EXTRA_DIST += tests/e2e/run tests/e2e/page/run.mjs tests/e2e/page/daemon.mjs \
	tests/e2e/page/test_access.mjs tests/e2e/page/test_alone.mjs tests/e2e/page/test_game.mjs \
	tests/e2e/page/test_rooms.mjs tests/e2e/page/visitor.mjs tests/e2e/page/wait.mjs \
	tests/e2e/page/test_hands.mjs \
	tests/e2e/page/test_prediction.mjs tests/e2e/page/test_production.mjs tests/e2e/page/test_reconnect.mjs \
	tests/e2e/page/test_part.mjs tests/e2e/page/test_time.mjs tests/e2e/page/test_space.mjs \
	tests/e2e/page/test_view.mjs tests/e2e/page/test_world.mjs
# Bots, watchers and metrics against a real daemon, and the long run that a person starts.
TESTS += tests/e2e/tools/run
EXTRA_DIST += tests/e2e/tools/run tests/soak/run
# Another stack's WebSockets and protobuf: npm's ws and protobuf-es.
TESTS += tests/e2e/peer/run
EXTRA_DIST += tests/e2e/peer/run tests/e2e/peer/counter.mjs
# The stored, recorded and replayed data of a daemon.
TESTS += tests/e2e/recording/run tests/e2e/recording/shown
EXTRA_DIST += tests/e2e/recording/run tests/e2e/recording/shown
# Backups of a running daemon, and the damage that it finds in its folder.
TESTS += tests/e2e/backup/run
EXTRA_DIST += tests/e2e/backup/run
# A test that fails is run once more.
TESTS += tests/e2e/test_attempts
EXTRA_DIST += tests/e2e/test_attempts tests/e2e/attempts.py
