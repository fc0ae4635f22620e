import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { clip, countJsonBytes, cutToJsonBytes, fitResult, MAX_RESULT_BYTES } from '../../src/tools/fit'
import type { ChatAction } from '../../src/tools/schema'
import type { ToolContext } from '../../src/tools/tool'
import { keepAgentUndo } from '../../src/tools/undos'
import { runs } from '../support/full'
import { contradictions } from '../support/recount'
import { callsOf, makeThings } from './calls'
import { type Caller, makeTools, OPEN, ok } from './support'

const tools = await makeTools()
afterAll(async () => {
  expect(await contradictions(tools.world.folder)).toEqual([])
  await tools.close()
})

describe('whatever a model says', () => {
  test('no arguments throw: they are done, or a fault with a sentence; no result is over 4 KiB', async () => {
    const me = tools.caller()
    const ids = await makeThings(me)
    await fc.assert(
      fc.asyncProperty(callsOf(tools.executor.catalogue, ids), async ({ name, args }) => {
        const { result, fault, action, sources } = await me.call(name, args)
        expect(countJsonBytes(result)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
        if (fault) expect(fault.detail.length).toBeGreaterThan(10)
        if (fault) expect(action === null || action.status === 'failed').toBe(true)
        for (const { text, start, end } of sources) {
          expect(start).toBeLessThan(end)
          expect(end).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('in a chat that only reads, nothing is changed, and no writing tool exists', async () => {
    const me = tools.caller()
    const id = ok(await me.call('create_note', { title: 'Stays' })).result.id
    const before = await me.changes()
    await fc.assert(
      fc.asyncProperty(callsOf(tools.executor.catalogue), async ({ name, args }) => {
        const tool = tools.executor.catalogue.find((one) => one.name === name)
        const { fault, action } = await me.call(name, args, { mode: 'read' })
        if (tool?.risk === 'read') expect(action).toBeNull()
        else expect([fault?.code, action?.status]).toEqual(['not_found', 'denied'])
      }),
      { numRuns: runs(100) },
    )
    const denied = await me.call('trash_item', { type: 'note', id }, { mode: 'read' })
    expect(denied.action).toMatchObject({ status: 'denied', confirm: null })
    expect(await me.changes()).toEqual(before)
  })

  test('an unknown tool is a fault that names those there are', async () => {
    const outcome = await tools.caller().call('erase_everything', {})
    expect(outcome.fault?.code).toBe('not_found')
    expect(outcome.fault?.detail).toContain('trash_item')
  })

  test('a fault says which argument is wrong, and what the tool takes', async () => {
    const outcome = await tools.caller().call('search', { query: 'a', limit: 21 })
    expect(outcome.fault).toMatchObject({ code: 'invalid_request' })
    expect(outcome.fault?.detail).toContain('/limit')
    expect(outcome.fault?.detail).toContain('query (required), types, limit')
  })

  test('no tool runs for a caller who is gone', async () => {
    const me = tools.caller()
    await expect(me.call('create_note', { title: 'Late' }, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(await me.changes()).toEqual([])
  })
})

/** One of each kind that holds a word nobody else has. */
async function secrets(me: Caller, word: string, tag: string) {
  const note = ok(
    await me.call('create_note', { title: `Note ${word}`, body: `Q: ${word}?\nA: ${word}.\n`, tags: [tag] }),
  )
  const task = ok(await me.call('create_task', { title: `Task ${word}`, labels: [tag], due: '2026-03-01' }))
  const cards = [{ front: `Front ${word}`, back: word }]
  const { action, result } = ok(await me.call('create_cards', { deck: `Deck ${word}`, cards }))
  const [fact] = result.items as { id: string }[]
  const ids = { note: String(note.result.id), task: String(task.result.id), fact: String(fact?.id) }
  await me.send('PATCH', `/api/flashcards/facts/${ids.fact}`, { tags: [tag] })
  const deck = String(action?.target?.id)
  const [due] = (await me.send('GET', `/api/flashcards/queue?deck_id=${deck}`)).items
  const undo = `undo of ${word}`
  const { session, now } = me.context()
  await keepAgentUndo(session, undo, [note.action as ChatAction], now)
  return { ...ids, deck, card: String(due?.card.id), undo }
}

type Ids = Awaited<ReturnType<typeof secrets>>

/** Everything that could show, or touch, what has this word and these ids. */
async function tryAll(me: Caller, ids: Ids, word: string, changes: Partial<ToolContext>) {
  const asked: [name: string, args: unknown][] = [
    ['search', { query: word }],
    ['search', { query: `Note Task Front ${word.slice(0, 5)}`, limit: 20 }],
    ['get_note', { id: ids.note }],
    ['get_note', { title: `Note ${word}` }],
    ['list_tasks', {}],
    ['list_tasks', { filter: `"${word}"`, when: 'overdue' }],
    ['list_due_cards', {}],
    ['list_due_cards', { deck: `Deck ${word}` }],
    ['list_due_cards', { deck: ids.deck }],
    ['summarize', { id: ids.note }],
    ['summarize', { query: word }],
    ['suggest_cards', { id: ids.note }],
    ['update_note', { id: ids.note, append: 'more' }],
    ['update_note', { id: ids.note, replace: 'more' }],
    ['update_task', { id: ids.task, done: true }],
    ['update_task', { id: ids.task, title: 'more' }],
    ['create_cards', { deck: ids.deck, cards: [{ front: 'f', back: 'b' }] }],
    ...(['note', 'task', 'fact'] as const).map((type): [string, unknown] => ['trash_item', { type, id: ids[type] }]),
    ['agenda', {}],
    ['list_changes', { limit: 50 }],
    ['update_note', { id: ids.note, edits: [{ op: 'append', content: 'more' }] }],
    ['update_task', { id: ids.task, done: true }],
    ['answer_card', { id: ids.card, rating: 'good' }],
    ['trash_item', { type: 'note', id: ids.note, revision: 1 }],
    ...(['note', 'task', 'fact', 'deck'] as const).map((type): [string, unknown] => [
      'trash_item',
      { type, id: ids[type], restore: true },
    ]),
    ['undo', { ids: [ids.undo] }],
    ['undo', { since: ids.undo }],
  ]
  const outcomes = []
  for (const [name, args] of asked) outcomes.push({ name, ...(await me.call(name, args, changes)) })
  return outcomes
}

describe('what is hidden', () => {
  test('is not shown, cited, counted or touched: by kinds, tags and ids', async () => {
    const me = tools.caller()
    const hidden = await secrets(me, 'xyzzyplugh', 'private')
    await secrets(me, 'visible', 'work')
    const before = await me.changes()
    const scopes = [
      { ...OPEN, types: [] },
      { ...OPEN, types: ['review'] },
      { ...OPEN, tags: ['work'] },
      { ...OPEN, tags: ['private', 'work'] },
      { ...OPEN, ids: [] },
      { ...OPEN, ids: ['01900000-0000-7000-8000-00000000ffff'] },
      {
        types: ['note', 'task', 'fact', 'deck'],
        tags: ['WORK'],
        ids: [hidden.note, hidden.task, hidden.fact, hidden.deck],
      },
    ]
    for (const scope of scopes)
      for (const { name, ...outcome } of await tryAll(me, hidden, 'xyzzyplugh', { scope })) {
        // What the caller said may be said again in a sentence, but nothing that was read.
        const said = JSON.stringify([outcome.result.items, outcome.sources, outcome.action?.target])
        expect([name, said.includes('xyzzyplugh') || said.includes(hidden.note)]).toEqual([name, false])
        if (outcome.fault) expect([name, outcome.fault.code]).toEqual([name, 'not_found'])
        if (outcome.action) expect(outcome.action.status).toBe('failed')
      }
    expect(await me.changes()).toEqual(before)
  })

  test('counts of a narrow scope count what it shows', async () => {
    const me = tools.caller()
    await secrets(me, 'hiddenone', 'private')
    const seen = await secrets(me, 'shownone', 'work')
    for (const scope of [
      { ...OPEN, tags: ['work'] },
      { ...OPEN, ids: [seen.task, seen.fact, seen.note] },
    ]) {
      const counts = { new: 1, learning: 0, review: 0 }
      expect(ok(await me.call('list_due_cards', {}, { scope })).result).toMatchObject({
        counts,
        items: [{ deck: null }],
      })
      expect(ok(await me.call('list_tasks', {}, { scope })).result.total).toBe(1)
      expect(ok(await me.call('search', { query: 'note task front' }, { scope })).result.items).toHaveLength(3)
    }
    const scope = { ...OPEN, types: ['task'] }
    const { items } = ok(await me.call('search', { query: 'shownone' }, { scope })).result
    expect(items).toMatchObject([{ type: 'task', id: seen.task }])
    expect((await me.call('create_note', { title: 'Not here' }, { scope })).fault?.code).toBe('not_found')
  })
})

describe('what fits', () => {
  test('a result of texts and lists is cut to 4 KiB, and says so', () => {
    const result = fc.record({
      id: fc.string(),
      body: fc.string({ unit: 'binary', maxLength: 6000 }),
      items: fc.array(fc.record({ title: fc.string({ unit: 'binary', maxLength: 200 }) }), { maxLength: 40 }),
      total: fc.nat(),
    })
    fc.assert(
      fc.property(result, (whole) => {
        const cut = fitResult(whole)
        expect(countJsonBytes(cut)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
        if (countJsonBytes(whole) <= MAX_RESULT_BYTES) expect(cut).toBe(whole)
        else expect(cut.truncated).toBe(true)
      }),
      { numRuns: runs(50) },
    )
  })

  test('texts are cut between code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 60 }), (text, most) => {
        const clipped = clip(text, most)
        expect(Array.from(clipped).length).toBeLessThanOrEqual(most)
        expect(clipped.isWellFormed()).toBe(true)
        const prefix = cutToJsonBytes(text, most)
        expect(text.startsWith(prefix) && prefix.isWellFormed()).toBe(true)
        expect(countJsonBytes(prefix) - 2).toBeLessThanOrEqual(most)
      }),
      { numRuns: runs(200) },
    )
  })
})
