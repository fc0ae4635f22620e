import { invalidPackage } from './collection'

/** Numbers of */
interface Field {
  readonly number: number
  /** A varint, or the bytes of anything with a length. */
  readonly value: number | Uint8Array
}

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 }
const FIXED_BYTES: Readonly<Record<number, number>> = { [WIRE.fixed64]: 8, [WIRE.fixed32]: 4 }

/** Fixed-width fields are skipped: the messages that are read have none. Throws FileFault. */
export function* readFields(bytes: Uint8Array): Generator<Field> {
  const cursor = { at: 0 }
  while (cursor.at < bytes.length) {
    const key = readVarint(bytes, cursor)
    const [number, wire] = [Math.floor(key / 8), key % 8]
    if (wire === WIRE.varint) yield { number, value: readVarint(bytes, cursor) }
    else if (wire === WIRE.bytes) yield { number, value: takeBytes(bytes, cursor, readVarint(bytes, cursor)) }
    else takeBytes(bytes, cursor, FIXED_BYTES[wire] ?? Infinity)
  }
}

/** Reads a number field: its last value, or 0, as the format requires. */
export function readNumberField(bytes: Uint8Array, number: number): number {
  let found = 0
  for (const field of readFields(bytes))
    if (field.number === number && typeof field.value === 'number') found = field.value
  return found
}

/** Reads a field of bytes: its last value, or null. */
export function readBytesField(bytes: Uint8Array, number: number): Uint8Array | null {
  let found: Uint8Array | null = null
  for (const field of readFields(bytes))
    if (field.number === number && typeof field.value !== 'number') found = field.value
  return found
}

/** Reads a text field: its last value, or ''. */
export function readTextField(bytes: Uint8Array, number: number): string {
  const found = readBytesField(bytes, number)
  return found ? new TextDecoder().decode(found) : ''
}

function takeBytes(bytes: Uint8Array, cursor: { at: number }, length: number): Uint8Array {
  const start = cursor.at
  if (length > bytes.length - start) throw truncatedMessage()
  cursor.at += length
  return bytes.subarray(start, cursor.at)
}

function readVarint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0
  for (let shift = 1; cursor.at < bytes.length && shift <= 2 ** 63; shift *= 128) {
    const byte = bytes[cursor.at++] ?? 0
    value += (byte & 0x7f) * shift
    if (byte < 0x80) return value
  }
  throw truncatedMessage()
}

function truncatedMessage(): Error {
  return invalidPackage('A message of the package runs past its end.')
}
