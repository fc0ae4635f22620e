import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createScheduler } from '../../src/jobs/scheduler'
import { contradictions } from '../support/recount'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'

/** Erased is erased: nothing of a text is left in the files, whichever way it was erased. */

type World = Awaited<ReturnType<typeof makeWorld>>
const worlds: World[] = []
const DAY = 86_400_000
const me = { key: makeKey(1) }
const other = { key: makeKey(2) }
/** The index of search holds words, stems and pairs: characters that nobody else uses give each of them away. */
const WORDS = ['Qzvxerlin', 'wuxyfloop']
const SENTENCE = `${WORDS.join(' ')} 㐀㐁㐂㐃 on the quay`
const PIECES = [SENTENCE, ...WORDS, 'zvxerl', 'uxyfloop', '㐀㐁', '㐁㐂', '㐂㐃', '㐀', '㐃']

async function newWorld(): Promise<World> {
  const world = await makeWorld({ settings: { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '100000' } })
  worlds.push(world)
  return world
}

afterAll(async () => {
  for (const { close } of worlds) await close()
})

/** Those of the pieces that are in satchel.db, in an index of search, or in their logs. */
function found({ folder }: World, pieces = PIECES): string[] {
  const database = ['', '-wal', '-shm']
    .map((end) => join(folder, `satchel.db${end}`))
    .filter((path) => existsSync(path))
  const indexes = [...new Bun.Glob('search/*').scanSync({ cwd: folder, absolute: true })]
  const files = [...database, ...indexes]
  // Terms are stored in lower case, less what they share with the term before them.
  const all = Buffer.concat(files.map((path) => readFileSync(path)))
  return pieces.filter((piece) => all.includes(piece) || all.includes(piece.toLowerCase()))
}

async function made(world: World, as: As, path: string, body: unknown, headers = {}) {
  const answer = await world.call(as, 'POST', path, body, headers)
  expect([path, answer.status]).toEqual([path, 201])
  return answer.body
}

async function batch(world: World, as: As, count: number, body: (i: number) => string): Promise<void> {
  for (let at = 0; at < count; at += 100) {
    const ops = Array.from({ length: 100 }, (_, i) => ({
      op: 'create',
      data: { title: `n${at + i}`, body: body(at + i) },
    }))
    expect((await world.call(as, 'POST', '/api/notes/batch', { ops })).status).toBe(200)
  }
}

const prose = (i: number) =>
  Array.from({ length: 80 }, (_, k) => `w${((i * 7919 + k * 104729) % 9973).toString(36)}`).join(' ')

/** The sentence in everything that keeps text, between texts of another workspace. */
async function fill(world: World, as: As): Promise<void> {
  const note = await made(world, as, '/api/notes', { title: 'A', body: SENTENCE })
  await world.call(as, 'PATCH', `/api/notes/${note.id}`, { body: `${SENTENCE} changed` })
  await made(world, other, '/api/notes', { title: 'B', body: prose(1) })
  const gone = await made(world, as, '/api/notes', { title: SENTENCE, body: prose(2) })
  await world.call(as, 'DELETE', `/api/notes/${gone.id}`)
  await made(world, as, '/api/notes', { title: 'Once', body: SENTENCE }, { 'Idempotency-Key': 'one' })
  await made(world, as, '/api/tasks', { title: SENTENCE, notes: SENTENCE })
  const deck = await made(world, as, '/api/flashcards/decks', { name: WORDS[0] })
  await made(world, as, '/api/flashcards/facts', { deck_id: deck.id, type: 'basic', front: SENTENCE, back: SENTENCE })
  await made(world, other, '/api/notes', { title: 'C', body: prose(3) })
  expect((await world.call(as, 'GET', `/api/search?q=${WORDS[0]}`)).body.items).not.toEqual([])
}

/** A minute passes: the scheduler takes a turn. */
async function minute(world: World): Promise<void> {
  world.clock.now += 60_000
  await createScheduler({ now: () => world.clock.now, log: world.log, jobs: world.jobs }).tick()
  expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
}

async function twoMinutes(world: World): Promise<void> {
  await minute(world)
  await minute(world)
}

async function expectKept(world: World): Promise<void> {
  expect((await world.call(other, 'GET', `/api/notes/search?q=${prose(1).split(' ')[3]}`)).body.items).not.toEqual([])
  expect(await contradictions(world.folder)).toEqual([])
}

test('a minute after DELETE /api/workspace no file holds its text or pieces of it', async () => {
  const world = await newWorld()
  await fill(world, me)
  await minute(world)
  expect(found(world)).toEqual(PIECES)
  expect((await world.call(me, 'DELETE', '/api/workspace?confirm=erase')).status).toBe(204)
  await minute(world)
  expect(found(world)).toEqual([])
  expect(statSync(join(world.folder, 'satchel.db-wal')).size).toBe(0)
  await expectKept(world)
})

test('among thousands of notes, pages that were split and filled again hold nothing either', async () => {
  const world = await newWorld()
  const marked = (i: number) => `${prose(i)} ${SENTENCE} ${i}`
  for (let round = 0; round < 5; round++) {
    await batch(world, me, 100, marked)
    await batch(world, other, 100, (i) => prose(i + 100 * round))
    await minute(world)
  }
  await world.call(me, 'DELETE', '/api/workspace', { confirm: 'erase' })
  await minute(world)
  expect(found(world)).toEqual([])
  expect(await contradictions(world.folder)).toEqual([])
})

test('nor does one after a note is erased, at once or by its 30 days in the trash', async () => {
  for (const way of ['permanent', 'trash']) {
    const world = await newWorld()
    // So many that what is deleted is a small part, and that one step does not do.
    await batch(world, other, 300, prose)
    const two = [SENTENCE, SENTENCE].map((body) => made(world, me, '/api/notes', { title: 'A', body }))
    // The second one is erased from what the first erasure left: a single segment.
    for (const { id } of await Promise.all(two)) {
      await minute(world)
      expect((await world.call(me, 'GET', `/api/search?q=${WORDS[0]}`)).body.items).not.toEqual([])
      await world.call(me, 'DELETE', `/api/notes/${id}${way === 'permanent' ? '?permanent=true' : ''}`)
      await twoMinutes(world)
      if (way === 'permanent') continue
      expect(found(world)).toEqual(PIECES)
      world.clock.now += 30 * DAY
      await twoMinutes(world)
    }
    expect([way, found(world)]).toEqual([way, []])
    await expectKept(world)
  }
})

test('nor after a scratch space had no request for 24 hours', async () => {
  const world = await newWorld()
  await fill(world, { address: '192.0.2.7' })
  await minute(world)
  expect(found(world)).toEqual(PIECES)
  world.clock.now += DAY + 3_600_000
  await minute(world)
  expect(found(world)).toEqual([])
  await expectKept(world)
})

test('what is not erased stays: of another workspace, edited notes, and what is in the trash', async () => {
  const world = await newWorld()
  await made(world, other, '/api/notes', { title: 'Kept', body: 'blorquist alone' })
  const edited = await made(world, me, '/api/notes', { title: 'Edited', body: 'frumptious first' })
  await world.call(me, 'PATCH', `/api/notes/${edited.id}`, { body: 'second' })
  const trashed = await made(world, me, '/api/notes', { title: 'Trash', body: 'glimworthy' })
  await world.call(me, 'DELETE', `/api/notes/${trashed.id}`)
  const doomed = await made(world, me, '/api/notes', { title: 'Doomed', body: SENTENCE })
  await world.call(me, 'DELETE', `/api/notes/${doomed.id}?permanent=true`)
  await minute(world)
  expect(found(world)).toEqual([])
  expect(found(world, ['blorquist', 'frumptious', 'glimworthy'])).toEqual(['blorquist', 'frumptious', 'glimworthy'])
  expect((await world.call(other, 'GET', '/api/notes/search?q=blorquist')).body.items).toHaveLength(1)
  expect((await world.call(me, 'GET', `/api/notes/${edited.id}/revisions/1`)).body.body).toBe('frumptious first')
})

test('a snapshot keeps the log from being emptied, fails nothing, and a later minute empties it', async () => {
  const world = await newWorld()
  await fill(world, me)
  const snapshot = await world.db.snapshot()
  await world.call(me, 'DELETE', '/api/workspace', { confirm: 'erase' })
  // It waits for nobody: a lock is waited for a second elsewhere. One of a few tries is quicker on a busy machine, too.
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5 && least >= 900; run += 1) {
    const began = performance.now()
    expect(await world.db.emptyLog()).toBe(false)
    least = Math.min(least, performance.now() - began)
  }
  expect(least).toBeLessThan(900)
  await minute(world)
  expect(found(world)).not.toEqual([])
  await made(world, me, '/api/notes', { title: 'goes on' })
  snapshot.close()
  await minute(world)
  expect(found(world)).toEqual([])
})
