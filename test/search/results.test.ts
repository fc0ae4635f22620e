import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { subject, text, tree } from './arbitrary'
import { makeFinders } from './finders'
import { matches, type Subject, spelled, type Tree } from './matcher'

const { world, stranger, items, ask, note, task, fact } = await makeFinders()
afterAll(world.close)

const named = text.map((title) => title.replace(/\n/g, ' ')).filter((title) => title.trim() !== '')
const tags = fc.subarray(['x', 'café', 'cafe'], { maxLength: 2 })
const things = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('note' as const), input: subject }),
    fc.record({ kind: fc.constant('task' as const), input: fc.record({ title: named, notes: text, labels: tags }) }),
    fc.record({
      kind: fc.constant('fact' as const),
      input: fc.record({
        front: text.filter((one) => one.trim() !== ''),
        back: text.filter((one) => one.trim() !== ''),
        extra: text,
        tags,
      }),
    }),
  ),
  { minLength: 4, maxLength: 12 },
)

/** What only notes have, as if there were none of it. */
const NOTHING_ELSE = {
  inline_tags: [],
  folder: null,
  pinned: false,
  archived_at: null,
  daily_date: null,
  checklist: { total: 0, done: 0 },
  links: { in: 0, out: 0 },
} as const

type Found = Subject & { readonly id: string; readonly type: string }

/** Everything a caller has, as the matcher reads it. Only notes have a folder, flags and links. */
async function everything(me: { key: string }): Promise<Found[]> {
  const list = async (path: string) => (await world.call(me, 'GET', `${path}limit=200`)).body.items
  const notes: Found[] = await list('/api/notes?archived=any&include=body&')
  const tasks = await list('/api/tasks?')
  const facts = await list('/api/flashcards/facts?')
  return [
    ...notes.map((one) => ({ ...one, type: 'note' })),
    // biome-ignore lint/suspicious/noExplicitAny: answers are what is looked into
    ...tasks.map((one: any) => ({ ...one, ...NOTHING_ELSE, type: 'task', body: one.notes, tags: one.labels })),
    // biome-ignore lint/suspicious/noExplicitAny: answers are what is looked into
    ...facts.map((one: any) => ({ ...one, ...NOTHING_ELSE, type: 'fact', title: one.front, body: bodyOf(one) })),
  ]
}

const bodyOf = ({ back, extra, hint }: Record<string, string | null>) =>
  [back, extra, hint].filter((one) => one !== null).join('\n')

/** The tree as it is meant for what is no note: what only notes have is not there. */
function elsewhere(tree: Tree): Tree {
  if ('all' in tree) return { all: tree.all.map(elsewhere) }
  if ('any' in tree) return { any: tree.any.map(elsewhere) }
  if ('not' in tree) return { not: elsewhere(tree.not) }
  return ['is', 'has', 'folder'].includes(tree.field) ? { any: [] } : tree
}

describe('what is found', () => {
  test('is what a plain matcher finds, one by one, for random notes, tasks, facts and queries', async () => {
    await fc.assert(
      fc.asyncProperty(things, fc.array(tree, { minLength: 10, maxLength: 25 }), async (made, trees) => {
        const me = stranger()
        for (const [n, { kind, input }] of made.entries()) {
          world.clock.now = Date.parse('2026-03-02T12:00:00.000Z') + n * 5 * 3_600_000
          await { note, task, fact }[kind](me, input)
        }
        const all = await everything(me)
        expect(all).toHaveLength(made.length)
        for (const one of trees) {
          // Beside OR all is exact; bare words are not.
          const q = `(${spelled(one)}) OR qqzzyy`
          const wanted = all
            .filter((thing) => matches(thing.type === 'note' ? one : elsewhere(one), thing))
            .map(({ id }) => id)
          expect([q, (await items(me, q)).map(({ id }) => id).sort()]).toEqual([q, wanted.sort()])
        }
      }),
      { numRuns: runs(8) },
    )
  })

  test('comes in pages as it comes at once, each thing once', async () => {
    await fc.assert(
      fc.asyncProperty(things, fc.integer({ min: 1, max: 4 }), async (made, limit) => {
        const me = stranger()
        for (const { kind, input } of made) await { note, task, fact }[kind](me, input)
        for (const q of ['a OR b OR cafe', 'cafe b', '-zzz']) {
          const paged: string[] = []
          for (let cursor: string | null = ''; cursor !== null; ) {
            const page = await ask(me, q, { limit: String(limit), ...(cursor === '' ? {} : { cursor }) })
            expect(page.body.items.length).toBeLessThanOrEqual(limit)
            paged.push(...page.body.items.map(({ id }: { id: string }) => id))
            cursor = page.body.next_cursor
          }
          // A larger page may hold what has fewer of the words, behind what has all.
          const atOnce = (await items(me, q)).map(({ id }) => id)
          expect(paged).toEqual(atOnce.slice(0, paged.length))
          const least = q === 'cafe b' ? Math.min(limit, atOnce.length) : atOnce.length
          expect(paged.length).toBeGreaterThanOrEqual(least)
          expect(new Set(paged).size).toBe(paged.length)
        }
      }),
      { numRuns: runs(6) },
    )
  })
})
