import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PARTS_PER_STEP } from '../../../src/blobs/blob'
import type { Database, Queries } from '../../../src/db/database'
import { filesOf } from '../../archive/support'
import { contradictions } from '../../support/recount'
import type { As } from '../../support/world'
import { packageOf } from '../anki/build'
import { makeTransferWorld } from '../transfer-support'

/** Text of 3 MiB and a bit, which does not pack well enough for a zip bomb. */
const LARGE = Array.from({ length: 3 * 2 ** 14 + 1 }, (_, i) => Bun.SHA256.hash(String(i), 'hex')).join('')
const NAMES = ['a.txt', 'large.mp3', 'z.txt']
const PACKAGE = packageOf('legacy1', {
  ...{ decks: [{ id: 1, name: 'Deck' }], notetypes: [], notes: [], cards: [] },
  media: { 'a.txt': 'small', 'large.mp3': LARGE, 'z.txt': 'small too' },
})

let world: Awaited<ReturnType<typeof makeTransferWorld>>
/** The rows of files that each transaction added. */
let added: number[] = []
beforeAll(async () => {
  world = await makeTransferWorld()
  const count = async (db: Pick<Database, 'get'>) =>
    (await db.get<{ n: number }>('SELECT count(*) AS n FROM blob_parts'))?.n ?? 0
  const counted = (db: Queries) => {
    const transaction = db.transaction.bind(db)
    db.transaction = (work) =>
      transaction(async (tx) => {
        const before = await count(tx)
        const result = await work(tx)
        added.push((await count(tx)) - before)
        return result
      })
    return db
  }
  const ownedBy = world.db.ownedBy.bind(world.db)
  world.db.ownedBy = (...owners) => {
    const owned = ownedBy(...owners)
    return owned === world.db ? owned : counted(owned)
  }
  counted(world.db)
})
afterAll(() => world.close())

async function archiveOf(me: As): Promise<Uint8Array<ArrayBuffer>> {
  const headers = { 'X-API-Key': me.key ?? '' }
  return new Uint8Array(await (await fetch(new URL('/api/export', world.base), { headers })).arrayBuffer())
}

async function sendArchive(me: As, body: Uint8Array<ArrayBuffer>) {
  const headers = { 'X-API-Key': me.key ?? '', 'Content-Type': 'application/zip' }
  return (await fetch(new URL('/api/import', world.base), { method: 'POST', headers, body })).json()
}

async function mediaOf(me: As): Promise<string[]> {
  const { items } = (await world.callAny(me, 'GET', '/api/flashcards/media')).body
  return items.map(({ name, size_bytes }: { name: string; size_bytes: number }) => `${name} ${size_bytes}`)
}

const STORED = ['a.txt 5', `large.mp3 ${LARGE.length}`, 'z.txt 9']

describe('a medium of more than one step', () => {
  test('comes from a package in steps, among small ones, and once', async () => {
    const me = world.stranger()
    added = []
    const sent = await world.send(me, 'format=apkg', PACKAGE)
    expect(sent.body.resources.media).toMatchObject({ created: 3 })
    expect(Math.max(...added)).toBe(PARTS_PER_STEP)
    expect(await mediaOf(me)).toEqual(STORED)
    const files = filesOf(await archiveOf(me))
    expect(NAMES.map((name) => files.get(`media/${name}`))).toEqual(['small', LARGE, 'small too'])
    added = []
    const again = await world.send(me, 'format=apkg', PACKAGE)
    expect(again.body.totals).toMatchObject({ created: 0, failed: 0 })
    expect(Math.max(...added)).toBe(0)
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('comes from an archive in steps, among small ones, and once', async () => {
    const [me, other] = [world.stranger(), world.stranger()]
    await world.send(me, 'format=apkg', PACKAGE)
    const archive = await archiveOf(me)
    added = []
    expect((await sendArchive(other, archive)).totals).toMatchObject({ failed: 0 })
    expect(Math.max(...added)).toBe(PARTS_PER_STEP)
    expect(await mediaOf(other)).toEqual(STORED)
    expect((await sendArchive(other, archive)).totals).toMatchObject({ created: 0, updated: 0, failed: 0 })
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('leaves nothing where there is no room for it', async () => {
    await using small = await makeTransferWorld({ WORKSPACE_BYTES: String(2 * 1024 * 1024) })
    const me = small.stranger()
    const { body } = await small.send(me, 'format=apkg', PACKAGE)
    expect(body.totals).toMatchObject({ failed: 1 })
    const usage = (await small.callAny(me, 'GET', '/api/usage')).body.workspace
    expect(usage.size_bytes).toBeLessThan(1024)
    expect(await contradictions(small.folder)).toEqual([])
  })
})
