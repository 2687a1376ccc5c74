/**
 * logic.mjs: the rules of sumo.  One program plays all rooms of the template `sumo`.
 *
 * Everybody has a ball.  A player who falls off the disc comes back; the last one who touched that
 * ball gets a point.  A yellow sphere is a quake: all other balls hop.  A round takes a minute.
 *
 * All state is in attributes, so the program can be killed and started at any time:
 *
 *     world      round, ends (a tick), isOver, result (a name), quake (tick of the next one)
 *     session    score, ball (a name), jumped (a tick)
 *     ball       hitBy (a session), hitAt (a tick); a quake: taken
 */
import WebSocket from "ws";
import { Hello_Role, Lobby, Logic } from "@cairn/client/logic";

const [url = "ws://127.0.0.1:7878/v1/ws", ROUND_S = 60] = process.argv.slice(2);
const [QUAKE_HOP, JUMP] = [5, 4.5]; // N s; a ball has 1.05 kg
const [BREAK_S, QUAKE_S, JUMP_EVERY_S, HIT_LASTS_S] = [5, 9, 1.5, 4];
const START_RADIUS = 4; // m

function play(world) {
  const ticks = (seconds) => Math.round(seconds * logic.tickRate);
  const number = (owner, name) => Number(logic.attribute(owner, name) ?? 0);
  const set = (owner, name, value) =>
    logic.setAttribute(owner, name, BigInt(value));
  const ballOf = (session) => `ball-${session}`;
  const playerOf = (body) => {
    const session = body.startsWith("ball-") ? BigInt(body.slice(5)) : 0n;
    return logic.members.get(session);
  };
  const players = () => [...logic.members.values()].filter((one) => one.role === Hello_Role.PLAYER);

  function place(session) {
    const angle = Number(session) * 2.4; // the golden angle: neighbours start far apart
    const [x, z] = [START_RADIUS * Math.cos(angle), START_RADIUS * Math.sin(angle)];
    return { position: { x, y: 1, z } };
  }

  function enter({ session, role }) {
    if (role === Hello_Role.PLAYER && logic.attribute({ session }, "ball") === undefined) {
      logic.spawn("ball", { name: ballOf(session), ...place(session) });
      logic.setAttribute({ session }, "ball", ballOf(session));
      set({ session }, "score", 0);
    }
  }

  function fall(body) {
    const player = playerOf(body);
    if (player === undefined) {
      logic.place(body, { position: { y: 4 } }); // the crate
      return;
    }
    const hitBy = BigInt(number({ body }, "hitBy"));
    const isFresh = logic.tick < number({ body }, "hitAt") + ticks(HIT_LASTS_S);
    if (isFresh && logic.members.has(hitBy) && logic.attribute("world", "isOver") !== true) {
      const score = number({ session: hitBy }, "score") + 1;
      set({ session: hitBy }, "score", score);
      logic.say("feed", `${logic.members.get(hitBy).name} knocked ${player.name} off`);
    }
    logic.place(body, place(player.session));
    set({ body }, "hitBy", 0);
  }

  function touch(body, by) {
    if (playerOf(body) !== undefined && playerOf(by) !== undefined) {
      set({ body }, "hitBy", Number(playerOf(by).session));
      set({ body }, "hitAt", logic.tick);
    }
  }

  function quake(spot, body) {
    const player = playerOf(body);
    const isTaken = logic.attribute({ body: spot }, "taken") === true;
    if (player !== undefined && !isTaken && logic.setAttribute({ body: spot }, "taken", true)) {
      logic.remove(spot);
      players().filter((one) => one !== player).forEach(({ session }) =>
        logic.push(ballOf(session), { y: QUAKE_HOP }));
      logic.say("feed", `${player.name} shakes the disc`);
    }
  }

  function beginRound() {
    set("world", "round", number("world", "round") + 1);
    set("world", "ends", logic.tick + ticks(ROUND_S));
    logic.setAttribute("world", "isOver", false);
    for (const { session } of players()) {
      logic.place(ballOf(session), place(session));
      set({ session }, "score", 0);
    }
  }

  function endRound() {
    const best = players().sort((a, b) =>
      number({ session: b.session }, "score") - number({ session: a.session }, "score"))[0];
    logic.setAttribute("world", "isOver", true);
    logic.setAttribute("world", "result", best?.name ?? "");
    set("world", "ends", logic.tick + ticks(BREAK_S));
  }

  function tick() {
    if (logic.tick >= number("world", "ends")) {
      const isOver = logic.attribute("world", "isOver") !== false;
      (isOver ? beginRound : endRound)();
    }
    if (logic.tick >= number("world", "quake") && logic.bodies.slot("quake1") === undefined) {
      const [x, z] = [3 * Math.cos(logic.tick), 3 * Math.sin(logic.tick)];
      logic.spawn("quake", { position: { x, y: 0.4, z } });
      set("world", "quake", logic.tick + ticks(QUAKE_S));
    }
  }

  const logic = new Logic({
    url, world, client: "sumo", webSocket: WebSocket,
    onStart: () => logic.members.forEach(enter),
    onJoin: enter,
    onLeave: ({ session, role }) => role === Hello_Role.PLAYER && logic.remove(ballOf(session)),
    onEvent: ({ kind, a, b }) => {
      if (kind === "contactBegin") {
        touch(a, b);
        touch(b, a);
      } else if (kind === "sensorBegin") {
        const [sensor, body] = a === "pit" || a.startsWith("quake") ? [a, b] : [b, a];
        (sensor === "pit" ? fall(body) : quake(sensor, body));
      }
    },
    onMessage: ({ session, channel }) => {
      const ready = number({ session }, "jumped") + ticks(JUMP_EVERY_S);
      if (channel === "jump" && logic.tick >= ready) {
        logic.push(ballOf(session), { y: JUMP });
        set({ session }, "jumped", logic.tick);
      }
    },
    onTick: tick,
  });
  logic.start();
  return logic;
}

const games = new Map();
const open = (to, subprotocol) => new WebSocket(to, subprotocol);
const lobby = new Lobby({ url, name: "sumo", client: "sumo", open }, { template: "sumo" });
lobby.rooms.subscribe((rooms) => {
  const worlds = new Set((rooms ?? []).map((room) => room.world));
  for (const world of [...games.keys()].filter((one) => !worlds.has(one))) {
    games.get(world).stop();
    games.delete(world);
  }
  worlds.forEach((world) => games.has(world) || games.set(world, play(world)));
});
