/*
 * test_full_disk.c: with a full disk, clients can join and leave, changes are refused at once, and
 * readiness reports it.  When there is space again, postponed records are written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include "server/admin/admin.h"
#include "deed/entry.h"

#include <stdio.h>

#define EVER 1000000 /* commits */

struct watcher {
    struct client client;
    int connection;
    char refusal[WIRE_CODE_SIZE]; /* of the last Rejected */
    int refusal_count;
    uint64_t refused_ns; /* when it was read */
    bool has_picture;
};

static void
see_more(void *user, const Cairn__V1__ServerMessage *message)
{
    struct watcher *watcher = user;
    const char *code = NULL;
    see(&watcher->client, message);
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED) {
        code = message->rejected->error->code;
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT) {
        watcher->has_picture = true;
    }
    if (code != NULL) {
        snprintf(watcher->refusal, sizeof(watcher->refusal), "%s", code);
        watcher->refusal_count++;
    }
}

static void
listen_to(struct durable_sim *sim, struct watcher *watcher)
{
    server_read(&sim->server, watcher->connection, see_more, watcher);
}

/* A second world, on the same worker. */
static void
make_other(struct durable_sim *sim)
{
    char text[4096];
    struct wire_text_error wrong;
    struct wire_error error;
    const struct sv_asker nobody = {0};
    snprintf(text, sizeof(text), "%s", twin_scene_text);
    char *name = strstr(text, "pair");
    assert_non_null(name);
    memcpy(name, "twin", 4);
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &wrong);
    assert_non_null(scene);
    assert_true(sv_host_create_world(
        &sim->server.host, "", sv_scene_create(scene), &nobody, &error));
}

static void
join_world(struct durable_sim *sim, struct watcher *watcher, char *name)
{
    Cairn__V1__Join part = CAIRN__V1__JOIN__INIT;
    part.world = name;
    CLIENT_MESSAGE(message, JOIN, join, &part);
    server_take(&sim->server, watcher->connection, &message);
}

static void
leave_world(struct durable_sim *sim, struct watcher *watcher)
{
    Cairn__V1__Leave part = CAIRN__V1__LEAVE__INIT;
    CLIENT_MESSAGE(message, LEAVE, leave, &part);
    server_take(&sim->server, watcher->connection, &message);
}

static void
enter(struct durable_sim *sim, struct watcher *watcher, char *person, char *world)
{
    *watcher = (struct watcher){.connection = sv_sim_connect(&sim->server.transport)};
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = person;
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    server_take(&sim->server, watcher->connection, &message);
    join_world(sim, watcher, world);
}

static void
push(struct durable_sim *sim, struct watcher *watcher)
{
    server_take_drag(&sim->server, watcher->connection, ++watcher->client.seq, 1, 0.0);
}

static void
assert_ready(struct durable_sim *sim, bool is_ready, const char *part)
{
    char text[256];
    struct sv_admin admin = {.host = &sim->server.host, .is_ready = true};
    assert_int_equal(sv_readiness(&admin, text, sizeof(text)), is_ready);
    assert_non_null(strstr(text, part));
}

static struct sv_world *
world_of(struct durable_sim *sim, const char *id)
{
    for (int i = 0; i < sim->server.worker.world_count; i++) {
        if (strcmp(sim->server.worker.worlds[i]->mailbox->id, id) == 0) {
            return sim->server.worker.worlds[i];
        }
    }
    fail_msg("no world is called %s", id);
    return NULL;
}

static int
held_count(struct durable_sim *sim, const char *id)
{
    const struct cn_held *held;
    return cn_world_held(world_of(sim, id)->engine, &held);
}

/* The number of records that say that the session joined, or left. */
static int
count_entries(struct durable_sim *sim, enum dd_entry_kind kind, uint64_t session)
{
    const struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    struct sv_record record;
    int count = 0;
    durable_sim_open(sim);
    struct sv_recovery *recovery =
        sv_recovery_begin(sim->store, sv_store_world(sim->store, 0).world, &checkpoint, &fault);
    assert_non_null(recovery);
    while (sv_recovery_next(recovery, &record, &fault) == SV_RECOVERY_RECORD) {
        struct dd_entry entry;
        for (size_t at = 0; at < record.entries_size;) {
            assert_true(dd_entry_read(record.entries, record.entries_size, &at, &entry));
            count += entry.kind == kind && entry.settled.session == session ? 1 : 0;
        }
    }
    sv_recovery_end(recovery);
    sv_store_abandon(sim->store);
    sim->disk.is_locked = false;
    return count;
}

/* A daemon in which ann pushes, and whose disk becomes full `at_ms` after a tick. */
static void
fill_disk(struct durable_sim *sim, struct watcher *ann, int at_ms, uint64_t fail_count)
{
    memset(sim, 0, sizeof(*sim));
    durable_sim_boot(sim, twin_scene_text);
    durable_sim_run(sim, 20);
    make_other(sim);
    enter(sim, ann, (char[]){"ann"}, (char[]){"pair"});
    durable_sim_run(sim, 100 + at_ms);
    assert_ready(sim, true, "ready");
    sim->memory.fail_kind = SV_FAULT_FULL;
    sim->memory.fail_first = sim->memory.attempt_count + 1;
    sim->memory.fail_count = fail_count;
    sim->disk.free_size = 4096;
    for (int i = 0; i < 100; i++) { /* so that some inputs are always unrecorded */
        push(sim, ann);
        durable_sim_step(sim, true);
    }
    assert_int_equal(sv_store_look(sim->store, NULL), SV_STORE_READ_ONLY);
    listen_to(sim, ann);
}

/*
 * The reserve stores the records from before the disk was full. Clients can still watch the world.
 */
static void
test_watched(void **state)
{
    (void)state;
    for (int at_ms = 0; at_ms < 17; at_ms += 4) {
        struct durable_sim sim;
        struct watcher ann, bob, cid;
        fill_disk(&sim, &ann, at_ms, 1);
        assert_ready(&sim, false, "E_DISK_FULL");
        durable_sim_run(&sim, 200 * at_ms); /* at various times after that */
        enter(&sim, &bob, (char[]){"bob"}, (char[]){"pair"});
        enter(&sim, &cid, (char[]){"cid"}, (char[]){"pair"});
        durable_sim_run(&sim, 60);
        listen_to(&sim, &bob);
        listen_to(&sim, &cid);
        assert_int_equal(bob.client.joined_count, 1);
        assert_true(bob.has_picture && bob.client.tick_count > 0);
        assert_int_equal(cid.client.joined_count, 1);
        assert_true(cid.has_picture);
        assert_int_equal(world_of(&sim, "pair")->member_count, 3);
        /* An input is rejected at once. */
        int before = ann.client.rejected_count;
        push(&sim, &ann);
        durable_sim_run(&sim, 5);
        listen_to(&sim, &ann);
        assert_int_equal(ann.client.rejected_count, before + 1);
        assert_string_equal(ann.refusal, "READONLY");
        /* A client that leaves is removed at once, and may come back. */
        leave_world(&sim, &bob);
        leave_world(&sim, &ann);
        durable_sim_run(&sim, 20);
        assert_int_equal(world_of(&sim, "pair")->member_count, 1);
        join_world(&sim, &ann, (char[]){"pair"});
        durable_sim_run(&sim, 40);
        ann.client.tick_count = 0;
        listen_to(&sim, &ann);
        assert_int_equal(ann.client.joined_count, 2);
        assert_int_equal(world_of(&sim, "pair")->member_count, 2);
        /* There is room again. */
        assert_true(held_count(&sim, "pair") > 0);
        sim.disk.free_size = 0;
        durable_sim_run(&sim, 1500);
        assert_ready(&sim, true, "ready");
        assert_int_equal(held_count(&sim, "pair"), 0); /* ann's inputs ended when she left */
        ann.client.seq = 0;
        push(&sim, &ann);
        durable_sim_run(&sim, 100);
        listen_to(&sim, &ann);
        assert_int_equal(ann.client.durable_seq, 1);
        assert_int_equal(held_count(&sim, "pair"), 1);
        uint64_t ann_session = ann.client.session, cid_session = cid.client.session;
        uint64_t bob_session = bob.client.session;
        durable_sim_crash(&sim, 9);
        assert_int_equal(count_entries(&sim, DD_ENTRY_LEFT, ann_session), 1);
        assert_int_equal(count_entries(&sim, DD_ENTRY_JOINED, ann_session), 2);
        assert_int_equal(count_entries(&sim, DD_ENTRY_JOINED, cid_session), 1);
        assert_int_equal(count_entries(&sim, DD_ENTRY_JOINED, bob_session), 0);
        assert_int_equal(count_entries(&sim, DD_ENTRY_LEFT, bob_session), 0);
        durable_sim_boot(&sim, twin_scene_text);
        assert_string_equal(world_of(&sim, "pair")->failure, "");
        durable_sim_close(&sim);
        durable_sim_finish(&sim);
    }
}

/*
 * Nothing can be stored at all.  A world whose last inputs are not durable is shown to no client,
 * and new inputs are rejected.  Clients can watch the world beside it, although answers of the
 * first world wait for the disk.
 */
static void
test_not_even_the_reserve(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct watcher ann, bob, cid;
    fill_disk(&sim, &ann, 3, EVER);
    assert_ready(&sim, false, "E_DISK_FULL");
    enter(&sim, &bob, (char[]){"bob"}, (char[]){"pair"});
    enter(&sim, &cid, (char[]){"cid"}, (char[]){"twin"});
    int before = ann.client.rejected_count;
    push(&sim, &ann);
    durable_sim_run(&sim, 60);
    listen_to(&sim, &ann);
    listen_to(&sim, &bob);
    listen_to(&sim, &cid);
    assert_int_equal(ann.client.rejected_count, before + 1);
    assert_int_equal(cid.client.joined_count, 1);
    assert_true(cid.has_picture);
    assert_int_equal(bob.client.joined_count, 0);
    durable_sim_run(&sim, 2000);
    listen_to(&sim, &bob);
    assert_int_equal(bob.client.joined_count, 0);
    assert_int_equal(bob.refusal_count, 1);
    assert_string_equal(bob.refusal, "READONLY");
    push(&sim, &cid);
    durable_sim_run(&sim, 5);
    listen_to(&sim, &cid);
    assert_int_equal(cid.client.rejected_count, 1);
    uint64_t shown = ann.client.applied_seq;
    sim.memory.fail_first = 0;
    sim.disk.free_size = 0;
    durable_sim_run(&sim, 2500);
    assert_ready(&sim, true, "ready");
    join_world(&sim, &bob, (char[]){"pair"});
    durable_sim_run(&sim, 100);
    listen_to(&sim, &ann);
    listen_to(&sim, &bob);
    assert_int_equal(bob.client.joined_count, 1);
    assert_true(ann.client.durable_seq >= shown && ann.client.durable_seq > 0);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watched),
        cmocka_unit_test(test_not_even_the_reserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
