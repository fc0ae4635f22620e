import type { Reader, Writer } from '../db/database'
import {
  addUse,
  deleteBlob,
  deleteParts,
  dropBlob,
  dropStaged,
  finishStaged,
  getBlob,
  getPart,
  insertBlob,
  insertParts,
  PART_BYTES,
  removeUse,
} from './store'

/**
 * Files of a workspace by their SHA-256, each content once. What refers to one adds a use, and releases it; with the last
 * use the bytes are erased.
 */

/** Parts that one transaction writes or erases: 1 MiB, some milliseconds. */
export const PARTS_PER_STEP = 4
export const STEP_BYTES = PARTS_PER_STEP * PART_BYTES

/** Bytes that are read in parts, with their digest: they may be more than one step should hold in memory. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
  /** Reads `length` bytes from the offset `from` on; fewer only at the end. */
  read(from: number, length: number): Uint8Array
}

export interface NewBlob {
  /** In hex. */
  readonly sha256: string
  readonly size_bytes: number
  /** The first bytes, from which its type is detected: HEAD_BYTES, or all. */
  readonly head: Uint8Array
  /** All bytes; or the key of the staged blob that has them, see createBlobStaging. */
  readonly from: Uint8Array | number
}

/** The bytes of NewBlob.head. */
export const HEAD_BYTES = 512

/** Makes the content of bytes in memory. @param sha256 in hex, if it is known */
export function toNewBlob(bytes: Uint8Array, sha256 = sha256Of(bytes)): NewBlob {
  return { sha256, size_bytes: bytes.length, head: bytes.subarray(0, HEAD_BYTES), from: bytes }
}

/** Computes the SHA-256 of bytes, in hex. */
export function sha256Of(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}

/**
 * Adds a use of a content, which is stored if it is not there yet. `db` must be a transaction.
 * @returns how many more bytes the workspace has; those of a staged blob count already
 * @throws Error if a staged blob is no longer there
 */
export async function useBlob(writer: Writer, { sha256, size_bytes, from }: NewBlob): Promise<number> {
  if (await addUse(writer, sha256)) return typeof from === 'number' ? -(await dropStaged(writer, from)) : 0
  if (typeof from === 'number') {
    if (!(await finishStaged(writer, from, sha256))) throw new Error('a staged blob is no longer there')
    return 0
  }
  const key = await insertBlob(writer, { sha256, size_bytes, staged_at: null })
  await insertParts(writer, key, 0, from)
  return size_bytes
}

/**
 * Takes a use of a content away. With the last one it is erased: at once if it is small, otherwise in steps by a job.
 * `db` must be a transaction.
 * @returns how many bytes fewer the workspace has
 */
export async function releaseBlob(writer: Writer, sha256: string): Promise<number> {
  const blob = await removeUse(writer, sha256)
  if (!blob) throw new Error('a content that is in use has no blob')
  if (blob.uses > 0) return 0
  if (blob.size_bytes > STEP_BYTES) return dropBlob(writer, blob.key)
  await deleteParts(writer, blob.key, PARTS_PER_STEP)
  await deleteBlob(writer, blob.key)
  return blob.size_bytes
}

/** A range of bytes: from the first up to the last, which is part of it. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Yields the bytes of a content, or a range of them, and reads only the rows that have them. Yields nothing if there is
 * no such content.
 * @throws Error if it is erased meanwhile
 */
export async function* readBlob(
  reader: Reader,
  sha256: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const blob = await getBlob(reader, sha256)
  if (!blob) return
  const { first, last } = range ?? { first: 0, last: blob.size_bytes - 1 }
  for (let position = Math.floor(first / PART_BYTES); position * PART_BYTES <= last; position++) {
    const bytes = await getPart(reader, blob.key, position)
    if (!bytes) throw new Error('the file was erased while it was read')
    const start = position * PART_BYTES
    yield bytes.subarray(Math.max(0, first - start), last - start + 1)
  }
}

/** Returns all bytes of a content, or null if there is none. For small files: it holds them in memory. */
export async function readWholeBlob(reader: Reader, sha256: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!(await getBlob(reader, sha256))) return null
  return Buffer.concat(await Array.fromAsync(readBlob(reader, sha256)))
}
