/** A payload that is this long goes on in the next packet. */
const longest = 0xffffff;
const headerBytes = 4;

export interface PacketSink {
  /** A payload, at [from, to) of a buffer that is nobody's any more when this returns. */
  onPacket: (buffer: Buffer, from: number, to: number) => void;
  /** A payload of so many bytes, which nobody has held. */
  onTooLarge: (bytes: number) => void;
}

/** The packet that begins at a place: its payloads, joined, if all of them are there. */
interface Found {
  /** Where it ends; beyond the buffer where it is not all there, as far as that is known. */
  end: number;
  bytes: number;
  parts: number;
}

const lookAt = (buffer: Buffer, at: number): Found => {
  let end = at;
  let bytes = 0;
  for (let parts = 1; ; parts += 1) {
    if (end + headerBytes > buffer.length) return { end: end + headerBytes, bytes, parts };
    const length = buffer.readUIntLE(end, 3);
    end += headerBytes + length;
    bytes += length;
    if (length < longest || end > buffer.length) return { end, bytes, parts };
  }
};

const joined = (buffer: Buffer, at: number, { parts }: Found): Buffer => {
  const pieces: Buffer[] = [];
  let from = at;
  for (let part = 0; part < parts; part += 1) {
    const length = buffer.readUIntLE(from, 3);
    pieces.push(buffer.subarray(from + headerBytes, from + headerBytes + length));
    from += headerBytes + length;
  }
  return Buffer.concat(pieces);
};

/** Takes the packets of the protocol apart, holding no more than one that is not larger than allowed. */
export const makePackets = (mostBytes: number, { onPacket, onTooLarge }: PacketSink) => {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wanted = 0;
  /** Of a payload that is skipped: what is left of its packet, and what it comes to. */
  let skipping: { left: number; bytes: number; last: boolean } | undefined;

  const skip = (chunk: Buffer): Buffer => {
    let rest = chunk;
    while (skipping && rest.length > 0) {
      const step = Math.min(skipping.left, rest.length);
      skipping.left -= step;
      rest = rest.subarray(step);
      if (skipping.left > 0) break;
      if (skipping.last) {
        onTooLarge(skipping.bytes);
        skipping = undefined;
        break;
      }
      if (rest.length < headerBytes) break;
      const length = rest.readUIntLE(0, 3);
      rest = rest.subarray(headerBytes);
      skipping = { left: length, bytes: skipping.bytes + length, last: length < longest };
    }
    return rest;
  };

  const hold = (rest: Buffer, upTo: number): void => {
    held = rest.length > 0 ? [rest] : [];
    heldBytes = rest.length;
    wanted = upTo;
  };

  /** From here to the end of the payload nobody looks at the bytes. */
  const beginSkipping = (buffer: Buffer, at: number, { end, bytes, parts }: Found): void => {
    let last = at;
    for (let part = 1; part < parts; part += 1) last += headerBytes + buffer.readUIntLE(last, 3);
    const length = buffer.readUIntLE(last, 3);
    skipping = { left: end - buffer.length, bytes, last: length < longest };
    hold(buffer.subarray(buffer.length), 0);
  };

  return (chunk: Buffer): void => {
    let data = chunk;
    if (held.length > 0) {
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes < wanted) return;
      data = Buffer.concat(held, heldBytes);
      held = [];
    }
    if (skipping) data = skip(data);
    if (skipping) {
      hold(data, headerBytes);
      return;
    }
    let at = 0;
    while (at < data.length) {
      const found = lookAt(data, at);
      if (found.end > data.length) {
        if (found.bytes > mostBytes && data.length >= at + headerBytes) {
          beginSkipping(data, at, found);
          return;
        }
        hold(data.subarray(at), found.end - at);
        return;
      }
      if (found.bytes > mostBytes) onTooLarge(found.bytes);
      else if (found.parts === 1) onPacket(data, at + headerBytes, found.end);
      else {
        const payload = joined(data, at, found);
        onPacket(payload, 0, payload.length);
      }
      at = found.end;
    }
  };
};
