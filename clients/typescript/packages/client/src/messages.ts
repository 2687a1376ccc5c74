/** messages.ts: messages between the members of a world, and to its logic (WIRE.md, "Messages"). */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Said, SaySchema } from "@cairn/protocol";
import { Signal } from "./store";

export type Say = MessageInitShape<typeof SaySchema>;

/** All members, the logic of the world, or the member with that session. */
export type SayTo = "all" | "logic" | bigint;

export interface Message {
  /** The first tick after it. */
  tick: number;
  /** The sender; 0n: the logic. */
  session: bigint;
  channel: string;
  content: string | Uint8Array;
  /** It was sent to this session alone. */
  direct: boolean;
}

/** A message with at most 4,096 bytes of content, on a channel of 1 to 31 bytes. */
export function makeSay(channel: string, content: string | Uint8Array, to: SayTo): Say {
  return {
    channel,
    to: to === "all" ? { case: "all", value: true }
      : to === "logic" ? { case: "logic", value: true }
        : { case: "session", value: to },
    content: typeof content === "string" ? { case: "text", value: content }
      : { case: "bytes", value: content as Uint8Array<ArrayBuffer> },
  };
}

export function readSaid({ tick, session, channel, content, direct }: Said): Message {
  return { tick: Number(tick), session, channel, content: content.value ?? "", direct };
}

export class Messages {
  /** Messages of other members, of the logic, and this session's own to all. */
  readonly said = new Signal<Message>();

  constructor(private readonly send: (say: Say) => Promise<string>) {}

  /**
   * Fulfilled when the message is on its way; one to the logic when it cannot be lost any more.
   * Rejected with a RefusedError, or when the connection is lost: then it may have arrived.
   */
  say(channel: string, content: string | Uint8Array, to: SayTo = "all"): Promise<string> {
    return this.send(makeSay(channel, content, to));
  }

  onSaid(said: Said): void {
    this.said.emit(readSaid(said));
  }
}
