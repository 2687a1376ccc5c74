include proto/codec.mk

noinst_LIBRARIES += libcairnserver.a
libcairnserver_a_SOURCES = server/base/limits.h server/base/mutant.h server/base/rate.h \
	server/base/wake.h \
	server/base/random.h server/base/random.c server/session/resume.h server/session/resume.c \
	server/net/away.h server/net/away.c server/net/guard.h server/net/guard.c server/net/hello.h server/net/hello.c \
	server/base/clock.h server/base/clock.c server/base/log.h server/base/log.c \
	server/base/buffer.h server/base/buffer.c server/base/metrics.h server/base/metrics.c \
	server/base/disk.h server/base/disk_real.c server/base/disk_sim.c \
	server/base/config.h server/base/config.c server/base/config_check.c \
	server/base/config_print.c \
	server/base/frame.h server/mail/ring.h server/mail/ring.c \
	server/mail/seed.h server/mail/seed.c server/mail/scene.h server/mail/scene.c server/mail/letter.h server/mail/letter.c \
	server/snapshot/message.h server/snapshot/message.c server/snapshot/view.h \
	server/snapshot/events.h server/snapshot/events.c \
	server/snapshot/view.c server/snapshot/publication.h server/snapshot/publication.c \
	server/snapshot/scope.h server/snapshot/scope.c \
	server/snapshot/budget.h server/snapshot/budget.c \
	server/snapshot/weigher.h server/snapshot/weigher.c \
	server/host/world_views.c \
	server/host/deed.h server/host/deed.c server/host/keeping.h server/host/world_deeds.c \
	server/host/world_keep.c server/host/world_replay.c server/host/seek.h server/host/seek.c server/host/timeline.c server/host/fork.h server/host/fork.c server/host/round.h server/host/round.c server/host/replay.h server/host/replay.c server/host/tape.h server/host/tape.c server/host/memory.c server/host/reel.h server/host/reel.c \
	server/admin/recording.h server/admin/recording.c server/host/recover.h server/host/recover.c server/host/held.h server/host/held.c \
	server/host/input_buffer.h server/host/input_buffer.c \
	server/host/load.h server/host/load.c \
	server/host/lease.h server/host/lease.c server/host/world_lease.c \
	server/host/cap.h server/host/cap.c server/host/world_caps.c \
	server/host/watch.h server/host/watch.c server/host/world_watch.c \
	server/host/world.h server/host/world.c server/host/world_letters.c \
	server/host/world_orders.c server/host/world_change.c server/host/world_query.c server/host/worker.h server/host/worker.c \
	server/host/host.h server/host/host.c server/host/bake.h server/host/bake.c \
	server/base/pool.h server/base/pool_uv.c server/base/pool_sim.c \
	server/session/access.h server/session/access.c server/session/rights.h \
	server/session/rights.c server/session/session.h server/session/session.c \
	server/net/pace.h server/net/pace.c server/net/fanout.h server/net/fanout.c \
	server/net/transport.h server/net/gateway.h server/net/gateway.c \
	server/net/gateway_messages.c server/net/gateway_reports.c server/net/transfer.h server/net/transfer.c server/net/gateway_subscribe.c server/net/transport_sim.h server/net/transport_sim.c \
	server/net/hosts.h server/net/hosts.c \
	server/net/tls.h server/net/tls.c server/net/http.h server/net/http.c server/net/lws_server.h server/net/lws_inside.h \
	server/net/port.h server/net/port.c server/net/lws_listen.c \
	server/net/lws_server.c server/net/lws_http.c server/net/lws_socket.c \
	server/net/lws_send.c server/net/lws_guard.c \
	server/host/worker_thread.h server/host/worker_thread.c \
	server/admin/page.h server/admin/page.c server/admin/admin.h server/admin/admin.c \
	server/admin/routes.c server/admin/check.h server/admin/check.c
# eventfd, ppoll and flock are Linux'.
libcairnserver_a_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(PROTOBUF_C_CFLAGS) $(UV_CFLAGS) $(LWS_CFLAGS) $(OPENSSL_CFLAGS) \
	$(SODIUM_CFLAGS) $(SQLITE_CFLAGS)
SERVER_LIBS = libcairnserver.a $(ACCESS_LIBS) libcairnwire.a $(PROVE_LIBS) $(PROTO_LIBS) $(UV_LIBS) $(LWS_LIBS) $(OPENSSL_LIBS) \
	$(SODIUM_LIBS) $(SQLITE_LIBS) -lpthread

bin_PROGRAMS += cairnd
cairnd_SOURCES = server/credentials.h server/credentials.c server/listeners.h server/listeners.c \
	server/storage.h server/storage.c server/main.c server/daemon.h server/daemon.c server/scenes.h server/scenes.c
cairnd_CPPFLAGS = $(libcairnserver_a_CPPFLAGS) \
	-DSV_SCENES_DIR='"$(scenesdir)"' -DSV_SCENES_SOURCE_DIR='"$(abs_top_srcdir)/scenes"' \
	-DSV_PAGE_DIR='"$(pagedir)"' \
	-DSV_PAGE_SOURCE_DIR='"$(abs_top_srcdir)/clients/typescript/packages/app/dist"'
cairnd_LDADD = $(SERVER_LIBS)

# The manual page is the program's own table.
man8_MANS = server/cairnd.8
CLEANFILES += server/cairnd.8
server/cairnd.8: cairnd$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) server && ./cairnd$(EXEEXT) --help-man > $@.tmp && mv $@.tmp $@
