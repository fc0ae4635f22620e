/** What the app shows of a change before the server has answered is what the server then answers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { NoteSummary, Task } from '../../app/api/types'
import { applyToNote, applyToTask, asSent, loadDeriving, type PendingWrite, type Write } from '../../app/data/writes'
import { runs } from '../support/full'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
beforeAll(loadDeriving)
const RUNS = { numRuns: runs(60) }

type NoteOp = Extract<Write, { type: 'note' }>['op']
type TaskOp = Extract<Write, { type: 'task' }>['op']

async function send(me: { key: string }, type: 'note' | 'task', op: NoteOp | TaskOp) {
  const { status, body } = await world.call(me, 'POST', `/api/${type}s/batch`, { atomic: false, ops: [op] })
  expect(status).toBe(200)
  return body.items[0] as { status: number; body: NoteSummary & Task }
}

/** The members that are shown before the answer; what others count or place is left to the server. */
const seen = (resource: object | null, left: readonly string[]) =>
  resource && Object.fromEntries(Object.entries(resource).filter(([name]) => !left.includes(name)))
const OF_SERVER = ['revision', 'created_at', 'updated_at', 'completed_at', 'position'] as const

const title = fc.stringMatching(/^[a-zé#*]{1,8}( [a-z]{1,5})?$/)
const line = fc.constantFrom(
  '# Plan',
  'Call mum',
  '- [ ] milk',
  '- [x] eggs',
  '#house text',
  '',
  '> quote',
  '`code`',
  '[[Porto]]',
)
const body = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'))
const tags = fc.uniqueArray(fc.constantFrom('a', 'house', 'garden'), { maxLength: 3 })
const note = fc.record(
  {
    title: fc.option(title),
    body,
    tags,
    folder: fc.constantFrom(null, 'Home', 'Home/Garden'),
    pinned: fc.boolean(),
  },
  { requiredKeys: [] },
)
/** Tags that are added and taken away, in any spelling; the workspace knows the spelling of all of them. */
const names = fc.array(fc.constantFrom('a', 'house', 'garden'), { maxLength: 3 })
/** A text that moves its title only where it gives one: whether a stored title is derived, only the server knows. */
const noteChange = fc
  .tuple(note, fc.record({ tags_add: names, tags_remove: names }, { requiredKeys: [] }))
  .map(([{ title, ...rest }, change]) => ({ ...rest, ...change, ...(title != null && { title }) }))

test('a note', async () => {
  const me = stranger()
  const shown = (resource: NoteSummary | null) => seen(resource, [...OF_SERVER, 'links', 'source'])
  await fc.assert(
    fc.asyncProperty(
      fc.uuid({ version: 7 }),
      note.map((given) => ({ title: 'T', ...given })),
      noteChange,
      async (id, first, second) => {
        const given = { ...first, title: first.title ?? 'T' }
        const create: NoteOp = { op: 'create', id, data: given }
        const made = applyToNote(null, { type: 'note', op: create }, 0)
        const answered = await send(me, 'note', create)
        expect([answered.status, shown(made)]).toEqual([201, shown(answered.body)])
        const update: NoteOp = { op: 'update', id, data: second }
        const changed = applyToNote(answered.body, { type: 'note', op: update }, 0)
        // The same before the server has answered to the creation.
        const early = applyToNote(made, { type: 'note', op: update }, 0)
        const updated = shown((await send(me, 'note', update)).body)
        expect([shown(changed), shown(early)]).toEqual([updated, updated])
        expect(applyToNote(answered.body, { type: 'note', op: { op: 'delete', id } }, 0)).toBeNull()
      },
    ),
    RUNS,
  )
})

test('a note whose title is in its text', async () => {
  const me = stranger()
  await fc.assert(
    fc.asyncProperty(fc.uuid({ version: 7 }), body, async (id, text) => {
      const create: NoteOp = { op: 'create', id, data: { body: text } }
      const made = applyToNote(null, { type: 'note', op: create }, 0)
      const answered = (await send(me, 'note', create)).body
      expect([made?.title, made?.excerpt]).toEqual([answered.title, answered.excerpt])
    }),
    RUNS,
  )
})

const date = fc.record({ date: fc.constantFrom('2026-03-02', '2027-12-31'), time: fc.constantFrom(null, '09:00') })
const task = fc.record(
  {
    title,
    priority: fc.integer({ min: 0, max: 4 }),
    due: fc.option(date),
    start: fc.constant(null),
    labels: tags,
    notes: fc.option(title),
    duration_minutes: fc.option(fc.constant(30)),
  },
  { requiredKeys: [] },
)

const taskChange = fc
  .tuple(task, fc.record({ labels_add: names, labels_remove: names }, { requiredKeys: [] }))
  .map(([members, change]) => ({ ...members, ...change }))

test('a task', async () => {
  const me = stranger()
  const shown = (resource: Task | null) => seen(resource, [...OF_SERVER, 'due_at'])
  await fc.assert(
    fc.asyncProperty(
      fc.uuid({ version: 7 }),
      task.map((given) => ({ title: 'T', ...given })),
      fc.array(fc.oneof(taskChange, fc.constantFrom('complete' as const, 'reopen' as const)), { maxLength: 4 }),
      async (id, first, changes) => {
        const create: TaskOp = { op: 'create', id, data: first }
        const made = applyToTask(null, { type: 'task', op: create }, 0)
        let answered = (await send(me, 'task', create)).body as Task
        expect(shown(made)).toEqual(shown(answered))
        for (const change of changes) {
          const op: TaskOp = typeof change === 'string' ? { op: change, id } : { op: 'update', id, data: change }
          const expected = applyToTask(answered, { type: 'task', op }, 0)
          const item = await send(me, 'task', op)
          // What the server refuses is not confirmed, and no longer shown.
          if (item.status >= 300) continue
          answered = item.body
          expect(shown(expected)).toEqual(shown(answered))
        }
      },
    ),
    RUNS,
  )
})

describe('a completion as it is sent', () => {
  const at = new Date(2026, 2, 2, 23, 58).getTime()
  const MINUTE = 60_000
  const completion: PendingWrite = { type: 'task', op: { op: 'complete', id: 'x' }, tab: 't', seq: 1, at }
  const momentOf = (write: PendingWrite, now: number) => {
    const { op } = asSent(write, now)
    return 'data' in op && op.data && 'completed_at' in op.data ? op.data.completed_at : null
  }

  test.each([
    ['the next day', 5 * MINUTE],
    ['a week later', 7 * 1440 * MINUTE],
    ['at the same time of the next day', 1440 * MINUTE],
  ])('says when it was, if that is %s', (_, later) => {
    expect(momentOf(completion, at + later)).toBe(new Date(at).toISOString())
  })

  test.each([
    ['at once', completion, 0],
    ['later on its day', completion, MINUTE],
    ['over midnight, within what clocks differ by', { ...completion, at: at + 90_000 }, 2.2 * MINUTE],
    ['as a skip', { ...completion, op: { op: 'skip', id: 'x' } } as PendingWrite, 5 * MINUTE],
    ['as it was reopened', { ...completion, op: { op: 'reopen', id: 'x' } } as PendingWrite, 5 * MINUTE],
  ])('is left to the clock of the server, if it is sent %s', (_, write, later) => {
    expect(asSent(write, at + later)).toBe(write)
  })

  test('keeps what it names', () => {
    const data = { occurrence: '2026-03-02', time_zone: 'UTC' }
    const { op } = asSent({ ...completion, op: { op: 'complete', id: 'x', data } }, at + 5 * MINUTE)
    expect(op).toEqual({ op: 'complete', id: 'x', data: { ...data, completed_at: new Date(at).toISOString() } })
  })
})

describe('what the clock of the device put into the future', () => {
  const review = { id: 'r', card_id: 'c', rating: 3, reviewed_at: '2026-03-02T12:00:00.000Z', duration_ms: 0 } as const
  const answer: PendingWrite = { type: 'review', op: review, tab: 't', seq: 1, at: 0 }
  const done: PendingWrite = {
    type: 'task',
    op: { op: 'complete', id: 'x' },
    tab: 't',
    seq: 1,
    at: Date.parse('2026-03-02T12:00:00Z'),
  }
  const sent = (write: PendingWrite, now: string, serverNow: string) =>
    asSent(write, Date.parse(now), Date.parse(serverNow)).op

  test('is of now by the clock of the server', () => {
    const [now, serverNow] = ['2026-03-04T12:00:00Z', '2026-03-02T11:00:00.000Z']
    expect(sent(answer, now, serverNow)).toEqual({ ...review, reviewed_at: serverNow })
    expect(sent(done, now, serverNow)).toMatchObject({ data: { completed_at: serverNow } })
  })

  test.each(['2026-03-02T12:00:00.000Z', '2026-03-02T12:00:00.001Z', '2026-03-05T12:00:00Z'])(
    'but an answer that the server was past by %s is as it was',
    (serverNow) => {
      expect(asSent(answer, Date.parse('2026-03-04T12:00:00Z'), Date.parse(serverNow))).toBe(answer)
    },
  )
})
