/*
 * cli.h: the command `cairn`: its commands and options, two tables.
 *
 * The tables make the parser, --help, `cairn help COMMAND` and the manual page.  A command is one
 * file with one function and one line here.
 */
#ifndef CLIENTS_CLI_CLI_H
#define CLIENTS_CLI_CLI_H

#include "clients/base/options.h"

/* Name, operands, their least and largest number (-1: no limit), one line, more lines. */
#define CLI_COMMAND_TABLE(X)                                                                       \
    X(run, "SCENE", 1, 1, "run a scene and write what happens, sample by sample",                  \
        "SCENE is a file (YAML or JSON, - for standard input) or a bundled scene's name. It\n"     \
        "writes a sample at the start, at every K-th tick and at the last.\n"                      \
        "\n"                                                                                       \
        "json: one object a line: tick, time [s], bodies [{name, position [m], angle [rad],\n"     \
        "velocity [m/s], angularVelocity [rad/s], acceleration [m/s^2], angularAcceleration\n"     \
        "[rad/s^2]}], contacts [{bodyA, bodyB, point [m], normal (from A to B), gap [m], force\n"  \
        "[N], friction [N], moment on B [N m] against rolling and spinning if there is one,\n"     \
        "impulse [N s] of the tick's impacts}], joints [{name, kind, bodyA, bodyB, pointA,\n"      \
        "pointB [m], force on B [N], torque [N m], gap, coordinate, rate, motor}], energy\n"       \
        "{kinetic, potential, total} [J], solver {name, outcome, residual, iterations}, events\n"  \
        "since the last sample [{kind, bodyA, bodyB, time, value}], attributes if there are\n"    \
        "some [{body or session, name, value or bytes in base64}] and the hash of the state,\n"   \
        "16 hex digits. Positions are of the body's frame, velocities of the centre of mass.\n"    \
        "The solver impulse states no problem to judge its forces by, and has no residual.\n"      \
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
        "friction the answer is whether a holding force exists.  Shapes are box, sphere,\n"        \
        "capsule and plane, in the plane also circle and polygon, in space also hull.  No\n"      \
        "springs, no joints; at most 2048 bodies that touch at 32768 points.  The exit status\n"  \
        "is 1 when the answer is unstable, 3 when it is undecided.\n"                             \
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
        "worlds.  Apart from these, logic: see worlds, and decide about the joined one.\n"         \
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
        "subscribes to contacts, energy and attributes; their bytes are among those that it\n"     \
        "shows. With\n"                                                                            \
        "--area or --tag it sees these bodies and those that are always relevant.\n"               \
        "\n"                                                                                       \
        "json: an object a line: world, state, tick, time [s], ticksPerS that came,\n"             \
        "skippedPerS, realTimeFactor, stepMs (median of a second), clients, bodies, asleep,\n"     \
        "stepper, solver, roundTripMs, snapshotMs (from publishing to arrival), contacts, rows,\n" \
        "iterations, residual where the forces are judged, energy {kinetic, potential, total}\n"   \
        "[J], attributes if there are some [{body or session, name, value}] and bytesPerS by\n"    \
        "message.\n")                                                         \
    X(worlds, "", 0, 0, "list the worlds of a daemon",                                             \
        "A line for each: whether it runs, rests without members, is paused or failed; tick,\n"    \
        "bodies, contacts, clients, the median time of a step, stepper and solver. json: as GET\n" \
        "/v1/worlds gives it.\n")                                                                  \
    X(rooms, "[create TEMPLATE | close ID...]", 0, -1,                                             \
        "list the rooms of a daemon, create and close them",                                       \
        "A line for each room: seats taken + held / all, age, name, whether it is locked, needs\n" \
        "a password or is private, and its listed properties. json: the list, as GET /v1/rooms\n"  \
        "gives it, of all pages.\n"                                                                \
        "\n"                                                                                       \
        "create makes a room of TEMPLATE and prints the token of its first seat. Values of\n"      \
        "properties have the types of the template. close ends rooms and removes their worlds.\n"  \
        "A daemon that other machines can reach with TLS is asked on its --admin-listen.\n")       \
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
        "of a folder: also compare views of clients, as cairn watch and cairn-load wrote them")    \
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
    X(token, TEXT, token_key, "key", "FILE", "must be given", "sign, or verify, with this key")    \
    X(token, TEXT, token_role, "role", "R", "must be given",                                       \
        "give the role R: observer, player, instructor, operator, logic")                          \
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
        "receive bodies as quantised, delta, raw or json; or deeds: run the engine here")          \
    X(watch, TEXT, watch_area, "area", "X,Y[,Z],R", "all of the world",                            \
        "receive bodies within R metres along each axis")                                          \
    X(watch, TEXT, watch_tag, "tag", "TAG,...", "all of the world",                                \
        "receive bodies with these tags")                                                          \
    X(watch, COUNT, watch_budget, "budget", "BYTES", "0, no limit",                                \
        "bytes of ticks per second; in mode delta, without contacts and energy")                   \
    X(watch, TEXT, watch_shown, "shown", "FILE", "no",                                             \
        "append what is shown to FILE, for verify --shown; not in mode raw or json")             \
    X(watch, NUMBER, watch_duration, "duration", "S", "until it is ended", "watch for S seconds")  \
    X(watch, TEXT, watch_format, "format", "F", "screen, or lines where there is no terminal",     \
        "write screen, lines or json")                                                             \
    X(worlds, TEXT, worlds_server, "server", "ADDR", "CAIRN_SERVER, or 127.0.0.1:7878",            \
        "the daemon: HOST:PORT, ws:// or wss://")                                                  \
    X(worlds, TEXT, worlds_ca, "ca", "FILE", "the system's", "trust these certificates")           \
    X(worlds, TEXT, worlds_token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token") \
    X(worlds, FLAG, worlds_json, "json", "", "text", "write json")                                 \
    X(rooms, TEXT, rooms_server, "server", "ADDR", "CAIRN_SERVER, or 127.0.0.1:7878",              \
        "the daemon: HOST:PORT")                                                                   \
    X(rooms, TEXT, rooms_token, "token-file", "FILE", "CAIRN_TOKEN, or none", "show this token")   \
    X(rooms, TEXT, rooms_template, "template", "T", "all", "list rooms of this template")          \
    X(rooms, FLAG, rooms_open, "open", "", "all",                                                  \
        "list rooms with a free seat that are not locked")                                         \
    X(rooms, FLAG, rooms_private, "private", "", "no",                                             \
        "list private rooms, too; create a private one")                                           \
    X(rooms, TEXT, rooms_name, "name", "NAME", "none", "name of the new room")                     \
    X(rooms, TEXT, rooms_password, "password-file", "FILE", "none",                                \
        "its password: the first line of FILE")                                                    \
    X(rooms, TEXT, rooms_properties, "properties", "NAME=VALUE,...", "none", "its properties")     \
    X(rooms, FLAG, rooms_json, "json", "", "text", "write json")

struct cli_call {
    enum cli_command command;
    char **operands;
    int operand_count;
#define X(command, KIND, member, name, argument, standard, text) cli_option_##KIND member;
    CLI_OPTION_TABLE(X)
#undef X
};

extern const struct cli_program cli_program;

/* The functions of the commands. */
#define X(name, operands, least, most, line, text)                                                 \
    enum cli_exit cli_##name(const struct cli_call *call);
CLI_COMMAND_TABLE(X)
#undef X

/* The index of a command; -1 with a message that suggests the nearest name. */
int cli_command_find(const char *name);

void cli_print_help(FILE *out);
void cli_print_manual(FILE *out);

#endif
