/**
 * wire_reader.ts: reads protobuf's wire format in place, without making objects.
 *
 * Snapshots, contacts and energies come at the tick rate.  A general decoder would make an array
 * for every column of each message.  This reader fills columns that live as long as the connection.
 * The generated code decodes the rare messages.
 */
export class WireError extends Error {}

export const enum WireType {
  VARINT = 0,
  FIXED64 = 1,
  BYTES = 2,
  FIXED32 = 5,
}

const UTF8 = new TextDecoder();

export class WireReader {
  private bytes: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(new ArrayBuffer(0));
  at = 0;
  end = 0;

  /** Borrows `bytes` until the next start. */
  start(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.end = bytes.length;
  }

  /** The low 32 bits of the next varint; higher bits are dropped, as protobuf does for uint32. */
  uint32(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      if (shift < 32) {
        value |= (byte & 0x7f) << shift;
      }
      if (byte < 0x80) {
        return value >>> 0;
      }
    }
    throw new WireError("a varint is longer than ten bytes");
  }

  sint32(): number {
    const zigzag = this.uint32();
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }

  /** A uint64 as a number; exact below 2^53. */
  uint64(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        return value;
      }
      scale *= 128;
    }
    throw new WireError("a varint is longer than ten bytes");
  }

  /** A sint64 as a number; exact below 2^52. */
  sint64(): number {
    const zigzag = this.uint64();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }

  fixed32(): number {
    const at = this.take(4);
    return this.view.getUint32(at, true);
  }

  float(): number {
    const at = this.take(4);
    return this.view.getFloat32(at, true);
  }

  double(): number {
    const at = this.take(8);
    return this.view.getFloat64(at, true);
  }

  /** Reads a length and returns where the field ends. */
  fieldEnd(): number {
    const size = this.uint32();
    if (size > this.end - this.at) {
      throw new WireError(`a field of ${size} bytes is cut off`);
    }
    return this.at + size;
  }

  /** A text; returns `previous` if it is equal, so that no new text is made. */
  text(previous: string): string {
    const end = this.fieldEnd();
    const start = this.at;
    this.at = end;
    let isSame = end - start === previous.length;
    for (let at = start; isSame && at < end; at++) {
      isSame = this.bytes[at] === previous.charCodeAt(at - start) && this.bytes[at]! < 0x80;
    }
    return isSame ? previous : UTF8.decode(this.bytes.subarray(start, end));
  }

  /** Copies the bytes up to `end`, which is within the message, to the front of `out`. */
  copy(end: number, out: Uint8Array): void {
    out.set(this.bytes.subarray(this.at, end));
    this.at = end;
  }

  skip(type: number): void {
    switch (type) {
      case WireType.VARINT:
        this.uint64();
        break;
      case WireType.FIXED64:
        this.take(8);
        break;
      case WireType.BYTES:
        this.at = this.fieldEnd();
        break;
      case WireType.FIXED32:
        this.take(4);
        break;
      default:
        throw new WireError(`wire type ${type} is not known`);
    }
  }

  private byte(): number {
    if (this.at >= this.end) {
      throw new WireError("the message is cut off");
    }
    return this.bytes[this.at++]!;
  }

  private take(size: number): number {
    const at = this.at;
    if (size > this.end - at) {
      throw new WireError("the message is cut off");
    }
    this.at = at + size;
    return at;
  }
}

