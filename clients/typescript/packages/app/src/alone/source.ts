/**
 * source.ts: the scene of a page that runs without a daemon.
 *
 * - The address `/#scene=...` has a whole scene: a packed Scene, deflated, in base64url.
 * - A page in a static folder (`static`) has the element `<meta name="cairn-alone">`, which names
 *   the folder's first scene; the address `?scene=NAME` names another one.
 */
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { type Scene, SceneSchema } from "@cairn/protocol";

/** The only world of a page without a daemon. */
export const ALONE_WORLD = "here";

const LINK = "#scene=";

export interface AloneSource {
  /** The page is in a static folder, not one of a daemon. */
  isStatic: boolean;
  /** A packed Scene. */
  scene(): Promise<Uint8Array<ArrayBuffer>>;
}

type Bytes = Uint8Array<ArrayBuffer>;

async function through(bytes: Bytes, stream: CompressionStream | DecompressionStream) {
  const out = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(out).arrayBuffer());
}

function toText(bytes: Bytes): string {
  let text = "";
  bytes.forEach((byte) => { text += String.fromCharCode(byte); });
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromText(text: string): Bytes {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

/** The address that runs this scene wherever the page is, also without the daemon. */
export async function linkTo(scene: Scene): Promise<string> {
  const packed = toBinary(SceneSchema, scene) as Bytes;
  const text = toText(await through(packed, new CompressionStream("deflate-raw")));
  return `${location.origin}${location.pathname}${LINK}${text}`;
}

async function fromLink(text: string): Promise<Bytes> {
  try {
    return await through(fromText(text), new DecompressionStream("deflate-raw"));
  } catch {
    throw new Error("the link is not complete: its scene cannot be read");
  }
}

async function fromFolder(name: string): Promise<Bytes> {
  const response = await fetch(staticPath(`/v1/scenes/${encodeURIComponent(name)}`));
  if (!response.ok) {
    throw new Error(`there is no scene ${name} here`);
  }
  const scene = fromJson(SceneSchema, await response.json(), { ignoreUnknownFields: true });
  return toBinary(SceneSchema, scene) as Bytes;
}

/** The file of a static folder that has what the daemon answers at `path`. */
export function staticPath(path: string): string {
  const file = path.replace(/^\/v1\/scenes\//, "v1/scene/").replace(/^\//, "");
  return new URL(`${file}.json`, document.baseURI).href;
}

/** Null: the page has a daemon. */
export function aloneSource(): AloneSource | null {
  const first = document.querySelector<HTMLMetaElement>("meta[name=cairn-alone]")?.content;
  const isStatic = first !== undefined;
  if (location.hash.startsWith(LINK)) {
    const text = location.hash.slice(LINK.length);
    return { isStatic, scene: () => fromLink(text) };
  }
  const name = new URLSearchParams(location.search).get("scene") ?? first;
  return isStatic ? { isStatic, scene: () => fromFolder(name!) } : null;
}
