import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  type ByteSource,
  HEAD_BYTES,
  readBlob,
  readWholeBlob,
  releaseBlob,
  STEP_BYTES,
  sha256Of,
  toNewBlob,
  useBlob,
} from '../../src/blobs/blob'
import { createBlobJob, createBlobStaging, type StagingProgress } from '../../src/blobs/staging'
import { PART_BYTES } from '../../src/blobs/store'
import type { Database, Queries, Session, Workspace, WorkspaceId } from '../../src/db/database'
import { ApiError } from '../../src/http/api-error'
import { openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'

const MINUTE_MS = 60_000
const workspace: Workspace = { id: '1'.repeat(32) as WorkspaceId, kind: 'key' }
const other: Workspace = { id: '2'.repeat(32) as WorkspaceId, kind: 'key' }
const opened: Database[] = []
afterAll(async () => {
  for (const db of opened) await db.close()
})

/** The store on a fresh database, with the bytes that it counted and the rows that it holds. */
async function makeStore({ quota = Number.POSITIVE_INFINITY } = {}) {
  const db = await openMigrated(join(makeFolder(), 'satchel.db'), 1, (stored) => stored ?? 'x')
  opened.push(db)
  const clock = { now: Date.UTC(2026, 2, 2) }
  const counted = { bytes: 0, steps: [] as number[] }
  const reserve = async (_: Session, bytes: number) => {
    if (counted.bytes + bytes > quota) throw new ApiError('quota_exceeded', 'full')
    counted.bytes += bytes
    counted.steps.push(bytes)
  }
  const staging = createBlobStaging({ now: () => clock.now, reserve })
  const job = createBlobJob({ db, now: () => clock.now, workspaces: { reserve, find: async () => workspace } })
  const session: Session = { workspace, db }
  const inTx = <T>(work: (tx: Queries) => Promise<T>) => db.transaction(work)
  return {
    db,
    clock,
    counted,
    staging,
    session,
    use: (content: Parameters<typeof useBlob>[1]) => inTx((tx) => useBlob({ db: tx, workspace }, content)),
    release: (sha256: string) => inTx((tx) => releaseBlob({ db: tx, workspace }, sha256)),
    runJob: () => job.run(new AbortController().signal),
    count: async (table: string) => (await db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n,
    bytes: (sha256: string) => readWholeBlob({ db, workspace }, sha256),
  }
}

const randomBytes = (size: number) => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

/** The bytes in pieces of a size that divides neither a part nor a step. */
async function* inPieces(bytes: Uint8Array, size = 99_991) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('a content', () => {
  test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, STEP_BYTES])(
    'of %d bytes comes back whole',
    async (size) => {
      const store = await makeStore()
      const bytes = randomBytes(size)
      const content = await store.staging.stage(store.session, inPieces(bytes), size)
      expect(content.from).toEqual(bytes)
      expect(await store.use(content)).toBe(size)
      expect(await store.bytes(sha256Of(bytes))).toEqual(Buffer.from(bytes))
      expect(await store.count('blob_parts')).toBe(Math.ceil(size / PART_BYTES))
    },
  )

  test.each([STEP_BYTES + 1, 2 * STEP_BYTES, 8 * STEP_BYTES + 12_345])(
    'of %d bytes is written in steps, and is seen once it is whole',
    async (size) => {
      const store = await makeStore()
      const bytes = randomBytes(size)
      const content = await store.staging.stage(store.session, inPieces(bytes), size)
      expect(Math.max(...store.counted.steps)).toBeLessThanOrEqual(STEP_BYTES)
      expect([store.counted.bytes, content.size_bytes, content.sha256]).toEqual([size, size, sha256Of(bytes)])
      expect(content.head).toEqual(bytes.subarray(0, HEAD_BYTES))
      expect(await store.bytes(content.sha256)).toBeNull()
      expect(await store.use(content)).toBe(0)
      expect(await store.bytes(content.sha256)).toEqual(Buffer.from(bytes))
      // What was used is not staged any more: giving it up does nothing.
      await store.staging.discard(store.session, content)
      expect(await store.bytes(content.sha256)).toEqual(Buffer.from(bytes))
    },
  )

  test.each([0, STEP_BYTES, STEP_BYTES + 1, 3 * STEP_BYTES + 7])(
    'of %d bytes comes from an item of a run in steps, which read no more than they write',
    async (size) => {
      const store = await makeStore()
      const bytes = randomBytes(size)
      const reads: number[] = []
      const source: ByteSource = {
        ...{ size, sha256: sha256Of(bytes) },
        read(from, length) {
          const part = bytes.subarray(from, from + length)
          reads.push(part.length)
          return part
        },
      }
      let content: Awaited<ReturnType<typeof store.staging.stageStep>> | null = null
      do content = await store.staging.stageStep(store.session, source, content as StagingProgress | null)
      while ('steps' in content)
      expect(Math.max(...reads)).toBeLessThanOrEqual(STEP_BYTES)
      expect(reads.reduce((sum, read) => sum + read, 0)).toBeLessThanOrEqual(size + HEAD_BYTES)
      expect(content.head).toEqual(bytes.subarray(0, HEAD_BYTES))
      await store.use(content)
      expect(store.counted.bytes).toBe(size > STEP_BYTES ? size : 0)
      expect(await store.bytes(source.sha256)).toEqual(Buffer.from(bytes))
    },
  )

  test('is stored once, and erased with its last use', async () => {
    const store = await makeStore()
    const content = toNewBlob(randomBytes(300_000))
    expect([await store.use(content), await store.use(content)]).toEqual([300_000, 0])
    expect(await store.count('blob_parts')).toBe(2)
    expect(await store.release(content.sha256)).toBe(0)
    expect(await store.bytes(content.sha256)).not.toBeNull()
    expect(await store.release(content.sha256)).toBe(300_000)
    expect([await store.count('blobs'), await store.count('blob_parts')]).toEqual([0, 0])
  })

  test('that is large and already there is not kept twice', async () => {
    const store = await makeStore()
    const bytes = randomBytes(STEP_BYTES + 5)
    await store.use(await store.staging.stage(store.session, [bytes], bytes.length))
    const again = await store.staging.stage(store.session, [bytes], bytes.length)
    expect(await store.use(again)).toBe(-bytes.length)
    await store.runJob()
    expect([await store.count('blobs'), await store.count('blob_parts')]).toEqual([1, 5])
  })

  test('that is large is gone for readers at once, and its rows after the next run of the job', async () => {
    const store = await makeStore()
    const content = await store.staging.stage(store.session, [randomBytes(3 * STEP_BYTES)], 3 * STEP_BYTES)
    await store.use(content)
    expect(await store.release(content.sha256)).toBe(3 * STEP_BYTES)
    expect(await store.bytes(content.sha256)).toBeNull()
    await store.runJob()
    expect([await store.count('blobs'), await store.count('blob_parts')]).toEqual([0, 0])
  })

  test('of another workspace is not seen', async () => {
    const store = await makeStore()
    const content = toNewBlob(randomBytes(10))
    await store.use(content)
    expect(await readWholeBlob({ db: store.db, workspace: { id: other.id } }, content.sha256)).toBeNull()
  })
})

describe('a file that does not arrive whole', () => {
  test('over its limit, over the quota or broken off leaves nothing that counts, and no rows', async () => {
    const bytes = randomBytes(3 * STEP_BYTES)
    const broken = async function* () {
      yield bytes
      throw new Error('the line is cut')
    }
    const store = await makeStore({ quota: 2 * STEP_BYTES + 10 })
    await expect(store.staging.stage(store.session, inPieces(bytes), 2 * STEP_BYTES)).rejects.toThrow('at most')
    await expect(store.staging.stage(store.session, inPieces(bytes), bytes.length)).rejects.toThrow('full')
    await expect(store.staging.stage(store.session, broken(), bytes.length)).rejects.toThrow('cut')
    expect(store.counted.bytes).toBe(0)
    await store.runJob()
    expect([await store.count('blobs'), await store.count('blob_parts')]).toEqual([0, 0])
  })

  test('and was given up cannot be used, also before its rows are erased', async () => {
    const store = await makeStore()
    const content = await store.staging.stage(store.session, [randomBytes(STEP_BYTES + 1)], 2 * STEP_BYTES)
    await store.staging.discard(store.session, content)
    await expect(store.use(content)).rejects.toThrow('no longer')
    expect([await store.count('blob_parts'), await store.bytes(content.sha256), store.counted.bytes]).toEqual([
      5,
      null,
      0,
    ])
  })

  test('because of a crash is erased after an hour, no sooner, and its bytes are given back', async () => {
    const store = await makeStore()
    const content = await store.staging.stage(store.session, [randomBytes(STEP_BYTES + 1)], 2 * STEP_BYTES)
    store.clock.now += 59 * MINUTE_MS
    await store.runJob()
    expect(await store.count('blobs')).toBe(1)
    store.clock.now += 2 * MINUTE_MS
    await store.runJob()
    expect([await store.count('blobs'), await store.count('blob_parts'), store.counted.bytes]).toEqual([0, 0, 0])
    await expect(store.use(content)).rejects.toThrow('no longer')
  })
})

describe('a range', () => {
  test.each([
    [0, 0],
    [PART_BYTES - 1, PART_BYTES],
    [PART_BYTES, 2 * PART_BYTES - 1],
    [5, 3 * PART_BYTES + 7],
    [3 * PART_BYTES + 9, 3 * PART_BYTES + 9],
  ])('from %d to %d reads those bytes, and only the rows that have them', async (first, last) => {
    const store = await makeStore()
    const bytes = randomBytes(3 * PART_BYTES + 10)
    const content = toNewBlob(bytes)
    await store.use(content)
    let rows = 0
    const counting: Pick<Queries, 'all' | 'get'> = {
      all: (...args) => store.db.all(...args),
      get: (sql, params) => {
        if (sql.includes('blob_parts')) rows++
        return store.db.get(sql, params)
      },
    }
    const read = await Array.fromAsync(readBlob({ db: counting, workspace }, content.sha256, { first, last }))
    expect(Buffer.concat(read)).toEqual(Buffer.from(bytes.subarray(first, last + 1)))
    expect(rows).toBe(Math.floor(last / PART_BYTES) - Math.floor(first / PART_BYTES) + 1)
  })
})
