/*
 * limits.h: all limits of texts and messages: the number, its reason, and the effect beyond it.
 */
#ifndef PROTO_LIMITS_H
#define PROTO_LIMITS_H

/* A text that is a message.  Beyond a limit it is refused, with the position in the text. */
#define WIRE_TEXT_SIZE_MAX (1 << 20)  /* bytes: a scene of 10,000 boxes is 0.9 MB */
#define WIRE_TEXT_DEPTH_MAX 32        /* lists and mappings; a scene needs 7. Bounds recursion. */
#define WIRE_TEXT_NODES_MAX (1 << 18) /* names and values: 10,000 boxes have 210,000 */

/*
 * Counts of a scene, which limit the memory that a client can make the daemon allocate.  Refused
 * with the field's path.
 */
#define WIRE_BODIES_MAX 10000       /* a million empty bodies must not be allocated first */
#define WIRE_SHAPES_PER_BODY_MAX 32 /* compounds, bounded so that a pair stays cheap */
#define WIRE_JOINTS_MAX 4096        /* up to 9 rows each, near the most contacts of a world */
#define WIRE_PREFABS_MAX 256        /* each is checked like a scene when the scene is read */

/* Meshes of a scene: limits of the cost of baking.  Refused with the field's path. */
#define WIRE_MESHES_MAX 64
#define WIRE_MESH_TRIANGLES_MAX 65536 /* of all meshes of a scene: baking takes a few seconds */
#define WIRE_MESH_RESOLUTION_MAX 96   /* cells: the grid takes 3.5 MB */
/*
 * The same for a scene that does not come from a file.  Other requests wait while its meshes are
 * baked, so that must take less than a second.
 */
#define WIRE_MESHES_REMOTE_MAX 8
#define WIRE_MESH_TRIANGLES_REMOTE_MAX 8192
#define WIRE_MESH_RESOLUTION_REMOTE_MAX 64

/* Texts of a scene.  Refused with the field's path. */
#define WIRE_NAME_SIZE_MAX 63          /* bytes of a name; a world's id is part of a URL */
#define WIRE_PREFAB_NAME_SIZE_MAX 31   /* bytes: a number and the name of a body follow */
#define WIRE_TITLE_SIZE_MAX 127        /* bytes: one line of a gallery */
#define WIRE_DESCRIPTION_SIZE_MAX 2047 /* bytes: a paragraph beside the picture */
#define WIRE_KEY_SIZE_MAX 31           /* bytes of KeyboardEvent.key; the longest is 19 */
#define WIRE_TAG_SIZE_MAX 31           /* bytes of a tag; a subscription carries some */
#define WIRE_BODY_TAGS_MAX 8           /* of a body: e.g. kind, side, room, and more */

/*
 * Rules of a scene: a tick looks at each of them, and at each event of the tick for each.  Refused
 * with the field's path.
 */
#define WIRE_RULES_MAX 256           /* a bit each of the attribute that holds their state */
#define WIRE_RULE_EFFECTS_MAX 16     /* of one rule */
#define WIRE_RULE_CONDITIONS_MAX 8   /* of one rule */
#define WIRE_RULES_STATE_SIZE 41     /* bytes of that attribute (deed/rules/rules.h) */
#define WIRE_SPAWNERS_MAX 32
#define WIRE_SPAWNER_BODIES_MAX 1000 /* that one spawner has made and that are there */
#define WIRE_RULE_DURATION_MAX 1e6   /* s, of a timer and a spawner */

/* An Interest. Refused with the field's path. */
#define WIRE_INTEREST_TAGS_MAX 8 /* a new scene compares each with the tags of every body */
#define WIRE_REACH_MAX 1e6       /* m: twice as far as positions of the usual precision go */

/*
 * Bytes a second of a client with a budget.  With less, header and hash of four messages a second
 * would take most of them.  A smaller budget is refused.
 */
#define WIRE_BUDGET_MIN 2000

/*
 * Contacts of one ContactFrame: 57 bytes each, so that a frame stays below 1 MiB.  A screen cannot
 * show more points.  Beyond the limit the first ones are sent, and the number of the others.
 */
#define WIRE_CONTACTS_MAX 16384

/* Commands of one Control.bodies: 512 bytes of the log each.  Refused with the count. */
#define WIRE_BODY_COMMANDS_MAX 256

/* Attributes that one control sets.  More are refused. */
#define WIRE_ATTRIBUTE_CHANGES_MAX 64

/*
 * Rows of an AttributeFrame, of at most 310 bytes each, so that a frame stays below 1 MiB.  More
 * come in further frames of the same tick.
 */
#define WIRE_ATTRIBUTE_ROWS_MAX 2048

/*
 * Contacts a second that a client may ask for: above every tick rate, and fits into 16 bits.  More
 * is refused.
 */
#define WIRE_CONTACT_RATE_MAX 10000

/*
 * Messages of members (Say) and the exchange with a logic.  Refused with the field's path.
 */
#define WIRE_SAY_SIZE_MAX 4096          /* bytes: a chat, or a move of a game; it may be stored */
#define WIRE_LOGIC_DEADLINE_US_MAX 4000 /* a quarter of a tick at 60 Hz */
#define WIRE_LOGIC_EVERY_MAX 3600       /* ticks: one LogicTick a minute at 60 Hz */
#define WIRE_LOGIC_EFFECTS_MAX 128      /* of one LogicDone; their log entries fit into a record, */
#define WIRE_LOGIC_SAYS_MAX 64          /* and the reports of both into a worker's ring */

/* Rows of an ActionFrame: 16 persons with 4 slots.  Beyond the limit the first ones are sent. */
#define WIRE_ACTIONS_MAX 64

#endif
