/*
 * cli.h: the command `cairn`: its commands and options, two tables.
 *
 * The tables make the parser, --help, `cairn help COMMAND` and the manual page.  A command is one
 * file with one function and one line here.
 */
#ifndef CLIENTS_CLI_CLI_H
#define CLIENTS_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes, the same for every command. */
enum cli_exit {
    CLI_DONE = 0,
    CLI_NO = 1,        /* the answer is no */
    CLI_BAD = 2,       /* usage, or bad input */
    CLI_COULD_NOT = 3, /* files, memory */
};

/* Name, operands, their least and largest number (-1: no limit), one line, more lines. */
#define CLI_COMMAND_TABLE(X)                                                                       \
    X(run, "SCENE", 1, 1, "run a scene and write what happens, sample by sample",                  \
        "SCENE is a file (YAML or JSON, - for standard input) or a bundled scene's name. It\n"     \
        "writes a sample at the start, at every K-th tick and at the last.\n"                      \
        "\n"                                                                                       \
        "json: one object a line: tick, time [s], bodies [{name, position [m], angle [rad],\n"     \
        "velocity [m/s], angularVelocity [rad/s], acceleration [m/s^2], angularAcceleration\n"     \
        "[rad/s^2]}], contacts [{bodyA, bodyB, point [m], normal (from A to B), gap [m], force\n"  \
        "[N], friction [N], impulse [N s] of the tick's impacts}], joints [{name, kind, bodyA,\n"  \
        "bodyB, pointA, pointB [m], force on B [N], torque [N m], gap, coordinate, rate,\n"        \
        "motor}], energy {kinetic, potential, total} [J], solver {name, outcome, residual,\n"      \
        "iterations}, events since the last sample [{kind, bodyA, bodyB, time, value}] and the\n"  \
        "hash of the state, 16 hex digits. Positions are of the body's frame, velocities of the\n" \
        "centre of mass.  The solver impulse states no problem to judge its forces by, and has\n"  \
        "no residual.\n"                                                                           \
        "\n"                                                                                       \
        "csv: a header, then a line for each body of a sample: tick, time, body, x, y, angle,\n"   \
        "velocityX, velocityY, angularVelocity, accelerationX, accelerationY,\n"                   \
        "angularAcceleration.  csv-joints: a line for each joint: tick, time, joint, x, y,\n"      \
        "forceX, forceY, torque, gap, motor.  Forces and accelerations are those that hold at\n"   \
        "the sample, at the start, too; with impulse and propagation forces are those of the\n"    \
        "last tick, and impulse knows no accelerations.\n")                                        \
    X(record, "WORLD", 1, 1, "write the log of a stored world into a file",                        \
        "WORLD is a world in a data folder that no daemon uses, or with --server in a running\n"   \
        "daemon.  The file begins with the oldest stored state, and holds the scenes, every\n"     \
        "input and order, and the hash of the state at every 64th tick; see docs/timeline.md.\n"   \
        "\n"                                                                                       \
        "With --every-tick the world is replayed meanwhile, and the file holds the hash of\n"      \
        "every tick and one of each body: cairn verify then names the first tick and the first\n"  \
        "body that differ.\n")                                                                     \
    X(import, "FILE", 1, 1, "make a world of a daemon from a recording",                           \
        "The daemon replays the recording, compares every hash, and the world goes on where it\n"  \
        "ends; held inputs are released.  A recording has at most 4 MiB, and its replay may\n"     \
        "take 30 s.  The answer is the world's status, as GET /v1/worlds/ID gives it.\n")          \
    X(verify, "FILE|FOLDER [WORLD]", 1, 2, "replay a recording and compare every hash",            \
        "FILE is a recording (- for standard input), FOLDER a data folder that no daemon uses,\n"  \
        "of which WORLD or all worlds are replayed.  The exit status is 1 when a hash differs.\n"  \
        "Then the first such tick is named, as exactly as the hashes allow.  Where the\n"          \
        "recording has hashes of bodies, so are the bodies that differ, and the island of the\n"   \
        "first.\n"                                                                                 \
        "\n"                                                                                       \
        "A world of a folder goes on from its last log entry to the last tick that clients may\n"  \
        "have been shown, as the daemon's next start does.  With --shown each line of that file\n" \
        "is compared with the view of the world at its tick.  The exit status is 1 when a view\n"  \
        "differs, or was shown and is missing; ticks that the folder no longer has are counted.\n" \
        "A line is WORLD GENERATION TICK VIEWHASH and, in space, which component of each\n"        \
        "rotation was left out; see docs/timeline.md.\n")                                          \
    X(backup, "FOLDER OUT", 2, 2, "copy a data folder, also of a daemon that runs",                \
        "OUT must not exist.  It is made as a whole or not at all: a data folder with which a\n"   \
        "daemon starts.  It has everything that was acknowledged before the command began, and\n"  \
        "the daemon goes on working meanwhile.  The command needs permission to write to\n"        \
        "FOLDER: run it as the daemon's user, for example.\n"                                      \
        "\n"                                                                                       \
        "The copy is read back and compared with its checks: every checkpoint, every commit,\n"    \
        "every scene.  With --verify each world's past is replayed, too, as by cairn verify.\n"    \
        "The exit status is 1 when the copy was made but has damage; FOLDER has it, too.\n")       \
    X(replay, "FILE", 1, 1, "replay a recording and write what happens, sample by sample",         \
        "FILE is a recording (- for standard input).  Samples are those of cairn run; see\n"       \
        "there. A sample shows the tick before its log entries; where they add or remove bodies\n" \
        "at the last tick, it is shown again after them.  Samples begin at --from and end when\n"  \
        "--to is first reached: a reset sets the tick back, so ticks may come more than once.\n"   \
        "The exit status is 1 when a hash differs.\n")                                             \
    X(export, "FILE", 1, 1, "write the contents of a recording for other programs",                \
        "--csv writes three tables: OUT-bodies.csv (tick, time [s], body, position [m], angle\n"   \
        "or orientation, velocities, kinetic energy [J]), OUT-contacts.csv (the bodies, point,\n"  \
        "normal from A to B, gap [m], force and friction [N], impulse [N s]) and OUT-energy.csv\n" \
        "(the world's energies, how many contacts, the hash of the state).\n"                      \
        "\n"                                                                                       \
        "--mcap writes a file that Foxglove opens, with its schemas in it: /scene and /tf are\n"   \
        "the bodies for its 3D panel (y of a world is up), /bodies, /contacts and /energy the\n"   \
        "numbers.  Its clock begins at 0 and counts the ticks.\n")                                 \
    X(check, "SCENE", 1, 1, "say whether the contacts of a scene hold it, and prove it",           \
        "Takes the scene at rest and asks, in exact numbers, whether forces at its contacts can\n" \
        "hold the weights, and by what margin: the largest force that every contact that bears\n"  \
        "load can press with at the same time; below 0 contacts would have to pull.  With\n"       \
        "friction the answer is whether a holding force exists.  Planar scenes of boxes,\n"        \
        "polygons, circles and planes, spatial ones of boxes, spheres and planes; no springs,\n"  \
        "no joints; at most 2048 bodies that touch at 32768 points.  The exit status is 1 when\n" \
        "the answer is unstable, 3 when it is undecided.\n"                                       \
        "\n"                                                                                       \
        "text: the verdict, what it means, the margin, and the bodies of the motion that no\n"     \
        "forces can resist better, as soon as they are proved; a scene of 1,000 bricks takes\n"    \
        "some seconds.  The certificate is written with --out, or as json.  With --start it\n"     \
        "also gives the first accelerations of what falls without friction, and which contacts\n"  \
        "open; for at most 512 points.\n"                                                          \
        "\n"                                                                                       \
        "json: {stable, margin [N], verdict: stable|critical|unstable|undecided, claim,\n"         \
        "certificate}; critical is a margin within 10^-12 of the weight.  With friction in\n"      \
        "space, and where many normals are slanted, the margin is proved to lie between two\n"     \
        "numbers; undecided is one so near to 0 that they differ in sign.  The numbers are\n"      \
        "fractions: forces along normal and tangent, a motion that no forces can resist\n"         \
        "better, and with --start the accelerations [x, y, angle] (in space six), and for\n"       \
        "each contact what it pushes and how fast it opens.\n"                                     \
        "\n"                                                                                       \
        "With --verify nothing is proved anew: FILE (- for standard input), which an earlier\n"    \
        "check wrote, is checked against the scene, in exact numbers, by code that shares none\n"  \
        "with what wrote it.  The exit status is 1 when it proves nothing.\n")                     \
    X(validate, "SCENE...", 1, -1, "say what is wrong with scenes, and where",                     \
        "Each SCENE is a file (- for standard input) or a bundled scene's name. Errors name\n"     \
        "file, line, column, field, value and what is accepted.\n")                                \
    X(bench, "[SCENE...]", 0, -1, "measure how long a step of large scenes takes",                 \
        "SCENE is for example washer, planar/washer, or planar for all planar scenes; without\n"   \
        "one all are run.  The scenes are the field's usual benchmarks, built in the same way\n"   \
        "and with the same names.  A step is 1/60 s; the first, in which all is new, does not\n"   \
        "count.\n"                                                                                 \
        "\n"                                                                                       \
        "table: bodies; pairs of shapes that are near and that touch, contact points, and the\n"   \
        "colours (+ the contacts that no colour had room for), all after the last step;\n"         \
        "milliseconds a step: mean of the quickest run, and median, least and 99th percentile\n"   \
        "over the steps; kilobytes of the world in memory and of its image, and the hash of the\n" \
        "state at the end.  Below it the time by phase, and of stacks the deepest penetration,\n"  \
        "how far the top has sunk on average, and the most that a box moved along the ground\n"    \
        "and tilted, their kinetic energy, when a box had first moved by more than 1 m, and\n"     \
        "since when all sleep; of meshes how many fell out of the scene and how many rest,\n"      \
        "and how deep they overlapped others.  json and csv have the same numbers, an object\n"    \
        "or a line for a scene.\n")                                                                \
    X(query, "SCENE", 1, 1, "say what a ray, a moving shape or a placed shape hits",               \
        "SCENE is a file (- for standard input) or a bundled scene's name.  --from and --along\n"  \
        "cast a ray, with --ball or --box that shape moves along the way, and without --along\n"   \
        "the shapes that it overlaps in place are given.  The exit status is 1 without a hit.\n"   \
        "--tick and --age ask the world as it was, up to a second before, or as long as the\n"     \
        "scene's world.rewindMs says: the answer is the same to the bit as then.\n"                \
        "\n"                                                                                       \
        "Hits come in their order along the way, a line for each; json: tick, kind (ray, cast,\n"  \
        "overlap) and hits [{body, shape (its place in the body), fraction of the way, point\n"    \
        "[m], normal (out of what is hit), inside}], of an overlap body and shape alone.\n")       \
    X(load, "[WORLD...]", 0, -1, "put bots on a daemon and say what they see",                     \
        "Bots join the worlds in turn (all worlds, unless some are named), act by their\n"         \
        "scripts, and measure times.  Measuring begins when the last bot has joined.\n"            \
        "\n"                                                                                       \
        "The scripts: idle watches; push pushes a body each second; drag drags one in circles,\n"  \
        "twenty inputs a second for three seconds; burst sends thirty inputs within a quarter\n"   \
        "second, every three seconds.\n"                                                           \
        "\n"                                                                                       \
        "table and json: how long round trips took, snapshots from publishing to arrival (by\n"    \
        "the daemon's clock), jitter between arrivals, inputs until a tick contained them, and\n"  \
        "joins; by how much this program was late itself; bytes by kind of message; ticks\n"       \
        "skipped; how the inputs ended; errors.  A line that loses a message delays what\n"        \
        "follows it for 200 ms and a round trip, as TCP does.  The exit status is 1 when a\n"      \
        "limit of a --fail option is exceeded, or a snapshot does not have its hash.  An\n"        \
        "interrupt ends the run with the report so far.\n")                                        \
    X(key, "FILE", 1, 1, "make a key pair that signs tokens",                                      \
        "Writes the private key to FILE, readable by its owner alone, and the public one to\n"     \
        "FILE.pub; neither may exist.  cairnd --token-key FILE.pub then accepts clients with a\n"  \
        "token that cairn token --key FILE has made.  Keys are JSON Web Keys of Ed25519; kid,\n"   \
        "the key's name in tokens, is its thumbprint.\n")                                          \
    X(token, "", 0, 0, "make a token, which gives its bearer rights for some time; or show one",   \
        "Prints a token that the private key FILE signs.  Each role may do what the one before\n"  \
        "may, and more:\n"                                                                         \
        "\n"                                                                                       \
        "observer: see worlds.  player: push and drag bodies.  instructor: control the world\n"    \
        "that is joined: pause, reset, settings, changes.  operator: make, load and remove\n"      \
        "worlds.\n"                                                                                \
        "\n"                                                                                       \
        "The page takes a token that is pasted, or that stands behind # in its address:\n"         \
        "http://127.0.0.1:7878/#token=...; programs send it in Hello, or in an Authorization\n"    \
        "header.  Every bearer can use it until it expires: pass it on with care.\n"               \
        "\n"                                                                                       \
        "With --show no token is made: the token in FILE (- for standard input) is decoded, and\n" \
        "with --key, public or private, verified.  The exit status is 1 when it is not good.\n")   \
    X(revoke, "FILE", 1, 1, "withdraw a token before it expires",                                  \
        "Adds a line to FILE, which is made if it does not exist.  A daemon reads it at its\n"     \
        "start and on SIGHUP: cairnd --token-revoked FILE.  Sessions of the token end then. The\n" \
        "token is named by --id, which logs and cairn token --show print, or taken from a file\n"  \
        "(- for standard input); --for revokes all tokens of a bearer, old and new, until the\n"   \
        "line is removed.\n"                                                                       \
        "\n"                                                                                       \
        "FILE is text: \"jti ID\", \"jti ID until SECONDS\" (Unix time, after which the line has\n"\
        "no effect and can be removed) or \"sub NAME\" a line; a line that begins with # is a\n"   \
        "comment.\n")                                                                              \
    X(list, "WHAT", 1, 1, "list solvers, steppers, shapes, joints, scenes, events or commands",    \
        "Prints a name and one line about it; WHAT is one of solvers, steppers, shapes, joints,\n" \
        "scenes, events (of a sample) and commands (that change a world).\n")                      \
    X(watch, "WORLD", 1, 1, "show a world of a daemon as it runs",                                 \
        "On a terminal a screen that is drawn four times a second, until q or an interrupt;\n"     \
        "otherwise a line each second.  It joins the world, which wakes an idle one, and\n"        \
        "subscribes to contacts and energy; their bytes are among those that it shows. With\n"     \
        "--area or --tag it sees these bodies and those that are always relevant.\n"               \
        "\n"                                                                                       \
        "json: an object a line: world, state, tick, time [s], ticksPerS that came,\n"             \
        "skippedPerS, realTimeFactor, stepMs (median of a second), clients, bodies, asleep,\n"     \
        "stepper, solver, roundTripMs, snapshotMs (from publishing to arrival), contacts, rows,\n" \
        "iterations, residual where the forces are judged, energy {kinetic, potential, total}\n"   \
        "[J] and bytesPerS by message.\n")                                                         \
    X(worlds, "", 0, 0, "list the worlds of a daemon",                                             \
        "A line for each: whether it runs, rests without members, is paused or failed; tick,\n"    \
        "bodies, contacts, clients, the median time of a step, stepper and solver. json: as GET\n" \
        "/v1/worlds gives it.\n")                                                                  \
    X(help, "[COMMAND]", 0, 1, "print help, of one command or of all", "")

#define CLI_QUERY_NOW INT64_MAX /* --tick and --age were not given: query the present world */

#define X(name, operands, least, most, line, text) CLI_COMMAND_##name,
enum cli_command { CLI_COMMAND_TABLE(X) CLI_COMMAND_COUNT };
#undef X

/* Command, kind, member, name, argument, default in words, description. */
#define CLI_OPTION_TABLE(X)                                                                        \
    X(run, TEXT, stepper, "stepper", "S", "the scene's", "step with S (see cairn list steppers)")  \
    X(run, TEXT, solver, "solver", "S", "the scene's", "solve with S (see cairn list solvers)")    \
    X(run, COUNT, ticks, "ticks", "N", "600", "run N ticks")                                       \
    X(run, COUNT, sample_every, "sample-every", "K", "1", "write a sample every K ticks")          \
    X(run, TEXT, simd, "simd", "I", "the best", "solve with instruction set I (solver impulse)")   \
    X(run, COUNT, workers, "workers", "N", "1", "spread a step over N threads (solver impulse)")   \
    X(run, TEXT, format, "format", "F", "json", "write json, csv or csv-joints")                   \
    X(run, TEXT, out, "out", "FILE", "standard output", "write to FILE")                           \
    X(run, TEXT, run_record, "record", "FILE", "no", "write a recording to FILE, too")             \
    X(run, FLAG, run_every_tick, "every-tick", "", "every 64th",                                   \
        "record the hash of every tick and of each body")                                          \
    X(record, TEXT, record_out, "out", "FILE", "must be given", "write to FILE")                   \
    X(record, TEXT, record_data, "data", "FOLDER", "cairn-data", "the daemon's data folder")       \
    X(record, TEXT, record_server, "server", "ADDR", "read the folder",                            \
        "ask this daemon: HOST:PORT of its listener for operators")                                \
    X(record, TEXT, record_token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token") \
    X(backup, COUNT, backup_rate, "rate", "MIB", "64",                                             \
        "copy this many MiB of checkpoints a second; 0: as fast as possible")                      \
    X(backup, FLAG, backup_verify, "verify", "", "compare with the checks",                        \
        "replay every world, too")                                                                 \
    X(import, TEXT, import_as, "as", "ID", "must be given", "id of the new world")                 \
    X(import, TEXT, import_server, "server", "ADDR", "CAIRN_SERVER, or 127.0.0.1:7878",            \
        "the daemon: HOST:PORT of its listener for operators")                                     \
    X(import, TEXT, import_token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token") \
    X(record, FLAG, record_every_tick, "every-tick", "", "as it is stored",                        \
        "replay it and record the hash of every tick and of each body")                            \
    X(replay, COUNT, replay_from, "from", "N", "the beginning", "begin at tick N")                 \
    X(replay, COUNT, replay_to, "to", "N", "the end", "end at tick N")                             \
    X(replay, COUNT, replay_every, "sample-every", "K", "1", "write a sample every K ticks")       \
    X(replay, TEXT, replay_format, "format", "F", "json", "write json or csv")                     \
    X(replay, TEXT, replay_out, "out", "FILE", "standard output", "write to FILE")                 \
    X(verify, TEXT, verify_shown, "shown", "FILE", "the recorded hashes alone",                    \
        "of a folder: also compare views of clients, as --shown of watch and load wrote them")     \
    X(export, TEXT, export_csv, "csv", "OUT", "must be given, or --mcap", "write tables to OUT-*") \
    X(export, TEXT, export_mcap, "mcap", "OUT", "must be given, or --csv", "write MCAP to OUT")    \
    X(export, COUNT, export_from, "from", "N", "the beginning", "begin at tick N")                 \
    X(export, COUNT, export_to, "to", "N", "the end", "end at tick N")                             \
    X(export, COUNT, export_every, "sample-every", "K", "1", "write every Kth tick")               \
    X(check, TEXT, check_format, "format", "F", "text", "write text to read, or json")             \
    X(check, TEXT, check_out, "out", "FILE", "standard output", "write the json to FILE")          \
    X(check, FLAG, check_start, "start", "", "verdict and proof alone",                            \
        "say how falling bodies start to move, too")                                               \
    X(check, TEXT, side_contacts, "side-contacts", "W", "yes",                                     \
        "no: as if faces at right angles to gravity did not quite touch")                          \
    X(check, TEXT, friction, "friction", "W", "yes", "no: as if there were none")                  \
    X(check, TEXT, verify, "verify", "FILE", "prove", "verify the certificate in FILE instead")    \
    X(bench, COUNT, bench_steps, "steps", "N", "the scene's", "run N steps")                       \
    X(bench, COUNT, bench_minutes, "minutes", "N", "the scene's", "run N simulated minutes")       \
    X(bench, FLAG, bench_sleep, "sleep", "", "the scene's", "let bodies sleep")                    \
    X(bench, COUNT, bench_runs, "runs", "N", "1", "run each scene N times")                        \
    X(bench, TEXT, bench_stepper, "stepper", "S", "time", "step with S")                           \
    X(bench, TEXT, bench_solver, "solver", "S", "impulse", "solve with S")                         \
    X(bench, COUNT, bench_workers, "workers", "N", "1", "spread a step over N threads")            \
    X(bench, TEXT, bench_simd, "simd", "X", "the best", "use this instruction set")                \
    X(bench, COUNT, bench_substeps, "substeps", "N", "the scene's", "cut a step into N")           \
    X(bench, COUNT, bench_count, "count", "N", "1000", "drop N rings (rings)")                     \
    X(bench, COUNT, bench_triangles, "triangles", "N", "320", "of N triangles each (rings)")       \
    X(bench, FLAG, bench_literal, "literal", "", "with guards", "propagate as the paper says")     \
    X(bench, TEXT, bench_format, "format", "F", "table", "write a table, json or csv")             \
    X(bench, FLAG, bench_list, "list", "", "run", "list the scenes instead")                       \
    X(query, COUNT, query_ticks, "ticks", "N", "0", "run N ticks before")                          \
    X(query, COUNT, query_tick, "tick", "N", "the last", "ask the world as it was after tick N")   \
    X(query, COUNT, query_age, "age", "MS", "now", "ask the world as it was MS milliseconds ago")  \
    X(query, TEXT, query_from, "from", "X,Y[,Z]", "must be given", "begin there [m]")              \
    X(query, TEXT, query_along, "along", "X,Y[,Z]", "an overlap", "go along this vector [m]")      \
    X(query, TEXT, query_ball, "ball", "R", "a ray", "move, or place, a ball of radius R [m]")     \
    X(query, TEXT, query_box, "box", "X,Y[,Z]", "a ray", "move, or place, a box of this size [m]") \
    X(query, COUNT, query_hits, "hits", "N", "16", "give the first N hits")                        \
    X(query, FLAG, query_sensors, "sensors", "", "no", "hit sensors, too")                         \
    X(query, FLAG, query_json, "json", "", "text", "write json")                                   \
    X(load, TEXT, load_server, "server", "ADDR", "CAIRN_SERVER, or 127.0.0.1:7878",                \
        "the daemon: HOST:PORT, ws:// or wss://")                                                  \
    X(load, TEXT, load_ca, "ca", "FILE", "the system's", "trust these certificates")               \
    X(load, TEXT, load_token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token")     \
    X(load, COUNT, load_bots, "bots", "N", "100", "put N bots on it")                              \
    X(load, NUMBER, load_duration, "duration", "S", "10", "measure for S seconds")                 \
    X(load, NUMBER, load_ramp, "ramp", "S", "5 ms a bot", "add the bots over S seconds")           \
    X(load, TEXT, load_script, "script", "LIST", "idle=40,push=30,drag=25,burst=5",                \
        "models of the bots, and their shares")                                                    \
    X(load, NUMBER, load_latency, "latency-ms", "MS", "0",                                         \
        "delay messages by this much, each way")                                                   \
    X(load, NUMBER, load_jitter, "jitter-ms", "MS", "0", "and by up to this much more, at random") \
    X(load, NUMBER, load_loss, "loss-percent", "P", "0",                                           \
        "lose this share of the messages, each way")                                               \
    X(load, NUMBER, load_ping, "ping-ms", "MS", "1000",                                            \
        "measure a round trip this often, each bot")                                               \
    X(load, NUMBER, load_late, "late-ms", "MS", "250", "an input that takes longer is late")       \
    X(load, NUMBER, load_verify, "verify-percent", "P", "1",                                       \
        "share of bots that check every snapshot's hash; the first bot of a world always does")    \
    X(load, TEXT, load_shown, "shown", "FILE", "no",                                               \
        "append what bots are shown to FILE, for verify --shown; mode quantised or delta")         \
    X(load, TEXT, load_mode, "mode", "M", "quantised",                                             \
        "receive bodies as quantised, delta, raw or json")                                         \
    X(load, COUNT, load_rate, "rate", "HZ", "0, all", "ask for this many ticks a second")          \
    X(load, TEXT, load_area, "area", "X,Y[,Z],R", "all of the world",                              \
        "receive bodies within R metres along each axis")                                          \
    X(load, TEXT, load_tag, "tag", "TAG,...", "all of the world",                                  \
        "receive bodies with these tags")                                                          \
    X(load, COUNT, load_budget, "budget", "BYTES", "0, no limit",                                  \
        "bytes of ticks per second and bot; in mode delta")                                        \
    X(load, COUNT, load_ack, "ack-every", "N", "6", "acknowledge every Nth tick; 0: none")         \
    X(load, FLAG, load_contacts, "contacts", "", "no", "subscribe to contacts")                    \
    X(load, FLAG, load_energy, "energy", "", "no", "subscribe to energy")                          \
    X(load, COUNT, load_create, "create", "N", "0", "create N worlds first, and remove them")      \
    X(load, TEXT, load_scene, "scene", "NAME", "must be given", "bundled scene of those worlds")   \
    X(load, COUNT, load_seed, "seed", "N", "1", "the same seed has the same inputs")               \
    X(load, COUNT, load_memory, "watch-memory", "PID", "no",                                       \
        "the daemon's process on this machine, whose memory is watched")                           \
    X(load, NUMBER, load_settle, "settle", "S", "300", "measure growth of memory from then on")    \
    X(load, TEXT, load_format, "format", "F", "table", "write table or json")                      \
    X(load, NUMBER, load_fail_p99, "fail-p99-ms", "MS", "none",                                    \
        "accept at most this p99 of the round trips")                                              \
    X(load, NUMBER, load_fail_snapshot, "fail-snapshot-p99-ms", "MS", "none",                      \
        "the same of snapshots")                                                                   \
    X(load, NUMBER, load_fail_errors, "fail-errors", "N", "none",                                  \
        "accept at most N errors; BUSY is not one")                                                \
    X(load, NUMBER, load_fail_growth, "fail-growth-percent", "P", "none",                          \
        "accept at most this growth of memory since --settle")                                     \
    X(token, TEXT, token_key, "key", "FILE", "must be given", "sign, or verify, with this key")    \
    X(token, TEXT, token_role, "role", "R", "must be given",                                       \
        "give the role R: observer, player, instructor, operator")                                 \
    X(token, TEXT, token_for, "for", "NAME", "must be given", "name of the bearer")                \
    X(token, TEXT, token_world, "world", "W", "*, all",                                            \
        "only in worlds W; * is any run of letters")                                               \
    X(token, TEXT, token_expires, "expires", "T", "1h", "valid for T: 90s, 30m, 8h; at most 24h")  \
    X(token, TEXT, token_force, "force", "N", "the daemon's", "allow inputs of at most N newtons") \
    X(token, TEXT, token_torque, "torque", "N", "the daemon's", "and at most N newton metres")     \
    X(token, COUNT, token_messages, "messages", "N", "the daemon's", "and N messages a second")    \
    X(token, TEXT, token_issuer, "issuer", "NAME", "none", "name of the issuer (iss)")             \
    X(token, TEXT, token_audience, "audience", "NAME", "none",                                     \
        "name of the daemon it is for (aud)")                                                      \
    X(token, TEXT, token_tenant, "tenant", "NAME", "the bearer", "share this tenant's quota")      \
    X(token, TEXT, token_quota, "quota", "Q", "the daemon's",                                      \
        "allow worlds=4,forks=8,replays=2,checks=1,requests=50,sent=...,received=...")             \
    X(token, TEXT, token_show, "show", "FILE", "make one", "show the token in FILE instead")       \
    X(revoke, TEXT, revoke_id, "id", "JTI", "none", "revoke the token of this id")                 \
    X(revoke, TEXT, revoke_token, "token-file", "FILE", "none", "revoke the token in this file")   \
    X(revoke, TEXT, revoke_for, "for", "NAME", "none", "revoke every token of the bearer NAME")    \
    X(watch, TEXT, watch_server, "server", "ADDR", "CAIRN_SERVER, or 127.0.0.1:7878",              \
        "the daemon: HOST:PORT, ws:// or wss://")                                                  \
    X(watch, TEXT, watch_ca, "ca", "FILE", "the system's", "trust these certificates")             \
    X(watch, TEXT, watch_token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token")   \
    X(watch, TEXT, watch_mode, "mode", "M", "quantised",                                           \
        "receive bodies as quantised, delta, raw or json")                                         \
    X(watch, TEXT, watch_area, "area", "X,Y[,Z],R", "all of the world",                            \
        "receive bodies within R metres along each axis")                                          \
    X(watch, TEXT, watch_tag, "tag", "TAG,...", "all of the world",                                \
        "receive bodies with these tags")                                                          \
    X(watch, COUNT, watch_budget, "budget", "BYTES", "0, no limit",                                \
        "bytes of ticks per second; in mode delta, without contacts and energy")                   \
    X(watch, TEXT, watch_shown, "shown", "FILE", "no",                                             \
        "append what is shown to FILE, for verify --shown; mode quantised or delta")               \
    X(watch, NUMBER, watch_duration, "duration", "S", "until it is ended", "watch for S seconds")  \
    X(watch, TEXT, watch_format, "format", "F", "screen, or lines where there is no terminal",     \
        "write screen, lines or json")                                                             \
    X(worlds, TEXT, worlds_server, "server", "ADDR", "CAIRN_SERVER, or 127.0.0.1:7878",            \
        "the daemon: HOST:PORT, ws:// or wss://")                                                  \
    X(worlds, TEXT, worlds_ca, "ca", "FILE", "the system's", "trust these certificates")           \
    X(worlds, TEXT, worlds_token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token") \
    X(worlds, FLAG, worlds_json, "json", "", "text", "write json")

enum cli_option_kind { CLI_OPTION_TEXT, CLI_OPTION_COUNT, CLI_OPTION_NUMBER, CLI_OPTION_FLAG };
typedef const char *cli_option_TEXT; /* NULL: not given */
typedef uint64_t cli_option_COUNT;
typedef double cli_option_NUMBER; /* not negative; < 0: not given */
typedef bool cli_option_FLAG; /* takes no value */

struct cli_call {
    enum cli_command command;
    const char **operands;
    int operand_count;
#define X(command, KIND, member, name, argument, standard, text) cli_option_##KIND member;
    CLI_OPTION_TABLE(X)
#undef X
};

struct cli_command_row {
    const char *name, *operands;
    int least, most;
    const char *line, *text;
    enum cli_exit (*run)(const struct cli_call *call);
};
extern const struct cli_command_row cli_commands[CLI_COMMAND_COUNT];

struct cli_option_row {
    enum cli_command command;
    enum cli_option_kind kind;
    const char *name, *argument, *standard, *text;
    size_t offset; /* of the option's member in struct cli_call */
};
extern const struct cli_option_row cli_options[];
extern const int cli_option_count;

#define X(name, operands, least, most, line, text)                                                 \
    enum cli_exit cli_##name(const struct cli_call *call);
CLI_COMMAND_TABLE(X)
#undef X

/*
 * Reads the words after the command's name.  CLI_DONE, or CLI_BAD with a message on standard error.
 * operands[] has room for argc.
 */
enum cli_exit cli_parse(
    struct cli_call *call, int argc, char **argv, const char **operands);

/* The index of a command; -1 with a message that suggests the nearest name. */
int cli_command_find(const char *name);

/* The usage of a command, "run [OPTION]... SCENE". */
struct cli_synopsis {
    char text[80];
};
struct cli_synopsis cli_synopsis(enum cli_command command);
void cli_print_help(FILE *out);
void cli_print_command_help(FILE *out, enum cli_command command);
void cli_print_manual(FILE *out);

/* Prints "cairn: ..." and a line break on standard error. */
__attribute__((format(printf, 1, 2))) void cli_complain(const char *format, ...);

#endif
