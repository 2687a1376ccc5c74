/** body_commands.ts: what an instructor does to bodies (WIRE.md, "Controls"). */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  BodyCommandSchema,
  BodyCommand_MoveSchema,
  BodyCommand_PlaceSchema,
  BodyCommand_VelocitySchema,
  Body_Type,
  ChangeSchema,
  ControlSchema,
  FilterSchema,
  SpawnSchema,
} from "@cairn/protocol";

type Command = MessageInitShape<typeof BodyCommandSchema>;
type Action = MessageInitShape<typeof ControlSchema>["action"];

/** Bodies are named by their slots.  Each promise is fulfilled when the command has acted. */
export class BodyCommands {
  constructor(private readonly control: (action: Action) => Promise<string>) {}

  /** Makes and removes bodies and joints: all of them, or none. */
  change(value: MessageInitShape<typeof ChangeSchema>): Promise<string> {
    return this.control({ case: "change", value });
  }

  /** Copies a prefab of the scene; without a name it gets the prefab's and a number. */
  spawn(prefab: string, at: MessageInitShape<typeof SpawnSchema>): Promise<string> {
    return this.change({ spawns: [{ ...at, prefab }] });
  }

  /** All commands act, or none; `type` has to be the last command of its body. */
  all(commands: Command[], generation = 0): Promise<string> {
    return this.control({ case: "bodies", value: { generation, commands } });
  }

  place(body: number, value: MessageInitShape<typeof BodyCommand_PlaceSchema>): Promise<string> {
    return this.all([{ body, action: { case: "place", value } }]);
  }

  setVelocity(
    body: number,
    value: MessageInitShape<typeof BodyCommand_VelocitySchema>,
  ): Promise<string> {
    return this.all([{ body, action: { case: "velocity", value } }]);
  }

  /** A kinematic body has the pose after `ticks` ticks, and moves at a constant velocity. */
  move(body: number, value: MessageInitShape<typeof BodyCommand_MoveSchema>): Promise<string> {
    return this.all([{ body, action: { case: "move", value } }]);
  }

  setType(body: number, value: Body_Type): Promise<string> {
    return this.all([{ body, action: { case: "type", value } }]);
  }

  /** The filter of one of the body's shapes; of all if `shape` is null. */
  setFilter(
    body: number,
    filter: MessageInitShape<typeof FilterSchema>,
    shape: number | null = null,
  ): Promise<string> {
    const shapeSet = shape === null ? {} : { shapeSet: { case: "shape" as const, value: shape } };
    return this.all([{ body, action: { case: "filter", value: { filter, ...shapeSet } } }]);
  }

  sleep(body: number): Promise<string> {
    return this.all([{ body, action: { case: "asleep", value: true } }]);
  }

  wake(body: number): Promise<string> {
    return this.all([{ body, action: { case: "asleep", value: false } }]);
  }
}
