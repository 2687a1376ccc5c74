/**
 * mode_meter.ts: measures what the modes of a subscription cost: each on a connection of its own,
 * all at the same time, in the world that the page shows and with what it shows.
 *
 * A connection counts whole seconds after the first one, which has the scene, a keyframe or an
 * image.
 */
import { CONTACT_RATE, Connection, type ConnectionOptions } from "@cairn/client";
import { type ServerMessage, Subscribe_Mode } from "@cairn/protocol";

export interface ModeCost {
  /** Mean of the measured seconds. */
  bytesPerSecond: number;
  /** The image that came once; 0: none. */
  imageBytes: number;
}

export type ModeResult = ModeCost | { refused: string };

export const MODES = [
  { mode: Subscribe_Mode.QUANTISED, label: "Snapshots" },
  { mode: Subscribe_Mode.DELTA, label: "Deltas" },
  { mode: Subscribe_Mode.DEEDS, label: "Deeds" },
] as const;

/** Measured seconds, after FIRST_MS. */
export const MEASURED_SECONDS = 4;
const FIRST_MS = 2000;
/** Deltas until one is acknowledged, as in a Session. */
const ACK_EVERY = 6;

export interface MeterOptions {
  /** Its opener opens any number of sockets. */
  connection: Omit<ConnectionOptions, "client">;
  world: string;
  /** The version of the page's engine; null: it has none, and deeds are not measured. */
  physics: number | null;
  contacts: boolean;
}

function subscriptionTo(mode: Subscribe_Mode, { physics, contacts }: MeterOptions) {
  return mode === Subscribe_Mode.DEEDS
    ? { mode, physics: physics ?? 0, attributes: true }
    : {
      mode, contacts, contactRate: contacts && mode === Subscribe_Mode.DELTA ? CONTACT_RATE : 0,
      energy: true, actions: true, attributes: true,
    };
}

/** Resolves after MEASURED_SECONDS, or as soon as the daemon refuses. */
function measure(mode: Subscribe_Mode, options: MeterOptions): Promise<ModeResult> {
  return new Promise((resolve) => {
    let imageBytes = 0;
    let deltas = 0;
    const rates: number[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (result: ModeResult): void => {
      clearTimeout(timer);
      connection.send({ case: "leave", value: {} });
      connection.stop();
      resolve(result);
    };
    const sample = (): void => {
      rates.push(connection.bytesIn.perSecond(performance.now()));
      if (rates.length === MEASURED_SECONDS) {
        finish({ bytesPerSecond: rates.reduce((a, b) => a + b, 0) / rates.length, imageBytes });
      } else {
        timer = setTimeout(sample, 1000);
      }
    };
    const onMessage = (message: ServerMessage["message"]): void => {
      if (message.case === "rejected") {
        finish({ refused: message.value.error?.text ?? "refused" });
      } else if (message.case === "joined") {
        imageBytes = Math.max(imageBytes, message.value.image.length);
      }
    };
    const connection = new Connection({ ...options.connection, client: "cairn-page modes" }, {
      onWelcome: () => {
        connection.send({ case: "join", value: { world: options.world } });
        connection.send({ case: "subscribe", value: subscriptionTo(mode, options) });
        timer = setTimeout(sample, FIRST_MS);
      },
      onLost: (reason) => finish({ refused: reason }),
      onDelta: ({ tick }) => {
        if (deltas++ % ACK_EVERY === 0) {
          connection.send({ case: "ack", value: { tick: BigInt(tick) } });
        }
      },
      onMessage,
      onTick: () => undefined,
      onSnapshot: () => undefined,
      onContacts: () => undefined,
      onContactDelta: () => undefined,
      onEnergy: () => undefined,
    });
    connection.start();
  });
}

/** The results in the order of MODES. */
export function measureModes(options: MeterOptions): Promise<ModeResult[]> {
  return Promise.all(MODES.map(({ mode }) =>
    mode === Subscribe_Mode.DEEDS && options.physics === null
      ? { refused: "this page has no engine of the daemon's version" }
      : measure(mode, options)));
}
