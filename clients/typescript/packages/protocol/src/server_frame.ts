/**
 * server_frame.ts: decodes one WebSocket message from the daemon.
 *
 * The six kinds of every tick are read into columns.  The decoder owns them, and the next message
 * of that kind overwrites them.  The generated code decodes all other kinds.  A frame may have
 * several fields, for example a tick's header and its snapshot; they are passed on in order.
 */
import { fromBinary } from "@bufbuild/protobuf";
import { type ServerMessage, ServerMessageSchema } from "../generated/cairn/v1/wire_pb";
import {
  ContactColumns,
  EnergyFields,
  SnapshotColumns,
  TickHeaderFields,
  fillContacts,
  fillEnergy,
  fillSnapshot,
  fillTickHeader,
} from "./columns";
import { ContactDeltaColumns, fillContactDelta } from "./contact_delta_columns";
import { DeltaColumns, fillDelta } from "./delta_columns";
import { WireError, WireReader, WireType } from "./wire_reader";

/** Arguments are borrowed for the call. */
export interface ServerFrameSink {
  onTick(header: TickHeaderFields): void;
  onSnapshot(snapshot: SnapshotColumns): void;
  onDelta(delta: DeltaColumns): void;
  onContacts(contacts: ContactColumns): void;
  onContactDelta(delta: ContactDeltaColumns): void;
  onEnergy(energy: EnergyFields): void;
  onMessage(message: ServerMessage["message"]): void;
}

const FIELD_TICK = 3;
const FIELD_SNAPSHOT = 4;
const FIELD_CONTACTS = 5;
const FIELD_ENERGY = 6;
const FIELD_DELTA = 17;
const FIELD_CONTACT_DELTA = 30;

export class ServerFrameDecoder {
  private readonly reader = new WireReader();
  private readonly header = new TickHeaderFields();
  private readonly snapshot = new SnapshotColumns();
  private readonly delta = new DeltaColumns();
  private readonly contacts = new ContactColumns();
  private readonly contactDelta = new ContactDeltaColumns();
  private readonly energy = new EnergyFields();

  /** Throws WireError, or the generated code's error, if the bytes are no ServerMessage. */
  decode(bytes: Uint8Array, sink: ServerFrameSink): void {
    const reader = this.reader;
    reader.start(bytes);
    while (reader.at < reader.end) {
      const start = reader.at;
      const tag = reader.uint32();
      if ((tag & 7) !== WireType.BYTES) {
        throw new WireError(`field ${tag >>> 3} of a ServerMessage is no message`);
      }
      const end = reader.fieldEnd();
      this.decodeField(tag >>> 3, start, end, bytes, sink);
      if (reader.at !== end) {
        throw new WireError(`field ${tag >>> 3} of a ServerMessage overruns its length`);
      }
    }
  }

  private decodeField(
    field: number,
    start: number,
    end: number,
    bytes: Uint8Array,
    sink: ServerFrameSink,
  ): void {
    const reader = this.reader;
    switch (field) {
      case FIELD_TICK:
        fillTickHeader(reader, end, this.header);
        sink.onTick(this.header);
        break;
      case FIELD_SNAPSHOT:
        fillSnapshot(reader, end, this.snapshot);
        sink.onSnapshot(this.snapshot);
        break;
      case FIELD_DELTA:
        fillDelta(reader, end, this.delta);
        sink.onDelta(this.delta);
        break;
      case FIELD_CONTACTS:
        fillContacts(reader, end, this.contacts);
        sink.onContacts(this.contacts);
        break;
      case FIELD_CONTACT_DELTA:
        fillContactDelta(reader, end, this.contactDelta);
        sink.onContactDelta(this.contactDelta);
        break;
      case FIELD_ENERGY:
        fillEnergy(reader, end, this.energy);
        sink.onEnergy(this.energy);
        break;
      default:
        reader.at = end;
        sink.onMessage(fromBinary(ServerMessageSchema, bytes.subarray(start, end)).message);
    }
  }
}

/** Whether a field may be left out: a kind of every tick except ContactDelta, which others need. */
function isOfTick(field: number): boolean {
  return (field >= FIELD_TICK && field <= FIELD_ENERGY) || field === FIELD_DELTA;
}

/** A ServerMessage without the kinds of every tick; the whole message if it cannot be read. */
export function withoutTicks(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const reader = new WireReader();
  const kept: Uint8Array[] = [];
  try {
    reader.start(bytes);
    while (reader.at < reader.end) {
      const start = reader.at;
      const tag = reader.uint32();
      reader.at = reader.fieldEnd();
      if (!isOfTick(tag >>> 3)) {
        kept.push(bytes.subarray(start, reader.at));
      }
    }
  } catch {
    return bytes; // the decoder reports the error
  }
  const rest = new Uint8Array(kept.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of kept) {
    rest.set(part, at);
    at += part.length;
  }
  return rest;
}
