/**
 * lobby.ts: the rooms that match a filter, as they are now (WIRE.md, "Rooms").
 *
 *     const lobby = new Lobby({ url, name, client }, { template: "arena", openOnly: true });
 *     const stop = lobby.rooms.subscribe((rooms) => draw(rooms ?? []));
 *     lobby.close();
 *
 * It has a connection of its own, which reconnects by itself and joins no world.  After a
 * reconnect the rooms stay as they were until the daemon has sent the new list.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { LobbySchema, Room, RoomList, ServerMessage } from "@cairn/protocol";
import { Connection, type ConnectionOptions } from "./connection";
import { type RefusedError, refusal } from "./refused_error";
import { type RoomFilter, propertiesToMessages } from "./rooms";
import { type Readable, Signal, Store } from "./store";

function older(a: Room, b: Room): number {
  const difference = a.createdS - b.createdS;
  return difference !== 0n ? Number(difference) : a.id < b.id ? -1 : 1;
}

const NOT_SHOWN = (): void => undefined;

export class Lobby {
  readonly connection: Connection;
  private readonly roomsStore = new Store<readonly Room[] | null>(null);
  /** Oldest first; null before the first list. */
  readonly rooms: Readable<readonly Room[] | null> = this.roomsStore;
  /** The daemon has no rooms, or the filter names a property that no template has. */
  readonly refusals = new Signal<RefusedError>();
  private byId = new Map<string, Room>();
  /** The answer to the present filter has not come yet. */
  private waits = true;

  constructor(options: ConnectionOptions, private filter: RoomFilter = {}) {
    this.connection = new Connection(options, {
      onWelcome: () => this.ask(),
      onLost: NOT_SHOWN,
      onTick: NOT_SHOWN,
      onSnapshot: NOT_SHOWN,
      onDelta: NOT_SHOWN,
      onContacts: NOT_SHOWN,
      onContactDelta: NOT_SHOWN,
      onEnergy: NOT_SHOWN,
      onMessage: (message) => this.onMessage(message),
    });
    this.connection.start();
  }

  /** Shows rooms that match another filter. */
  show(filter: RoomFilter): void {
    this.filter = filter;
    this.ask();
  }

  close(): void {
    this.connection.stop();
  }

  private ask(): void {
    const { template = "", openOnly = false, properties } = this.filter;
    const value: MessageInitShape<typeof LobbySchema> = {
      template, openOnly, properties: propertiesToMessages(properties),
    };
    this.waits = true;
    this.connection.send({ case: "lobby", value });
  }

  private onMessage(message: ServerMessage["message"]): void {
    if (message.case === "rooms") {
      this.onRooms(message.value);
    } else if (message.case === "rejected") {
      this.refusals.emit(refusal(message.value.error));
    }
  }

  /** Changes of the filter before are of no use. */
  private onRooms({ full, rooms, removed }: RoomList): void {
    if (this.waits && !full) {
      return;
    }
    this.waits = false;
    if (full) {
      this.byId = new Map();
    }
    removed.forEach((id) => this.byId.delete(id));
    rooms.forEach((room) => this.byId.set(room.id, room));
    this.roomsStore.set([...this.byId.values()].sort(older));
  }
}
