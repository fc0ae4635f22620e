import { afterAll, expect, test } from 'bun:test'
import type { WorkspaceId } from '../../../src/db/database'
import { splitHistories } from '../../../src/flashcards/optimizing/history'
import { readHistories } from '../../../src/flashcards/optimizing/log-store'
import { makeStudyWorld } from '../support'
import { fillSample } from './studied'

const world = await makeStudyWorld()
afterAll(world.close)

const { signal } = new AbortController()

async function filled(cards: number) {
  const deck = await world.deck(world.stranger())
  const made = await fillSample(world.folder, deck.id, 0, cards)
  const sql = 'SELECT key, workspace FROM study_decks WHERE id = $1'
  const row = await world.db.get<{ key: number; workspace: WorkspaceId }>(sql, [deck.id])
  if (!row) throw new Error('no deck')
  const session = { workspace: { id: row.workspace, kind: 'key' as const }, db: world.db }
  return { ...made, session, decks: new Set([row.key]) }
}

test('the log is read whole in many turns, card by card', async () => {
  const { logs, answers, session, decks } = await filled(500)
  expect(answers).toBeGreaterThan(4000)
  const read = await readHistories(session, decks, { most: 200_000, signal })
  expect(read.reviews).toBe(answers)
  expect(read.histories).toEqual(logs.flatMap((log) => splitHistories(log)))
  expect(await readHistories(session, new Set(), { most: 200_000, signal })).toEqual({ reviews: 0, histories: [] })
})

test('of a log that is too long the newest answers are read, and no history that begins before them', async () => {
  const { logs, session, decks } = await filled(60)
  const last = logs.slice(40).flat().length
  // One answer more reaches into a card whose log begins before.
  for (const most of [last, last + 1]) {
    const read = await readHistories(session, decks, { most, signal })
    expect(read).toEqual({ reviews: most, histories: logs.slice(40).flatMap((log) => splitHistories(log)) })
  }
})

test('reading stops when it is told to', async () => {
  const { session, decks } = await filled(500)
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(readHistories(session, decks, { most: 200_000, signal: aborted })).rejects.toThrow('enough')
})
