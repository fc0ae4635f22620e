import { afterAll, describe, expect, test } from 'bun:test'
import { createAgentTools, createCatalogue } from '../../src/tools/catalogue'
import { createExecutor } from '../../src/tools/executor'
import { type Caller, makeTools, OPEN, ok } from './support'

/** The tools that agents have besides those of chat. Undoing by ids is in agent-undo.test.ts. */

const tools = await makeTools()
afterAll(tools.close)

type Result = Readonly<Record<string, unknown>>
const idOf = ({ result }: { result: Result }) => String(result.id)
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
const itemsOf = ({ result }: { result: Result }, name = 'items') => result[name] as any[]

const faultOf = async (me: Caller, tool: string, args: object, changes = {}) =>
  (await me.call(tool, args, changes)).fault?.code

const BODY = '# Plan\n\nOne.\n\n## Notes\n\nOld.\n\nOlder.\n\n## More\n\nStays.\n'

async function makeNote(body = BODY) {
  const me = tools.caller()
  const id = idOf(ok(await me.call('create_note', { title: 'Trip', body })))
  const bodyNow = async () => (await me.send('GET', `/api/notes/${id}`)).body
  return { me, id, bodyNow }
}

describe('edits of update_note', () => {
  test('does several edits as one revision, which undo takes back', async () => {
    const { me, id, bodyNow } = await makeNote()
    const edits = [
      { op: 'append', heading: ['Plan', 'Notes'], content: '- call Ana', join: 'line' },
      { op: 'replace', text: 'Old.', content: 'New.' },
      { op: 'insert_before', heading: ['More'], content: '## Between' },
      { op: 'delete', text: 'Stays.', heading: ['More'] },
      { op: 'prepend', content: 'First.' },
      { op: 'append', heading: ['Later'], content: 'x', create_missing: true },
    ]
    const done = ok(await me.call('update_note', { id, edits }))
    expect(done.result).toEqual({ status: 'done', id, title: 'Trip', revision: 2 })
    expect(done.action?.summary).toBe('Edited the text of the note "Trip" in 6 places')
    const body = await bodyNow()
    for (const part of ['First.', 'New.\n\nOlder.\n- call Ana', '## Between', '# Later\n\nx'])
      expect(body).toContain(part)
    expect(body).not.toContain('Stays.')
    await me.undo(done.action)
    expect(await bodyNow()).toBe(BODY)
  })

  test('does all or nothing, and names what it may have meant', async () => {
    const { me, id, bodyNow } = await makeNote('# A\n\nx\n\n# A\n\ny\n')
    const good = { op: 'append', content: 'z' }
    const missing = await me.call('update_note', { id, edits: [good, { op: 'append', heading: ['B'], content: 'z' }] })
    expect(missing.fault?.code).toBe('edit_target_missing')
    expect(missing.fault?.detail).toContain('{"heading":["A"],"nth":1}')
    const twice = await me.call('update_note', { id, edits: [{ op: 'append', heading: ['A'], content: 'z' }] })
    expect(twice.fault?.code).toBe('edit_target_ambiguous')
    const second = { op: 'replace', heading: ['A'], nth: 2, scope: 'own', content: 'w' }
    expect((await me.call('update_note', { id, edits: [good, { ...good, op: 'delete' }] })).fault?.code).toBe(
      'invalid_request',
    )
    expect((await me.call('update_note', { id, edits: [] })).fault?.code).toBe('invalid_request')
    expect(await bodyNow()).toBe('# A\n\nx\n\n# A\n\ny\n')
    ok(await me.call('update_note', { id, edits: [second, { op: 'append', heading: ['A'], nth: 1, content: 'v' }] }))
    expect(await bodyNow()).toBe('# A\n\nx\n\nv\n\n# A\n\nw\n')
  })

  test('holds to the revision that it was asked for', async () => {
    const { me, id, bodyNow } = await makeNote()
    const edits = [{ op: 'append', content: 'z' }]
    for (const if_revision of [2, 7, 99])
      expect(await faultOf(me, 'update_note', { id, edits, if_revision })).toBe('precondition_failed')
    expect(await bodyNow()).toBe(BODY)
    for (const if_revision of [1, 2, 3]) ok(await me.call('update_note', { id, edits, if_revision }))
  })

  test('changes nothing where the text stays the same', async () => {
    const { me, id } = await makeNote()
    const done = ok(await me.call('update_note', { id, edits: [{ op: 'replace', text: 'Old.', content: 'Old.' }] }))
    expect(done).toMatchObject({ result: { revision: 1 }, action: { undo: null } })
  })

  test('must be confirmed where almost nothing would be left', async () => {
    const asked: [body: string, edits: object[]][] = [
      [BODY, [{ op: 'replace', content: 'All new.' }]],
      [BODY, [{ op: 'replace', heading: ['Plan'], content: 'New.' }]],
      [BODY, [{ op: 'delete', heading: ['Plan'] }]],
      [
        BODY,
        [
          { op: 'append', content: 'a\n\nb\n\nc\n\nd' },
          { op: 'delete', heading: ['Notes'] },
          { op: 'delete', heading: ['More'] },
          { op: 'replace', text: '# Plan\n\nOne.', content: '' },
        ],
      ],
      ['Only this.', [{ op: 'delete', text: 'Only this.' }]],
      [
        'Only this.',
        [
          { op: 'delete', text: 'Only' },
          { op: 'replace', text: ' this.', content: 'x' },
        ],
      ],
    ]
    for (const [body, edits] of asked) {
      const { me, id, bodyNow } = await makeNote(body)
      const outcome = ok(await me.call('update_note', { id, edits }))
      expect([edits, outcome.action?.status]).toEqual([edits, 'pending'])
      expect(await bodyNow()).toBe(body)
    }
    const done: [body: string, edits: object[]][] = [
      [BODY, [{ op: 'replace', heading: ['Notes'], content: 'New.' }]],
      [BODY, [{ op: 'delete', heading: ['More'] }]],
      ['Only this.', [{ op: 'replace', text: 'this', content: 'that' }]],
      ['', [{ op: 'replace', content: 'All new.' }]],
      ['Short.', [{ op: 'append', content: 'More.' }]],
    ]
    for (const [body, edits] of done) {
      const { me, id } = await makeNote(body)
      const outcome = ok(await me.call('update_note', { id, edits }))
      expect([edits, outcome.action?.status]).toEqual([edits, 'done'])
    }
  })

  test('is confirmed, unless the note has changed since', async () => {
    const { me, id, bodyNow } = await makeNote()
    const edits = [{ op: 'delete', heading: ['Plan'] }]
    const ask = async () => String(ok(await me.call('update_note', { id, edits })).action?.confirm?.token)
    const late = await ask()
    await me.send('PATCH', `/api/notes/${id}`, { body: `${BODY}x` })
    expect((await me.confirm({ tokens: [late] }))[0]?.fault?.code).toBe('precondition_failed')
    const gone = await ask()
    await me.send('PATCH', `/api/notes/${id}`, { body: 'No heading.' })
    expect((await me.confirm({ tokens: [gone] }))[0]?.fault?.code).toBe('precondition_failed')
    await me.send('PATCH', `/api/notes/${id}`, { body: BODY })
    const [done] = await me.confirm({ tokens: [await ask()] })
    expect([done?.action?.status, await bodyNow()]).toEqual(['done', ''])
    await me.undo(done?.action)
    expect(await bodyNow()).toBe(BODY)
  })
})

describe('done of update_task', () => {
  test('completes and reopens, and both are undone', async () => {
    const me = tools.caller()
    const id = idOf(ok(await me.call('create_task', { title: 'Call', due: '2026-03-03' })))
    const status = async () => (await me.send('GET', `/api/tasks/${id}`)).status
    const done = ok(await me.call('update_task', { id, done: true }))
    expect(done.result).toMatchObject({ status: 'done', id, title: 'Call', revision: 2, done: true, due: '2026-03-03' })
    await me.undo(done.action)
    expect(await status()).toBe('open')
    ok(await me.call('update_task', { id, done: true }))
    expect(ok(await me.call('update_task', { id, done: true })).action?.undo).toBeNull()
    const reopened = ok(await me.call('update_task', { id, done: false }))
    expect(reopened.result).toMatchObject({ done: false })
    await me.undo(reopened.action)
    expect(await status()).toBe('done')
  })

  test('says when one that repeats is due next', async () => {
    const me = tools.caller()
    const id = idOf(ok(await me.call('create_task', { text: 'Water plants every day at 9am' })))
    const done = ok(await me.call('update_task', { id, done: true }))
    const next = String(done.result.next_due)
    expect(done.result.done).toBe(false)
    expect(next).toBe((({ date, time }) => `${date}T${time}`)((await me.send('GET', `/api/tasks/${id}`)).due))
    expect(done.action?.summary).toBe(`Completed the task "Water plants"; it is due next on ${next}`)
  })
})

describe('lines of create_task', () => {
  test('makes a task of each line, which one undo removes', async () => {
    const me = tools.caller()
    const lines = 'Pay rent tomorrow 9am !1 @bills\r\n\n  Water plants every day \nCall #Nowhere'
    const added = ok(await me.call('create_task', { text: lines }))
    expect(itemsOf(added)).toMatchObject([
      { title: 'Pay rent', due: '2026-03-03T09:00', time_zone: 'Europe/Berlin', priority: 1, repeats: false },
      { title: 'Water plants', due: '2026-03-02', repeats: true },
      { title: 'Call #Nowhere', due: null },
    ])
    expect(added.result.warnings).toEqual([
      'Line 3, "#Nowhere" was left in the title: there is no project of this name',
    ])
    expect(added.action?.summary).toBe('Created 3 tasks, the first is "Pay rent"')
    await me.undo(added.action)
    expect(ok(await me.call('list_tasks', {})).result.total).toBe(0)
    expect(ok(await me.call('create_task', { text: 'One' })).result).not.toHaveProperty('warnings')
  })

  test('makes all or none, and names the line', async () => {
    const me = tools.caller()
    for (const [lines, detail] of [
      ['Call\n!1', 'Line 2: '],
      ['Call\nb\n!1 @x', 'Line 3: '],
      [`Call\n${'x'.repeat(1001)}`, 'Line 2: '],
      [' \n', 'Give 1 to 20 lines'],
      ['x\n'.repeat(21), 'Give 1 to 20 lines'],
    ] as const) {
      const { fault } = await me.call('create_task', { text: lines })
      expect([lines, fault?.detail]).toEqual([lines, expect.stringContaining(detail)])
    }
    expect(await me.changes()).toEqual([])
    expect(itemsOf(ok(await me.call('create_task', { text: 'x\n'.repeat(20) })))).toHaveLength(20)
  })

  test('refuses a language that it does not know', async () => {
    const me = tools.caller()
    for (const language of ['enx', 'x de', 'toString'])
      expect([language, await faultOf(me, 'create_task', { text: 'Milk tomorrow', language })]).toEqual([
        language,
        'invalid_request',
      ])
    expect(await me.changes()).toEqual([])
  })

  test('reads dates in the language that is given', async () => {
    const me = tools.caller()
    const added = ok(await me.call('create_task', { text: 'Miete zahlen morgen', language: 'de' }))
    expect(added.result).toMatchObject({ title: 'Miete zahlen', due: '2026-03-03' })
  })
})

test('every tool says one time for one task: in the zone of the task, else of the workspace', async () => {
  const me = tools.caller()
  const make = async (title: string, time_zone: string | null) =>
    (await me.send('POST', '/api/tasks', { title, due: { date: '2026-03-04', time: '20:00', time_zone } })).id
  const [far, here] = [await make('Far', 'America/New_York'), await make('Here', null)]
  const saysOf = async (tool: string, args: object, id: string) => {
    const { result } = ok(await me.call(tool, args))
    const said = itemsOf({ result })?.find((item) => item.id === id) ?? result
    return [tool, said.when ?? said.due, said.time_zone]
  }
  for (const [id, zone] of [
    [far, 'America/New_York'],
    [here, 'Europe/Berlin'],
  ] as const)
    for (const [tool, args] of [
      ['list_tasks', {}],
      ['search', { query: id === far ? 'far' : 'here' }],
      ['agenda', {}],
      ['update_task', { id, priority: 2 }],
      ['update_task', { id, due: '2026-03-04T20:00' }],
      ['update_task', { id, done: false }],
    ] as const)
      expect(await saysOf(tool, args, id)).toEqual([tool, '2026-03-04T20:00', zone])
  // A time with an offset is converted to the zone of the task.
  expect(await saysOf('update_task', { id: far, due: '2026-03-05T01:30:00Z' }, far)).toEqual([
    'update_task',
    '2026-03-04T20:30',
    'America/New_York',
  ])
  expect(await faultOf(me, 'update_task', { id: far, due: '2026-03-04T24:00' })).toBe('invalid_request')
})

test('what agents send is mended where it is clear, and refused where it is not', async () => {
  const me = tools.caller()
  const all = { text: 'Milk tomorrow', title: '', due: null, labels: [], notes: '', priority: null, language: '' }
  expect(ok(await me.call('create_task', all)).result).toMatchObject({ title: 'Milk', due: '2026-03-03' })
  const named = { title: 'Rent', priority: '1', labels: 'home', due: '2026-03-04' }
  const rent = ok(await me.call('create_task', named)).result
  expect(rent).toMatchObject({ priority: 1, labels: ['home'], due: '2026-03-04' })
  const note = idOf(ok(await me.call('create_note', { title: 'Trip', body: 'One.', tags: '["a","b"]' })))
  expect(ok(await me.call('get_note', { id: note, title: '', from: '0' })).result.tags).toEqual(['a', 'b'])
  expect(
    ok(await me.call('search', { query: 'trip', types: 'note', limit: '3', trashed: 'false' })).result.items,
  ).toHaveLength(1)
  const edits = JSON.stringify({ op: 'replace', text: 'One.', content: '', nth: '1' })
  expect(ok(await me.call('update_note', { id: note, edits, append: null })).action?.status).toBe('pending')
  // What is empty where that means something stays.
  expect(ok(await me.call('update_task', { id: rent.id, labels: [], due: null })).result).toMatchObject({
    labels: [],
    due: null,
  })
  for (const [tool, args] of [
    ['search', { query: 'trip', limit: 'many' }],
    ['search', { query: null }],
    ['search', { query: 'trip', types: 'everything' }],
    ['search', { query: 'trip', trashed: 'perhaps' }],
    ['create_note', { title: 'x', tags: `["a"${'x'.repeat(100)}` }],
    ['create_cards', { deck: 'Geo', cards: '[{' }],
    ['search', '[]'],
  ] as const)
    expect([args, await faultOf(me, tool, args as object)]).toEqual([args, 'invalid_request'])
})

describe('agenda', () => {
  test('shows what is overdue, due and starts, from today on', async () => {
    const me = tools.caller()
    ok(await me.call('create_task', { title: 'Late', due: '2026-03-01' }))
    const lines = 'Now today\nSoon 4 March 2026 9am\nFar 20 March 2026'
    ok(await me.call('create_task', { text: lines }))
    ok(await me.call('create_task', { text: 'Repeats every 3 days' }))
    const week = ok(await me.call('agenda', {}))
    expect(week.result).toMatchObject({ today: '2026-03-02', more: false })
    expect(itemsOf(week, 'overdue')).toMatchObject([{ title: 'Late', due: '2026-03-01' }])
    expect(itemsOf(week).map(({ title, when, projected }) => [title, when, projected])).toEqual([
      ['Now', '2026-03-02', false],
      ['Repeats', '2026-03-02', false],
      ['Soon', '2026-03-04T09:00', false],
      ['Repeats', '2026-03-05', true],
      ['Repeats', '2026-03-08', true],
    ])
    const later = ok(await me.call('agenda', { from: '2026-03-20', days: 1 }))
    expect(itemsOf(later).map(({ title }) => title)).toEqual(['Far', 'Repeats'])
  })

  test('refuses days that are none', async () => {
    const me = tools.caller()
    for (const args of [{ from: '2026-02-30' }, { from: 'today' }, { from: '9999-12-31' }, { days: 0 }, { days: 32 }])
      expect([args, await faultOf(me, 'agenda', args)]).toEqual([args, 'invalid_request'])
    for (const args of [{ from: '2026-02-28' }, { days: 1 }, { days: 31 }]) ok(await me.call('agenda', args))
  })

  test('says that there is more than fits', async () => {
    const me = tools.caller()
    for (let i = 0; i < 3; i++) ok(await me.call('create_task', { text: 'x today\n'.repeat(20) }))
    expect(ok(await me.call('agenda', {})).result.more).toBe(true)
  })

  test('shows what the scope shows', async () => {
    const me = tools.caller()
    ok(await me.call('create_task', { text: 'Mine today @work\nHidden today @home\nRun every day @work' }))
    ok(await me.call('create_task', { title: 'Late', due: '2026-03-01', labels: ['home'] }))
    const scope = { ...OPEN, tags: ['work'] }
    const shown = ok(await me.call('agenda', { days: 2 }, { scope }))
    expect(itemsOf(shown).map(({ title }) => title)).toEqual(['Mine', 'Run', 'Run'])
    expect(itemsOf(shown, 'overdue')).toEqual([])
    expect(itemsOf(ok(await me.call('agenda', {}, { scope: { ...OPEN, types: ['note'] } })))).toEqual([])
  })
})

describe('answer_card', () => {
  async function makeCards(me: Caller) {
    const cards = [1, 2, 3].map((n) => ({ front: `Front ${n}`, back: `Back ${n}` }))
    ok(await me.call('create_cards', { deck: 'Geo', cards }))
    return itemsOf(ok(await me.call('list_due_cards', { deck: 'Geo' })))
  }
  const cardNow = (me: Caller, id: string) => me.send('GET', `/api/flashcards/cards/${id}`)

  test('stores a rating, and gives the next card, until none is left', async () => {
    const me = tools.caller()
    const [first, second] = await makeCards(me)
    expect(first).toMatchObject({ front: 'Front 1', back: 'Back 1', deck: 'Geo' })
    const answered = ok(await me.call('answer_card', { id: first.id, rating: 'easy', deck: 'Geo' }))
    expect(answered.result).toMatchObject({
      id: first.id,
      left: 2,
      next: { id: second.id, front: 'Front 2', back: 'Back 2', deck: 'Geo' },
    })
    expect(answered.result.due_at).toBe((await cardNow(me, first.id)).due_at)
    expect(answered.action).toMatchObject({
      target: { type: 'fact', title: 'Front 1' },
      summary: 'Answered the flashcard "Front 1": easy',
    })
    let { next } = answered.result as { next?: { id: string } }
    for (let i = 0; next && i < 9; i++)
      next = ok(await me.call('answer_card', { id: next.id, rating: 4 })).result.next as typeof next
    expect(next).toBeUndefined()
  })

  test('takes words and numbers, as the log has them', async () => {
    const me = tools.caller()
    const [first] = await makeCards(me)
    for (const rating of ['again', 'hard', 'Good', 'easy ', 1, 2, '3', 4])
      ok(await me.call('answer_card', { id: first.id, rating }))
    const { items } = await me.send('GET', `/api/flashcards/cards/${first.id}/reviews`)
    expect(items.map(({ rating }: { rating: number }) => rating)).toEqual([4, 3, 2, 1, 4, 3, 2, 1])
    for (const rating of [0, 5, '5', 'goo', null, 2.5])
      expect(await faultOf(me, 'answer_card', { id: first.id, rating })).toBe('invalid_request')
  })

  test('is undone', async () => {
    const me = tools.caller()
    const [first] = await makeCards(me)
    const before = await cardNow(me, first.id)
    const answered = ok(await me.call('answer_card', { id: first.id, rating: 'good' }))
    expect((await cardNow(me, first.id)).reps).toBe(1)
    await me.undo(answered.action)
    const { revision: _, updated_at: __, ...after } = await cardNow(me, first.id)
    expect(before).toMatchObject(after)
  })

  test('refuses cards that are hidden, gone or suspended, and decks that are not there', async () => {
    const me = tools.caller()
    const [first, second, third] = await makeCards(me)
    await me.send('PATCH', `/api/flashcards/cards/${second.id}`, { suspended: true })
    const { fact_id } = await cardNow(me, third.id)
    await me.send('DELETE', `/api/flashcards/facts/${fact_id}`)
    const answer = (id: string, more = {}, scope = {}) =>
      faultOf(me, 'answer_card', { id, rating: 'good', ...more }, { scope: { ...OPEN, ...scope } })
    expect(await answer(second.id)).toBe('card_suspended')
    expect(await answer(third.id)).toBe('not_found')
    expect(await answer(fact_id)).toBe('not_found')
    expect(await answer(first.id, { deck: 'Nowhere' })).toBe('not_found')
    for (const scope of [{ types: ['note'] }, { tags: ['x'] }, { ids: [second.id] }])
      expect(await answer(first.id, {}, scope)).toBe('not_found')
    expect((await cardNow(me, first.id)).reps).toBe(0)
    // What was answered is answered, even if its deck is gone right after.
    const asked = ok(await me.call('answer_card', { id: first.id, rating: 1, deck: 'Geo' }, { asksFirst: true }))
    expect(asked.action).toMatchObject({ status: 'pending', summary: 'Answer the flashcard "Front 1": again' })
    const record = async ({ db, workspace }: ReturnType<Caller['context']>['session']) =>
      void (await db.run("UPDATE study_decks SET name = 'Other', name_key = 'other' WHERE workspace = $1", [
        workspace.id,
      ]))
    const [late] = await me.confirm({ tokens: [String(asked.action?.confirm?.token)] }, { record })
    expect(late).toMatchObject({ fault: null, result: { status: 'done', id: first.id } })
    expect(late?.result).not.toHaveProperty('left')
    const narrow = { scope: { ...OPEN, ids: [first.id] } }
    expect(ok(await me.call('answer_card', { id: first.id, rating: 4 }, narrow)).result).toMatchObject({ left: 0 })
  })
})

describe('list_changes', () => {
  test('lists what changed since a cursor, with titles', async () => {
    const me = tools.caller()
    const note = idOf(ok(await me.call('create_note', { title: 'Plan' })))
    const first = ok(await me.call('list_changes', {}))
    expect(itemsOf(first)).toMatchObject([{ type: 'note', id: note, op: 'upsert', title: 'Plan', revision: 1 }])
    const since = first.result.cursor
    expect(itemsOf(ok(await me.call('list_changes', { since })))).toEqual([])
    const task = idOf(ok(await me.call('create_task', { title: 'Call' })))
    ok(await me.call('create_cards', { deck: 'Geo', cards: [{ front: 'a', back: 'b' }] }))
    await me.send('DELETE', `/api/notes/${note}`)
    const later = ok(await me.call('list_changes', { since }))
    expect(itemsOf(later).map(({ type, op, title }) => [type, op, title])).toEqual([
      ['task', 'upsert', 'Call'],
      ['deck', 'upsert', 'Geo'],
      ['fact', 'upsert', 'a'],
      ['card', 'upsert', null],
      ['note', 'delete', 'Plan'],
    ])
    expect(itemsOf(later)[0]).toMatchObject({ id: task })
    await me.send('DELETE', `/api/notes/${note}?permanent=true`).catch(() => null)
  })

  test('begins with the latest, and goes on page by page without a gap', async () => {
    const me = tools.caller()
    for (let i = 0; i < 3; i++)
      ok(
        await me.call('create_task', {
          text: Array.from({ length: 20 }, (_, j) => `${'long '.repeat(30)}${i} ${j}`).join('\n'),
        }),
      )
    expect(itemsOf(ok(await me.call('list_changes', { limit: 2 })))).toHaveLength(2)
    expect(ok(await me.call('list_changes', { limit: 2 })).result.more).toBe(false)
    const seen: string[] = []
    let more: unknown = true
    for (let since = '0', pages = 0; more && pages < 50; pages++) {
      const { result } = ok(await me.call('list_changes', { since, limit: 50 }))
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(4096)
      expect(result.truncated).toBeUndefined()
      seen.push(...itemsOf({ result }).map(({ id }) => id))
      since = String(result.cursor)
      more = result.more
    }
    expect(new Set(seen).size).toBe(60)
    expect(seen).toHaveLength(60)
  })

  test('says how to go on from a cursor that is not known any more', async () => {
    const { fault } = await tools.caller().call('list_changes', { since: '999999' })
    expect([fault?.code, fault?.detail]).toEqual(['cursor_expired', expect.stringContaining('leave out since')])
  })

  test('shows what the scope shows, and refuses what is no cursor', async () => {
    const me = tools.caller()
    const task = idOf(ok(await me.call('create_task', { title: 'Call', labels: ['work'] })))
    ok(await me.call('create_note', { title: 'Hidden' }))
    for (const scope of [{ types: ['task'] }, { tags: ['work'] }, { ids: [task] }])
      expect(
        itemsOf(ok(await me.call('list_changes', {}, { scope: { ...OPEN, ...scope } }))).map(({ id }) => id),
      ).toEqual([task])
    for (const since of ['x', '-1', '01']) expect(await faultOf(me, 'list_changes', { since })).toBe('invalid_request')
    expect(await faultOf(me, 'list_changes', { since: '999' })).toBe('cursor_expired')
  })
})

describe('what is restored', () => {
  test('restores each kind from the trash, and undo moves it back', async () => {
    const me = tools.caller()
    const note = idOf(ok(await me.call('create_note', { title: 'Plan' })))
    const task = idOf(ok(await me.call('create_task', { title: 'Call' })))
    const made = ok(await me.call('create_cards', { deck: 'Geo', cards: [{ front: 'a', back: 'b' }] }))
    const things = [
      ['note', note, '/api/notes'],
      ['task', task, '/api/tasks'],
      ['fact', itemsOf(made)[0].id, '/api/flashcards/facts'],
      ['deck', String(made.action?.target?.id), '/api/flashcards/decks'],
    ] as const
    for (const [type, id, path] of things) {
      expect(await faultOf(me, 'trash_item', { type, id, restore: true })).toBe('not_found')
      await me.send('DELETE', `${path}/${id}`)
      for (const scope of [{ types: [] }, { tags: ['x'] }, { ids: [] }])
        expect(await faultOf(me, 'trash_item', { type, id, restore: true }, { scope: { ...OPEN, ...scope } })).toBe(
          'not_found',
        )
      const restored = ok(await me.call('trash_item', { type, id, restore: true }))
      expect(restored.result).toMatchObject({ status: 'done', type, id })
      expect((await me.send('GET', `${path}/${id}`)).deleted_at).toBeNull()
      await me.undo(restored.action)
      expect((await me.send('GET', `${path}/${id}`)).deleted_at).not.toBeNull()
      ok(await me.call('trash_item', { type, id, restore: true }))
    }
  })

  test('brings back an earlier text of a note once it is confirmed, and that is undone', async () => {
    const { me, id, bodyNow } = await makeNote()
    await me.send('PATCH', `/api/notes/${id}`, { body: 'Two.' })
    const asked = ok(await me.call('trash_item', { type: 'note', id, revision: 1 }))
    expect(asked.action).toMatchObject({ status: 'pending', preview: { before: { text: 'Two.' } } })
    const [done] = await me.confirm({ tokens: [String(asked.action?.confirm?.token)] })
    expect(done?.result).toMatchObject({ status: 'done', revision: 3 })
    expect(await bodyNow()).toBe(BODY)
    await me.undo(done?.action)
    expect(await bodyNow()).toBe('Two.')
    expect(await faultOf(me, 'trash_item', { type: 'note', id, revision: 99 })).toBe('not_found')
    expect(await faultOf(me, 'trash_item', { type: 'task', id, revision: 1 })).toBe('invalid_request')
    await me.send('DELETE', `/api/notes/${id}`)
    expect(await faultOf(me, 'trash_item', { type: 'note', id, revision: 1 })).toBe('not_found')
  })
})

describe('a call in two parts', () => {
  test('does nothing until it is finished, and then in the session of the caller', async () => {
    const me = tools.caller()
    const context = me.context()
    const finish = await tools.executor.prepare(context, { name: 'create_task', args: { text: 'One\nTwo today' } })
    expect(await me.changes()).toEqual([])
    const end = new Error('rolled back')
    const lost = context.session.db.transaction(async (db) => {
      ok(await finish({ ...context.session, db }))
      throw end
    })
    await expect(lost).rejects.toBe(end)
    expect(await me.changes()).toEqual([])
    expect(itemsOf(ok(await finish(context.session)))).toHaveLength(2)
    expect(await me.changes()).toHaveLength(2)
  })

  test.each([
    ['update_note', { edits: [{ op: 'append', content: 'x' }] }],
    ['update_note', { append: 'x' }],
    ['update_note', { heading: 'Notes', replace: 'x' }],
  ])('%s edits the text in the first part alone: others wait for the second', async (name, args) => {
    const { me, id } = await makeNote()
    const { notes } = tools.toolbox.services
    let edits = 0
    const edit: typeof notes.edit = (...rest) => {
      edits += 1
      return notes.edit(...rest)
    }
    const services = { ...tools.toolbox.services, notes: { ...notes, edit } }
    const catalogue = [...createCatalogue({ services, summarize: async () => [] }), ...createAgentTools(services)]
    const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
    const executor = createExecutor({ services, catalogue, everyTool: catalogue, random })
    const finish = await executor.prepare(me.context(), { name, args: { id, ...args } })
    expect(edits).toBe(1)
    ok(await finish(me.context().session))
    expect(edits).toBe(1)
  })

  test('refuses in its second part whatever was wrong', async () => {
    const me = tools.caller()
    const finish = async (name: string, args: object, changes = {}) =>
      (await (await tools.executor.prepare(me.context(changes), { name, args }))(me.context().session)).fault?.code
    expect(await finish('create_task', { text: '!1' })).toBe('empty_title')
    expect(await finish('create_task', {})).toBe('invalid_request')
    expect(await finish('nothing', {})).toBe('not_found')
    expect(await finish('create_task', { text: 'x' }, { mode: 'read' })).toBe('not_found')
    expect(await finish('create_task', { text: 'x' }, { scope: { ...OPEN, types: ['note'] } })).toBe('not_found')
    expect(await me.changes()).toEqual([])
    expect(await finish('create_task', { text: 'x' })).toBeUndefined()
  })

  test.each([
    ['update_note', { edits: [{ op: 'append', content: 'Three.', join: 'line' }] }],
    ['update_note', { append: 'Three.' }],
    ['update_note', { find: 'One.', replace: 'One. Three.' }],
  ])('%s edits a note that was changed between the parts as it is now', async (name, args) => {
    const { me, id, bodyNow } = await makeNote('One.')
    const finish = await tools.executor.prepare(me.context(), { name, args: { id, ...args } })
    await me.send('PATCH', `/api/notes/${id}`, { body: 'One.\nTwo.' })
    ok(await finish(me.context().session))
    const body = await bodyNow()
    expect([body.includes('Two.'), body.includes('Three.')]).toEqual([true, true])
  })
})
