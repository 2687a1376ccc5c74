include proto/codec.mk

noinst_LIBRARIES += libcairnserver.a
libcairnserver_a_SOURCES = server/base/limits.h server/base/rate.h \
	server/base/wake.h \
	server/base/random.h server/base/random.c server/session/resume.h server/session/resume.c \
	server/net/away.h server/net/away.c server/net/guard.h server/net/guard.c server/net/hello.h server/net/hello.c \
	server/base/clock.h server/base/clock.c server/base/log.h server/base/log.c \
	server/base/buffer.h server/base/buffer.c server/base/metrics.h server/base/metrics.c \
	server/base/disk.h server/base/disk_real.c server/base/disk_sim.c \
	server/base/config.h server/base/config.c server/base/config_check.c \
	server/base/role_rates.h server/base/role_rates.c \
	server/base/config_print.c \
	server/base/frame.h server/mail/ring.h server/mail/ring.c \
	server/mail/seed.h server/mail/seed.c server/mail/scene.h server/mail/scene.c server/mail/message.h server/mail/message.c \
	server/snapshot/framing.h server/snapshot/framing.c server/snapshot/view.h \
	server/snapshot/events.h server/snapshot/events.c \
	server/snapshot/attributes.h server/snapshot/attributes.c \
	server/snapshot/view.c server/snapshot/publication.h server/snapshot/publication.c \
	server/snapshot/scope.h server/snapshot/scope.c \
	server/snapshot/budget.h server/snapshot/budget.c \
	server/snapshot/contact_budget.h server/snapshot/contact_budget.c \
	server/snapshot/ticks.h \
	server/snapshot/weigher.h server/snapshot/weigher.c \
	server/world/state/world_views.c server/world/state/world_deeds.h \
	server/world/state/world_deeds.c \
	server/world/data/persistence.h server/world/act/world_entries.c server/world/state/world_engine.c \
	server/world/state/world_status.c \
	server/world/act/world_persistence.c server/past/world_replay.c server/past/seek.h server/past/seek.c server/past/timeline.c server/host/fork.h server/host/fork.c server/host/round.h server/host/round.c server/past/replay.h server/past/replay.c server/world/state/portable.h server/world/state/portable.c server/past/recorder.h server/past/recorder.c server/past/log_reader.c server/past/recordings.h server/past/recordings.c \
	server/admin/recording.h server/admin/recording.c server/host/recover.h server/host/recover.c server/host/held.h server/host/held.c \
	server/world/data/input_buffer.h server/world/data/input_buffer.c \
	server/host/load.h server/host/load.c \
	server/host/slow_disk.h server/host/slow_disk.c \
	server/world/data/lease.h server/world/data/lease.c server/world/act/world_lease.c \
	server/world/data/cap.h server/world/data/cap.c server/world/act/world_caps.c \
	server/world/data/logic.h server/world/data/logic.c server/world/state/world_news.h \
	server/world/state/world_news.c server/world/act/world_logic.h server/world/act/world_logic.c \
	server/world/data/watch.h server/world/data/watch.c server/world/act/world_watch.c server/world/state/world_reach.c server/world/act/world_members.c server/world/state/world_sessions.c server/world/act/world_orphans.c \
	server/world/data/world.h server/world/data/env.h server/world/data/env.c server/world/data/sections.h server/world/act/world_messages.c \
	server/world/act/world_full.c \
	server/world/act/world_caps.h server/world/state/world_change.h server/world/state/world_clock.c \
	server/world/state/world_clock.h server/world/state/world_engine.h server/world/act/world_entries.h \
	server/world/act/world_full.h server/world/act/world_lease.h server/world/state/world_lease_rules.c \
	server/world/state/world_lease_rules.h server/world/act/world_life.c server/world/act/world_life.h \
	server/world/state/world_member_table.c server/world/state/world_member_table.h server/world/act/world_members.h \
	server/world/act/world_messages.h server/world/act/world_orders.h server/world/act/world_orphans.h \
	server/world/act/world_persistence.h server/world/state/world_publish.c server/world/state/world_publish.h \
	server/world/act/world_query.h server/world/state/world_reach.h server/world/state/world_record.c \
	server/world/state/world_record.h server/past/world_recover.c server/past/world_recover.h \
	server/past/world_replay.h server/world/state/world_restore.c server/world/state/world_restore.h \
	server/world/act/world_run.c server/world/act/world_run.h server/world/state/world_say.c \
	server/world/state/world_say.h server/world/state/world_sessions.h server/world/state/world_settings.c \
	server/world/state/world_settings.h server/world/state/world_status.h server/world/state/world_steps.c \
	server/world/state/world_steps.h server/world/state/world_views.h server/world/act/world_watch.h \
	server/world/act/world_orders.c server/world/state/world_change.c server/world/act/world_query.c server/host/worker.h server/host/worker.c \
	server/host/directory.h server/host/directory.c server/host/host.h server/host/host.c server/host/owner.h server/host/owner.c server/host/bake.h server/host/bake.c \
	server/base/physical.c server/base/physical.h server/base/pool.h server/base/pool_uv.c server/base/pool_sim.c \
	server/room/notebook.h server/room/notebook.c server/room/seat_token.h \
	server/room/seat_token.c server/room/poster.h server/room/poster_sim.c \
	server/room/hooks.h server/room/hooks.c server/room/room.h server/room/room.c \
	server/room/room_record.c server/room/rooms.h server/room/rooms.c server/room/rooms_data.c server/room/rooms_ask.c \
	server/room/rooms_load.c server/room/webhook.h server/room/webhook.c \
	server/net/lobby.h server/net/lobby.c server/admin/rooms.h server/admin/rooms.c \
	server/admin/lists.h server/admin/lists.c \
	server/session/grant.h server/session/grant.c server/session/access.h server/session/access.c server/session/audit.h server/session/audit.c \
	server/session/audit_words.c server/session/rights.h \
	server/session/rights.c server/session/session.h server/session/session.c \
	server/net/pace.h server/net/pace.c server/net/quota.h server/net/quota.c server/net/fanout.h server/net/fanout.c \
	server/net/contacts.h server/net/contacts.c \
	server/net/transport.h server/net/gateway.h server/net/gateway.c \
	server/net/gateway_logic.c server/net/gateway_messages.c server/net/gateway_reports.c server/net/transfer.h server/net/transfer.c server/net/seat.h server/net/seat.c \
	server/net/seating.h server/net/seating.c server/net/transport_sim.h server/net/transport_sim.c \
	server/inspect/request_head.h server/inspect/request_head.c \
	server/inspect/frame_head.h server/inspect/frame_head.c \
	server/inspect/proxy_header.h server/inspect/proxy_header.c \
	server/inspect/forwarded.h server/inspect/forwarded.c \
	server/net/hosts.h server/net/hosts.c \
	server/net/tls.h server/net/tls.c server/net/http.h server/net/http.c \
	server/net/port.h server/net/port.c \
	server/net/lws/lws_data.h server/net/lws/lws_connection.h server/net/lws/lws_connection.c \
	server/net/lws/lws_guard.h server/net/lws/lws_guard.c server/net/lws/lws_http.h server/net/lws/lws_http.c \
	server/net/lws/lws_listen.c server/net/lws/lws_listener.h server/net/lws/lws_listener.c \
	server/net/lws/lws_plain.h server/net/lws/lws_plain.c server/net/lws/lws_shake.h server/net/lws/lws_shake.c \
	server/net/lws/lws_frames.h server/net/lws/lws_frames.c server/net/lws/lws_end.h server/net/lws/lws_end.c \
	server/net/lws/lws_stream.h server/net/lws/lws_stream.c server/net/lws/lws_proxy.h server/net/lws/lws_proxy.c \
	server/net/lws/lws_read.h server/net/lws/lws_read.c server/net/lws/lws_request.h server/net/lws/lws_request.c \
	server/net/lws/lws_send.h server/net/lws/lws_send.c server/net/lws/lws_server.h server/net/lws/lws_server.c \
	server/net/lws/lws_socket.h server/net/lws/lws_socket.c server/net/lws/lws_wsi.h server/net/lws/lws_wsi.c \
	server/host/worker_thread.h server/host/worker_thread.c \
	server/admin/page.h server/admin/page.c server/admin/admin.h server/admin/admin.c \
	server/admin/pack.h server/admin/pack.c server/admin/readiness.c \
	server/admin/routes.c server/admin/use.c server/admin/check.h server/admin/check.c
# eventfd, ppoll and flock are Linux'.
libcairnserver_a_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(PROTOBUF_C_CFLAGS) $(UV_CFLAGS) $(LWS_CFLAGS) $(OPENSSL_CFLAGS) \
	$(SODIUM_CFLAGS) $(SQLITE_CFLAGS) $(CURL_CFLAGS) $(ZLIB_CFLAGS)
SERVER_LIBS = libcairnserver.a $(ACCESS_LIBS) libcairndeed.a libcairnwire.a $(PROVE_LIBS) $(PROTO_LIBS) $(UV_LIBS) $(LWS_LIBS) $(OPENSSL_LIBS) \
	$(SODIUM_LIBS) $(SQLITE_LIBS) $(CURL_LIBS) $(ZLIB_LIBS) -lpthread

bin_PROGRAMS += cairnd
cairnd_SOURCES = server/credentials.h server/credentials.c server/listeners.h server/listeners.c \
	server/files.h server/files.c server/room_service.h server/room_service.c \
	server/storage.h server/storage.c server/main.c server/daemon.h server/daemon.c server/scenes.h server/scenes.c
cairnd_CPPFLAGS = $(libcairnserver_a_CPPFLAGS) \
	-DSV_SCENES_DIR='"$(scenesdir)"' -DSV_SCENES_SOURCE_DIR='"$(abs_top_srcdir)/scenes"' \
	-DSV_PAGE_DIR='"$(pagedir)"' \
	-DSV_PAGE_SOURCE_DIR='"$(abs_top_srcdir)/clients/typescript/packages/app/dist"'
cairnd_LDADD = $(SERVER_LIBS)

# An annotated configuration file, in which every option is commented out.
nodist_doc_DATA = server/cairnd.yaml
CLEANFILES += server/cairnd.yaml
server/cairnd.yaml: cairnd$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) server && ./cairnd$(EXEEXT) --print-config > $@.tmp && mv $@.tmp $@

# The manual page is the program's own table.
man8_MANS = server/cairnd.8
CLEANFILES += server/cairnd.8
server/cairnd.8: cairnd$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) server && ./cairnd$(EXEEXT) --help-man > $@.tmp && mv $@.tmp $@

EXTRA_DIST += server/world/README.md server/past/README.md server/host/README.md \
	server/room/README.md
