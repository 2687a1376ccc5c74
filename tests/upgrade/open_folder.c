/*
 * open_folder.c: prints the worlds that a daemon recovers from a data folder, for the test in
 * `run`.
 *
 * usage: open_folder [--go-on] FOLDER
 *
 * Lines, in the order of the store:
 *
 *     world ID STATE TICK HASH SLOTS JOINTS            STATE: running, paused, failed REASON
 *     upgraded ID PHYSICS                              it was just carried over from that version
 *     settings ID STEPPER SOLVER X Y Z RATE SLEEP      gravity [m/s^2], time rate
 *     body ID SLOT NAME GENERATION TYPE ASLEEP  X Y Z  W X Y Z  VX VY VZ  WX WY WZ
 *     joint ID SLOT GENERATION KIND A B COORDINATE RATE
 *     held ID SOURCE SLOT KIND TARGET UNTIL
 *
 * The folder is opened as by a daemon and may change, so use a copy.  With --go-on the store runs
 * and stops normally, which leaves a checkpoint of each world.
 */
#include "engine/state/image.h"
#include "server/base/clock.h"
#include "server/host/recover.h"
#include "server/host/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS_MAX 64
#define ROUNDS 50 /* of journal and keeper, each until they have nothing to do */

static struct sv_log log_;
static struct sv_metrics metrics;
static struct sv_worker worker;
static struct sv_worker *workers[1] = {&worker};
static struct sv_host host;

static void
no_wake(void *context, int number)
{
    (void)context;
    (void)number;
}

static void
print_body(const struct sv_world *world, int slot)
{
    struct cn_body_view v;
    cn_world_body_view(world->engine, slot, &v);
    if (v.absent) {
        return;
    }
    const char *name = wire_scene_body_name(world->shown->scene, slot);
    printf("body %s %d %s %u %d %d  %.17g %.17g %.17g  %.17g %.17g %.17g %.17g"
           "  %.17g %.17g %.17g  %.17g %.17g %.17g\n",
        world->mailbox->id, slot, name != NULL && name[0] != '\0' ? name : "-",
        (unsigned)v.generation, (int)v.type, v.island >= 0, v.position.x, v.position.y,
        v.position.z, v.orientation.w, v.orientation.x, v.orientation.y, v.orientation.z,
        v.velocity.x, v.velocity.y, v.velocity.z, v.angular_velocity.x, v.angular_velocity.y,
        v.angular_velocity.z);
}

static void
print_joint(const struct sv_world *world, int slot)
{
    struct cn_joint_view v;
    cn_world_joint_view(world->engine, slot, &v);
    if (!v.absent) {
        printf("joint %s %d %u %d %d %d %.17g %.17g\n", world->mailbox->id, slot,
            (unsigned)v.generation, (int)v.kind, v.body_a, v.body_b, v.coordinate, v.rate);
    }
}

static void
print_world(const struct sv_world *world)
{
    const char *id = world->mailbox->id;
    const struct cn_settings *settings = cn_world_settings(world->engine);
    const struct cn_held *held;
    printf("world %s %s %" PRIu64 " %016" PRIx64 " %d %d\n", id,
        world->state == WIRE_WORLD_PAUSED ? "paused" : "running", cn_world_tick(world->engine),
        cn_world_hash(world->engine), cn_world_body_count(world->engine),
        cn_world_joint_count(world->engine));
    if (world->persist.upgrade_physics != 0) {
        printf("upgraded %s %u\n", id, (unsigned)world->persist.upgrade_physics);
    }
    printf("settings %s %s %s %.17g %.17g %.17g %.17g %d\n", id, settings->stepper,
        settings->solver, settings->gravity.x, settings->gravity.y, settings->gravity.z,
        settings->time_rate, settings->sleep);
    for (int i = 0; i < cn_world_body_count(world->engine); i++) {
        print_body(world, i);
    }
    for (int i = 0; i < cn_world_joint_count(world->engine); i++) {
        print_joint(world, i);
    }
    int count = cn_world_held(world->engine, &held);
    for (int i = 0; i < count; i++) {
        printf("held %s %" PRIu64 " %u %d %d %" PRIu64 "\n", id, held[i].holder.source,
            (unsigned)held[i].holder.slot, (int)held[i].kind, held[i].target,
            held[i].holder.until_tick);
    }
}

static int
complain(const char *text)
{
    fprintf(stderr, "open_folder: %s\n", text);
    return 1;
}

static int
go_on(struct sv_store *store)
{
    struct sv_fault fault;
    sv_worker_settle(&worker);
    for (int i = 0; i < ROUNDS; i++) {
        (void)sv_store_run_journal(store);
        (void)sv_store_run_keeper(store);
    }
    return sv_store_close(store, &fault) ? 0 : complain(fault.text);
}

int
main(int argc, char **argv)
{
    bool is_going_on = argc == 3 && strcmp(argv[1], "--go-on") == 0;
    if (argc != 2 && !is_going_on) {
        return complain("usage: open_folder [--go-on] FOLDER");
    }
    struct sv_disk_real disk = {.lock_fd = -1};
    struct sv_fault fault;
    struct sv_recovered recovered;
    struct wire_error error;
    struct sv_store_config config = {.folder = argv[argc - 1],
        .lane_count = 1,
        .history_size = SV_STORE_HISTORY_SIZE,
        .past_ms = 600000,
        .past_size = SV_HISTORY_SIZE,
        .clock = sv_clock_real(),
        .log = &log_};
    sv_log_init(&log_, SV_LOG_INFO, config.clock);
    config.disk = sv_disk_real(&disk);
    struct sv_store *store = sv_store_open(&config, &fault);
    if (store == NULL || !sv_worker_init(&worker, config.clock, &log_, &metrics, true)) {
        return complain(store == NULL ? fault.text : "no memory");
    }
    sv_host_init(&host, workers, 1, WORLDS_MAX);
    host.wake = no_wake;
    worker.env.store = store;
    worker.env.lane = sv_store_lane(store, 0);
    worker.env.meshes = host.meshes;
    worker.env.has_past = true;
    if (!sv_recover_worlds(&host, store, &log_, &recovered, &error)) {
        return complain(error.text);
    }
    for (int i = 0; i < host.world_count; i++) {
        if (host.worlds[i]->status.state == WIRE_WORLD_FAILED) {
            printf("world %s failed %s\n", host.worlds[i]->mailbox.id,
                host.worlds[i]->status.failure);
        } else {
            print_world(host.worlds[i]->mailbox.world);
        }
    }
    int status = is_going_on ? go_on(store) : 0;
    if (!is_going_on) {
        sv_store_abandon(store);
    }
    sv_worker_finish(&worker);
    sv_host_finish(&host);
    return status;
}
