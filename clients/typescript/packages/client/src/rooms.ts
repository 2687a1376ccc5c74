/**
 * rooms.ts: rooms over HTTP: a seat in one, the list, the templates, locks (docs/rooms.md).
 *
 *     const seat = await joinRoom({ template: "arena", properties: { map: "ice" } });
 *     const session = new Session({ url, name, client, token: () => seat.token });
 *     session.join(seat.world);
 *     session.connection.start();
 *
 * The world has to be joined within `seat.expiresS` seconds.  Keep the token: it takes the seat
 * again after a reload of the page, while the room holds the seat.
 */
import {
  type DescMessage, type MessageInitShape, type MessageShape, create, fromJson, toJson,
} from "@bufbuild/protobuf";
import {
  ErrorSchema,
  type Room,
  type RoomList,
  RoomListSchema,
  RoomLockSchema,
  type RoomProperty,
  type RoomPropertySchema,
  RoomRequestSchema,
  RoomRequest_Create,
  RoomSchema,
  type RoomSeat,
  RoomSeatSchema,
  RoomTemplateListSchema,
  type RoomTemplateList_Item,
} from "@cairn/protocol";
import { refusal } from "./refused_error";

/** TEXT is a string, INTEGER a bigint, NUMBER a number, FLAG a boolean. */
export type PropertyValue = string | bigint | number | boolean;
export type Properties = Readonly<Record<string, PropertyValue>>;

export interface SeatRequest {
  /** Needed, except with `room`. */
  template?: string;
  /** A room that is joined has these; a room that is made gets these. */
  properties?: Properties;
  name?: string;
  password?: string;
  /** Of a new room: no list shows it. */
  isPrivate?: boolean;
  /** Both are allowed by default. */
  create?: "only" | "never";
  /** The id of the room to join. */
  room?: string;
}

export interface RoomFilter {
  template?: string;
  /** Rooms with a free seat that are not locked. */
  openOnly?: boolean;
  properties?: Properties;
}

export interface RoomListing extends RoomFilter {
  /** Rooms of a page, at most 500. */
  limit?: number;
  /** `next` of the page before. */
  after?: string;
}

export interface RoomsOptions {
  /** The daemon's address, such as "https://host:7878"; "": that of the page. */
  base?: string;
  /** The token, read before each request; "" if the daemon requires none. */
  token?: () => string;
}

type PropertyInit = MessageInitShape<typeof RoomPropertySchema>;
const IGNORING = { ignoreUnknownFields: true };

function propertyOf(name: string, value: PropertyValue): PropertyInit {
  switch (typeof value) {
    case "string":
      return { name, value: { case: "text", value } };
    case "bigint":
      return { name, value: { case: "integer", value } };
    case "number":
      return { name, value: { case: "number", value } };
    default:
      return { name, value: { case: "flag", value } };
  }
}

/** As a message has them. */
export function propertiesToMessages(properties: Properties = {}): PropertyInit[] {
  return Object.entries(properties).map(([name, value]) => propertyOf(name, value));
}

/** Of a room, by name. */
export function propertiesOf(room: { properties: readonly RoomProperty[] }): Properties {
  return Object.fromEntries(room.properties.flatMap(({ name, value }) =>
    (value.case === undefined ? [] : [[name, value.value]])));
}

function createOf(create: SeatRequest["create"]): RoomRequest_Create {
  return create === "only" ? RoomRequest_Create.CREATE :
    create === "never" ? RoomRequest_Create.JOIN : RoomRequest_Create.JOIN_OR_CREATE;
}

export class Rooms {
  constructor(private readonly options: RoomsOptions = {}) {}

  /** A seat in a room that fits, or in a new one; a RefusedError says why it was not given. */
  join(request: SeatRequest): Promise<RoomSeat> {
    const { properties, isPrivate = false, create: kind, ...others } = request;
    const message = create(RoomRequestSchema, {
      ...others,
      properties: propertiesToMessages(properties),
      private: isPrivate,
      create: createOf(kind),
    });
    const body = toJson(RoomRequestSchema, message);
    return this.read("POST", "", RoomSeatSchema, body);
  }

  /** A page of the rooms that are not private, oldest first. */
  list({ template, openOnly, properties, limit, after }: RoomListing = {}): Promise<RoomList> {
    const query = new URLSearchParams({
      ...(template !== undefined && { template }),
      ...(openOnly === true && { open: "true" }),
      ...(limit !== undefined && { limit: String(limit) }),
      ...(after !== undefined && { after }),
    });
    for (const [name, value] of Object.entries(properties ?? {})) {
      query.append(`property.${name}`, String(value));
    }
    return this.read("GET", query.size > 0 ? `?${query}` : "", RoomListSchema);
  }

  /** Also a private one. */
  room(id: string): Promise<Room> {
    return this.read("GET", `/${encodeURIComponent(id)}`, RoomSchema);
  }

  async templates(): Promise<RoomTemplateList_Item[]> {
    return (await this.read("GET", "/templates", RoomTemplateListSchema)).templates;
  }

  /** No seat of a locked room is given; for the player who had it made, and for instructors. */
  async lock(id: string, isLocked = true): Promise<void> {
    const body = toJson(RoomLockSchema, create(RoomLockSchema, { unlock: !isLocked }));
    await this.ask("POST", `/${encodeURIComponent(id)}/lock`, body);
  }

  /** Ends a room; for the player who had it made, and for instructors. */
  async remove(id: string): Promise<void> {
    await this.ask("DELETE", `/${encodeURIComponent(id)}`);
  }

  private async read<D extends DescMessage>(
    method: string, path: string, schema: D, body?: unknown,
  ): Promise<MessageShape<D>> {
    const response = await this.ask(method, path, body);
    return fromJson(schema, await response.json(), IGNORING);
  }

  private async ask(method: string, path: string, body?: unknown): Promise<Response> {
    const { base = "", token = () => "" } = this.options;
    const response = await fetch(`${base}/v1/rooms${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(method !== "GET" && { "content-type": "application/json" }),
        ...(token() !== "" && { authorization: `Bearer ${token()}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (response.ok) {
      return response;
    }
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    throw isJson ? refusal(fromJson(ErrorSchema, await response.json(), IGNORING)) :
      new Error(`/v1/rooms${path}: ${response.status} ${response.statusText}`);
  }
}

/** A seat in a room of the daemon at `base`. */
export function joinRoom(request: SeatRequest & RoomsOptions): Promise<RoomSeat> {
  const { base, token, ...seat } = request;
  return new Rooms({ ...(base !== undefined && { base }), ...(token && { token }) }).join(seat);
}
