/**
 * fake_daemon.ts: sockets within the process that act as the server of wire.proto.
 *
 * A test opens, answers and closes them; `heard` keeps the client's messages.
 */
import { type MessageInitShape, create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ClientMessage, ClientMessageSchema, ServerMessageSchema } from "@cairn/protocol";
import type { SocketLike } from "../src";

export class FakeSocket implements SocketLike {
  binaryType = "blob";
  bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  closed = false;
  readonly heard: ClientMessage["message"][] = [];

  send(data: Uint8Array<ArrayBuffer>): void {
    this.heard.push(fromBinary(ClientMessageSchema, data).message);
  }

  close(): void {
    this.closed = true;
  }

  accept(): void {
    this.onopen?.({} as never);
  }

  say(message: MessageInitShape<typeof ServerMessageSchema>["message"]): void {
    const bytes = toBinary(ServerMessageSchema, create(ServerMessageSchema, { message }));
    this.onmessage?.({ data: bytes.slice().buffer } as never);
  }

  hangUp(code: number): void {
    this.onclose?.({ code, reason: "" } as never);
  }

  kinds(): (string | undefined)[] {
    return this.heard.map((message) => message.case);
  }

  last(kind: string): ClientMessage["message"] {
    const found = this.heard.filter((message) => message.case === kind).at(-1);
    if (found === undefined) {
      throw new Error(`the client said no ${kind}, only ${this.kinds().join(", ")}`);
    }
    return found;
  }
}

export class FakeDaemon {
  readonly sockets: FakeSocket[] = [];
  readonly open = (): SocketLike => {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket;
  };

  get socket(): FakeSocket {
    return this.sockets.at(-1)!;
  }

  /** Opens the newest socket and answers until the client has joined `world`. */
  admit(world: string, generation = 1): void {
    this.socket.accept();
    this.socket.say({ case: "welcome", value: { version: 1, session: 5n } });
    this.joined(world, generation);
  }

  joined(world: string, generation: number): void {
    this.socket.say({
      case: "joined",
      value: {
        world,
        scene: { bodies: [{ name: "floor", position: { y: -1 } }, { name: "block1" }] },
        positionScale: 0.5,
        angleScale: 0.25,
        generation,
        status: { id: world, tickRate: 60 },
      },
    });
  }
}
