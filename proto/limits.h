/*
 * limits.h: every bound on texts and messages, in one place: the number, why it is that number,
 * and what happens at the wall.
 */
#ifndef PROTO_LIMITS_H
#define PROTO_LIMITS_H

/* A text that is a message. At each wall it is refused with the place where it is met. */
#define WIRE_TEXT_SIZE_MAX (1 << 20)   /* bytes: a scene of 10,000 boxes is 0.9 MB */
#define WIRE_TEXT_DEPTH_MAX 32         /* lists and mappings; a scene needs 7. Bounds recursion. */
#define WIRE_TEXT_NODES_MAX (1 << 18)  /* names and values: 10,000 boxes have 210,000 */

/* Counts of a scene: what a stranger may make a daemon allocate. Refused with the field's path. */
#define WIRE_BODIES_MAX 10000       /* a million empty bodies must not be allocated first */
#define WIRE_SHAPES_PER_BODY_MAX 32 /* compounds, bounded so that a pair stays cheap */
#define WIRE_JOINTS_MAX 4096        /* up to 9 rows each, near the most contacts of a world */

/* Meshes of a scene: what baking may cost. Refused with the field's path. */
#define WIRE_MESHES_MAX 64
#define WIRE_MESH_TRIANGLES_MAX 65536 /* of all meshes of a scene: a few seconds */
#define WIRE_MESH_RESOLUTION_MAX 96   /* cells: 3.5 MB of a grid */
/* The same of a scene that comes from no file: it is baked while others wait, within a second. */
#define WIRE_MESHES_REMOTE_MAX 8
#define WIRE_MESH_TRIANGLES_REMOTE_MAX 8192
#define WIRE_MESH_RESOLUTION_REMOTE_MAX 64

/* Words of a scene. Refused with the field's path. */
#define WIRE_NAME_SIZE_MAX 63          /* bytes of a name; a world's id is part of a URL */
#define WIRE_TITLE_SIZE_MAX 127        /* bytes: one line of a gallery */
#define WIRE_DESCRIPTION_SIZE_MAX 2047 /* bytes: a paragraph beside the picture */
#define WIRE_KEY_SIZE_MAX 31           /* bytes of KeyboardEvent.key; the longest is 19 */
#define WIRE_TAG_SIZE_MAX 31           /* bytes of a tag; a subscription carries some */
#define WIRE_BODY_TAGS_MAX 8           /* of a body: kind, side, room, and as many again */

/* An Interest. Refused with the field's path. */
#define WIRE_INTEREST_TAGS_MAX 8 /* each is looked for on every body when the scene changes */
#define WIRE_REACH_MAX 1e6       /* m: twice as far as positions of the usual precision go */

/*
 * Bytes a second of a client with a budget: with less, header and hash would take most of it at
 * four messages a second.  Refused.
 */
#define WIRE_BUDGET_MIN 2000

/*
 * Contacts of one ContactFrame: 57 bytes each, so that a frame stays below 1 MiB at every tick, and
 * more points than a screen can show.  At the wall the first ones in order are sent, and how many
 * are left out.
 */
#define WIRE_CONTACTS_MAX 16384

/* Rows of an ActionFrame: 16 people with four slots each.  Of more the first are shown. */
#define WIRE_ACTIONS_MAX 64

#endif
