# The stored data of the daemon, which outlives its process.
libcairnserver_a_SOURCES += server/store/format/fault.h server/store/format/fault.c \
	server/store/format/crc32c.h server/store/format/crc32c.c server/store/format/record.h \
	server/store/format/record.c server/store/format/checkpoint.h \
	server/store/format/checkpoint.c server/store/format/content.h \
	server/store/format/content.c server/store/format/note.h server/store/format/note.c \
	server/store/format/recording.h \
	server/store/format/recording.c server/store/format/watermark.h \
	server/store/format/watermark.c
libcairnserver_a_SOURCES += server/store/journal/journal.h \
	server/store/journal/journal_sqlite.c server/store/journal/journal_copy.c \
	server/store/journal/journal_memory.h server/store/journal/journal_memory.c \
	server/store/journal/sentry.h server/store/journal/sentry.c \
	server/store/journal/manifest.h server/store/journal/manifest.c
libcairnserver_a_SOURCES += server/store/check/scrub.h server/store/check/scrub.c \
	server/store/check/backup.h server/store/check/backup.c
libcairnserver_a_SOURCES += server/store/store.h server/store/store_config.h \
	server/store/store_inside.h server/store/store.c server/store/store_open.c \
	server/store/store_journal.c server/store/store_keeper.c server/store/store_scrub.c \
	server/store/store_thread.c server/store/store_tasks.c server/store/recovery.c \
	server/store/lane.h server/store/lane_inside.h server/store/lane.c server/store/worlds.h \
	server/store/worlds.c server/store/retention.h server/store/retention.c \
	server/store/history.h server/store/history.c
EXTRA_DIST += server/store/README.md server/store/format/README.md \
	server/store/journal/README.md server/store/check/README.md
