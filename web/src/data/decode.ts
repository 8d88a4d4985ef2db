/**
 * Packed arrays: base64 of little-endian numbers, plain or in a zlib stream.
 * A damaged array gives the numbers before the damage and a sentence about it.
 */
import type { PackedArray } from "./types";

export type Numbers = Float64Array | Float32Array | Uint32Array;

export interface Decoded {
  values: Numbers;
  shape: number[];
  /** What was wrong, in words; null when the array is whole. */
  fault: string | null;
}

const SIZES: Record<string, number> = { f32: 4, f64: 8, u32: 4 };

function base64Bytes(text: string): { bytes: Uint8Array; fault: string | null } {
  let good = text;
  let fault: string | null = null;
  const bad = text.search(/[^A-Za-z0-9+/=\s]/);
  if (bad >= 0) {
    good = text.slice(0, bad);
    fault = "holds characters that are not base64";
  }
  good = good.replace(/[\s=]+/g, "");
  if (good.length % 4 === 1) {
    good = good.slice(0, -1);
    fault ??= "is cut off";
  }
  const binary = atob(good);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return { bytes, fault };
}

async function inflate(bytes: Uint8Array): Promise<{ bytes: Uint8Array; fault: string | null }> {
  if (typeof DecompressionStream === "undefined") {
    return { bytes: new Uint8Array(0), fault: "cannot be unpacked: this browser is too old (it has no DecompressionStream)" };
  }
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // The stream fails at the damage; what came out before is kept. Small pieces, so that little is lost.
  const feed = (async () => {
    for (let at = 0; at < bytes.length; at += 16384) {
      await writer.write(bytes.slice(at, at + 16384) as Uint8Array<ArrayBuffer>);
    }
    await writer.close();
  })().then(() => true, () => false);
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  let total = 0;
  let fault: string | null = null;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      total += value.length;
    }
  } catch {
    fault = "is damaged or cut off";
  }
  if (!(await feed)) fault ??= "is damaged or cut off";
  const out = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return { bytes: out, fault };
}

function numbers(bytes: Uint8Array, dtype: string): Numbers {
  const size = SIZES[dtype] ?? 8;
  const n = Math.floor(bytes.length / size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, n * size);
  if (dtype === "f32") {
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) out[i] = view.getFloat32(4 * i, true);
    return out;
  }
  if (dtype === "u32") {
    const out = new Uint32Array(n);
    for (let i = 0; i < n; i++) out[i] = view.getUint32(4 * i, true);
    return out;
  }
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = view.getFloat64(8 * i, true);
  return out;
}

export async function decode(array: PackedArray | undefined | null): Promise<Decoded> {
  if (!array || typeof array !== "object") return { values: new Float64Array(0), shape: [0], fault: "is missing" };
  const dtype = array.dtype ?? "f64";
  const shape = Array.isArray(array.shape) ? array.shape.map(Number) : [];
  if (!(dtype in SIZES)) return { values: new Float64Array(0), shape, fault: `has the unknown type "${dtype}"` };
  if (typeof array.data !== "string") return { values: new Float64Array(0), shape, fault: "has no data" };
  let { bytes, fault } = base64Bytes(array.data);
  const encoding = array.encoding ?? "raw";
  if (encoding === "deflate") {
    const unpacked = await inflate(bytes);
    bytes = unpacked.bytes;
    fault = unpacked.fault ?? fault;
  } else if (encoding !== "raw") {
    return { values: new Float64Array(0), shape, fault: `has the unknown encoding "${encoding}"` };
  }
  const wanted = shape.reduce((a, b) => a * b, 1);
  let values = numbers(bytes, dtype);
  if (shape.length > 0 && values.length !== wanted) {
    if (values.length < wanted) fault ??= "is cut off";
    else fault ??= "is longer than its shape says";
    if (values.length > wanted) values = values.slice(0, wanted);
    if (fault === "is cut off" || fault === "is damaged or cut off") fault += ` (${values.length} of ${wanted} numbers read)`;
  }
  return { values, shape: shape.length > 0 ? shape : [values.length], fault };
}
