import { afterAll, describe, expect, test } from 'bun:test'
import { collectItems } from '../../src/tools/find'
import { makeTools, OPEN, ok } from './support'

const tools = await makeTools()
afterAll(tools.close)

const idOf = (outcome: { result: Readonly<Record<string, unknown>> }) => String(outcome.result.id)
const items = (outcome: { result: Readonly<Record<string, unknown>> }) =>
  outcome.result.items as { id: string; title: string }[]

describe('the catalogue', () => {
  test('is twelve tools of at most 7 KiB of JSON, with names that every client takes', () => {
    const catalogue = tools.toolbox.chat
    expect(catalogue).toHaveLength(12)
    for (const { name } of catalogue) expect(name).toMatch(/^[a-z_]{3,32}$/)
    const told = catalogue.map(({ name, description, input }) => ({ name, description, input }))
    expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThanOrEqual(7 * 1024)
    const all = catalogue.map(({ name, title, description, input, risk }) => ({
      name,
      title,
      description,
      input,
      risk,
    }))
    expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThanOrEqual(7 * 1024)
  })

  test('takes patterns for whole texts alone: without ends, any text that holds a part would do', () => {
    const patterns = JSON.stringify(tools.executor.catalogue.map(({ input }) => input)).match(/(?<="pattern":")[^"]+/g)
    expect(patterns?.length).toBeGreaterThan(1)
    expect(patterns?.filter((pattern) => !/^\^.*\$$/.test(pattern))).toEqual([])
  })
})

test('text that routes refuse to store is refused of a model, too', async () => {
  const me = tools.caller()
  const id = String(ok(await me.call('create_note', { title: 'Plan' })).result.id)
  const before = await me.changes()
  for (const text of ['a\0b', 'half \ud83d', '\ude00']) {
    const asked: [string, object][] = [
      ['create_note', { title: 'T', body: text }],
      ['create_note', { title: 'T', tags: [text] }],
      ['update_note', { id, append: text }],
      ['create_task', { text: `Call ${text}` }],
      ['create_task', { title: 'T', notes: text }],
      ['create_cards', { deck: text, cards: [{ front: 'a', back: 'b' }] }],
      ['create_cards', { deck: 'D', cards: [{ front: 'a', back: text }] }],
      ['search', { query: text }],
    ]
    for (const [tool, args] of asked) {
      const { fault } = await me.call(tool, args)
      expect([tool, args, fault?.detail]).toEqual([tool, args, 'Text must not hold NUL or half a surrogate pair.'])
    }
  }
  expect(await me.changes()).toEqual(before)
})

describe('notes', () => {
  test('are made, found, read and cited', async () => {
    const me = tools.caller()
    const body = 'Intro.\n\nThe boiler warranty ends on 3 May 2027.\n'
    const made = ok(await me.call('create_note', { title: 'House', body, tags: ['home'] }))
    expect(made.action).toMatchObject({ tool: 'create_note', risk: 'create', status: 'done', n: 0 })
    expect(me.recorded).toEqual([made.action as never])
    const found = ok(await me.call('search', { query: 'warranty boiler' }))
    expect(items(found)).toMatchObject([{ type: 'note', id: idOf(made), title: 'House', revision: 1 }] as never)
    const [source] = found.sources
    expect(source?.text.slice(source.start, source.end)).toContain('The boiler warranty ends')
    const read = ok(await me.call('get_note', { title: 'house' }))
    expect(read.result).toEqual({ id: idOf(made), title: 'House', body, revision: 1, tags: ['home'] })
    expect(read.action).toBeNull()
    const summary = ok(await me.call('summarize', { query: 'boiler', sentences: 1 }))
    expect(summary.result).toMatchObject({ title: 'House', sentences: ['The boiler warranty ends on 3 May 2027.'] })
    await me.undo(made.action)
    expect(items(ok(await me.call('search', { query: 'boiler' })))).toEqual([])
    expect((await me.call('get_note', { id: idOf(made) })).fault?.code).toBe('not_found')
  })

  test('are found by all words, else by any, else by their beginnings', async () => {
    const me = tools.caller()
    for (const body of ['red apple', 'green apple', 'grapefruit']) await me.call('create_note', { title: body, body })
    const titles = async (query: string) => items(ok(await me.call('search', { query }))).map(({ title }) => title)
    expect(await titles('red apple')).toEqual(['red apple'])
    expect((await titles('apple pear')).toSorted()).toEqual(['green apple', 'red apple'])
    expect(await titles('grapef')).toEqual(['grapefruit'])
    expect(await titles('"(-tag:x OR')).toEqual([])
  })

  test('a long note is read in parts that make up the whole', async () => {
    const me = tools.caller()
    const body = 'Zürich 𝔘 "quoted"\n'.repeat(900)
    const id = idOf(ok(await me.call('create_note', { title: 'Long', body: body.slice(0, 16_000) })))
    let text = ''
    let from: unknown = 0
    for (let parts = 0; from !== undefined && parts < 20; parts++) {
      const { result } = ok(await me.call('get_note', { id, from }))
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(4096)
      expect(result.truncated).toBe(result.next_from === undefined ? undefined : true)
      text += result.body
      from = result.next_from
    }
    expect(text).toBe(body.slice(0, 16_000))
  })

  test('of one title are told apart by id', async () => {
    const me = tools.caller()
    await me.call('create_note', { title: 'Plan' })
    await me.call('create_note', { title: 'plan' })
    expect((await me.call('get_note', { title: 'Plan' })).fault).toMatchObject({ code: 'conflict' })
  })

  test('are added to, and a section is replaced, and both are undone', async () => {
    const me = tools.caller()
    const body = '# Plan\n\nOne.\n\n## Notes\n\nOld.\n\n## More\n\nStays.\n'
    const id = idOf(ok(await me.call('create_note', { title: 'Trip', body })))
    const added = ok(await me.call('update_note', { id, append: '- call Ana', heading: 'Notes' }))
    expect((await me.send('GET', `/api/notes/${id}`)).body).toContain('Old.\n\n- call Ana\n\n## More')
    await me.undo(added.action)
    expect((await me.send('GET', `/api/notes/${id}`)).body).toBe(body)
    const replaced = ok(await me.call('update_note', { id, replace: 'New.', heading: 'Notes' }))
    expect((await me.send('GET', `/api/notes/${id}`)).body).toContain('## Notes\n\nNew.\n')
    await me.undo(replaced.action)
    expect((await me.send('GET', `/api/notes/${id}`)).body).toBe(body)
    for (const texts of [{}, { append: 'x', replace: 'y' }]) {
      const neither = await me.call('update_note', { id, ...texts })
      expect(neither).toMatchObject({ fault: { code: 'invalid_request' }, action: { status: 'failed', undo: null } })
    }
    const missing = await me.call('update_note', { id, append: 'x', heading: 'Nowhere' })
    expect(missing).toMatchObject({ fault: { code: 'edit_target_missing' }, action: { status: 'failed', undo: null } })
  })
})

describe('tasks', () => {
  test('are made from words or from members, listed with what is overdue, and undone', async () => {
    const me = tools.caller()
    const words = ok(await me.call('create_task', { text: 'Pay rent tomorrow 9am !1 @bills' }))
    expect(words.result).toMatchObject({ title: 'Pay rent', due: '2026-03-03T09:00', priority: 1, labels: ['bills'] })
    ok(await me.call('create_task', { title: 'Late', due: '2026-03-01' }))
    const timed = ok(await me.call('create_task', { title: 'Passed', due: '2026-03-02T12:30', priority: 2 }))
    const all = ok(await me.call('list_tasks', {}))
    expect(all.result).toMatchObject({
      total: 3,
      items: [
        { title: 'Late', due: '2026-03-01', overdue: true, state: 'open' },
        // Noon in UTC is one o'clock in Berlin.
        { title: 'Passed', due: '2026-03-02T12:30', overdue: true },
        { title: 'Pay rent', overdue: false },
      ],
    })
    expect(ok(await me.call('list_tasks', { when: 'week', filter: '@bills', limit: 1 })).result.total).toBe(1)
    expect(ok(await me.call('list_tasks', { when: 'overdue' })).result.total).toBe(2)
    expect(ok(await me.call('list_tasks', { when: 'today' })).result.total).toBe(2)
    expect((await me.call('list_tasks', { filter: '@nobody' })).fault?.code).toBe('invalid_filter')
    await me.undo(timed.action)
    expect(ok(await me.call('list_tasks', {})).result.total).toBe(2)
    expect((await me.call('create_task', {})).fault?.code).toBe('invalid_request')
    expect((await me.call('create_task', { text: 'a', title: 'b' })).fault?.code).toBe('invalid_request')
  })

  test('are changed, completed and reopened, and all of it is undone', async () => {
    const me = tools.caller()
    const id = idOf(ok(await me.call('create_task', { title: 'Rent', due: '2026-03-05T09:00', priority: 3 })))
    const seen = async () => {
      const { title, due, priority, labels, status } = await me.send('GET', `/api/tasks/${id}`)
      return { title, due, priority, labels, status }
    }
    const before = await seen()
    const steps: [args: object, after: object][] = [
      [
        { title: 'Pay the rent', due: null, priority: 0, labels: ['home'] },
        { title: 'Pay the rent', due: null },
      ],
      [{ due: '2026-04-01' }, { due: { date: '2026-04-01', time: null, time_zone: null } }],
      [{ done: true }, { status: 'done' }],
    ]
    for (const [args, after] of steps) {
      const changed = ok(await me.call('update_task', { id, ...args }))
      expect(await seen()).toMatchObject(after)
      await me.undo(changed.action)
      expect(await seen()).toEqual(before)
    }
    ok(await me.call('update_task', { id, done: true }))
    const again = ok(await me.call('update_task', { id, done: true }))
    expect(again.action).toMatchObject({ status: 'done', undo: null })
    const reopened = ok(await me.call('update_task', { id, done: false }))
    expect((await seen()).status).toBe('open')
    await me.undo(reopened.action)
    expect((await seen()).status).toBe('done')
    expect((await me.call('update_task', { id, done: true, priority: 1 })).fault?.code).toBe('invalid_request')
    expect((await me.call('update_task', { id })).fault?.code).toBe('invalid_request')
  })

  test('one that repeats goes on to its next date, and undo brings it back', async () => {
    const me = tools.caller()
    const made = ok(await me.call('create_task', { text: 'Water plants every day' }))
    const changed = ok(await me.call('update_task', { id: idOf(made), done: true }))
    expect(changed.result).toMatchObject({ done: false, due: '2026-03-03' })
    await me.undo(changed.action)
    expect((await me.send('GET', `/api/tasks/${idOf(made)}`)).due.date).toBe('2026-03-02')
  })
})

describe('flashcards', () => {
  test('are drafted from a note, stored, listed as due, found, and undone', async () => {
    const me = tools.caller()
    const body = 'Q: Capital of Spain?\nA: Madrid\n\nTagus :: a river\n'
    const id = idOf(ok(await me.call('create_note', { title: 'Geo', body })))
    const drafts = ok(await me.call('suggest_cards', { id }))
    expect(drafts.result.drafts).toEqual([
      { type: 'basic', front: 'Capital of Spain?', back: 'Madrid', text: null, pattern: 'question' },
      { type: 'basic', front: 'Tagus', back: 'a river', text: null, pattern: 'term' },
    ])
    expect(drafts.sources.map(({ text, start, end }) => text.slice(start, end))).toEqual([
      'Q: Capital of Spain?',
      'Tagus :: a river',
    ])
    const cards = (drafts.result.drafts as { front: string; back: string }[]).map(({ front, back }) => ({
      front,
      back,
    }))
    const made = ok(await me.call('create_cards', { deck: 'Geography', cards }))
    expect(made.result).toMatchObject({ deck: { name: 'Geography' }, skipped: 0 })
    const due = ok(await me.call('list_due_cards', { deck: 'geography' }))
    expect(due.result).toMatchObject({
      counts: { new: 2, learning: 0, review: 0 },
      items: [{ front: 'Capital of Spain?', deck: 'Geography', due_at: null }, { front: 'Tagus' }],
    })
    expect(due.sources.map(({ type, text }) => [type, text])).toEqual([
      ['fact', 'Capital of Spain?'],
      ['fact', 'Tagus'],
    ])
    const more = [...cards, { text: '{{c1::Lisbon}} lies on the Tagus.' }, { front: 'a', back: 'b' }]
    const added = ok(await me.call('create_cards', { deck: 'Geography', cards: more }))
    expect(added.result).toMatchObject({ skipped: 2, items: [{ title: '{{c1::Lisbon}} lies on the Tagus.' }, {}] })
    expect(items(ok(await me.call('search', { query: 'tagus', types: ['fact'] })))).toHaveLength(2)
    await me.undo(added.action)
    expect(ok(await me.call('list_due_cards', {})).result.counts).toEqual({ new: 2, learning: 0, review: 0 })
    await me.undo(made.action)
    expect(ok(await me.call('list_due_cards', {})).result.counts).toEqual({ new: 0, learning: 0, review: 0 })
    expect((await me.call('list_due_cards', { deck: 'Geography' })).fault?.code).toBe('not_found')
  })

  test('drafts are cited from their own lines, whatever ends a line', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const me = tools.caller()
      const body = ['# 😀', '', 'Q: One?', 'A: 1', '', 'Tagus :: a river', ''].join(end)
      const id = idOf(ok(await me.call('create_note', { title: 'Geo', body })))
      const { sources } = ok(await me.call('suggest_cards', { id }))
      expect(sources.map(({ text, start, end }) => text.slice(start, end))).toEqual(['Q: One?', 'Tagus :: a river'])
    }
  })

  test('all of a set are stored, or none', async () => {
    const me = tools.caller()
    const cards = [{ front: 'a', back: 'b' }, { front: 'only a front' }]
    const refused = await me.call('create_cards', { deck: 'New', cards })
    expect(refused).toMatchObject({ fault: { code: 'invalid_request' }, action: { status: 'failed' } })
    expect(await me.changes()).toEqual([])
    expect(me.recorded).toEqual([])
  })
})

describe('the trash', () => {
  test('is listed and restored within the scope alone', async () => {
    const me = tools.caller()
    const note = idOf(ok(await me.call('create_note', { title: 'Plan', tags: ['home'] })))
    const task = idOf(ok(await me.call('create_task', { title: 'Pay', labels: ['home'] })))
    const kept = idOf(ok(await me.call('create_note', { title: 'Kept' })))
    await me.send('DELETE', `/api/notes/${note}`)
    await me.send('DELETE', `/api/tasks/${task}`)
    const restore = (type: string, id: string, scope: object = {}) =>
      me.call('trash_item', { type, id, restore: true }, { scope: { ...OPEN, ...scope } })
    for (const scope of [{ types: ['fact'] }, { tags: ['work'] }, { ids: [kept] }]) {
      for (const [type, id] of [
        ['note', note],
        ['task', task],
      ] as const)
        expect([scope, (await restore(type, id, scope)).fault?.code]).toEqual([scope, 'not_found'])
      const listed = await me.call('search', { query: '', trashed: true }, { scope: { ...OPEN, ...scope } })
      expect(listed.result).toEqual({ items: [], total: 0 })
    }
    expect((await restore('note', kept)).fault?.code).toBe('not_found')
    expect((await restore('fact', note)).fault?.code).toBe('not_found')
    expect(items(ok(await me.call('search', { query: 'pl', trashed: true }))).map(({ id }) => id)).toEqual([note])
    for (const [type, id] of [
      ['note', note],
      ['task', task],
    ] as const) {
      const { action } = ok(await restore(type, id, { tags: ['home'] }))
      await me.undo(action)
      expect((await restore(type, id)).action?.status).toBe('done')
    }
  })
})

test('edits of a block and of a property change them alone, and are undone', async () => {
  const me = tools.caller()
  const id = idOf(ok(await me.call('create_note', { title: 'Plan', body: 'A\nB\nC\n\nTwo ^b\n' })))
  const read = async () => (await me.send('GET', `/api/notes/${id}`)) as { body: string; properties: object }
  const edits = [
    { op: 'replace', block: 'b', content: '2' },
    { op: 'replace', property: 'status', content: 'open', create_missing: true },
  ]
  const { action } = ok(await me.call('update_note', { id, edits }))
  expect(await read()).toMatchObject({ body: 'A\nB\nC\n\n2 ^b\n', properties: { status: 'open' } })
  await me.undo(action)
  expect(await read()).toMatchObject({ body: 'A\nB\nC\n\nTwo ^b\n', properties: {} })
  ok(await me.call('update_note', { id, edits: edits.slice(1) }))
  ok(await me.call('update_note', { id, edits: [{ op: 'delete', property: 'status' }] }))
  expect((await read()).properties).toEqual({})
  const missing = await me.call('update_note', { id, edits: [{ op: 'delete', block: '^a' }] })
  expect(missing.fault?.code).toBe('edit_target_missing')
})

test('a change of text and of members is refused, and so is a choice that is none', async () => {
  const me = tools.caller()
  const id = idOf(ok(await me.call('create_note', { title: 'Plan', body: 'a' })))
  for (const args of [
    { id, title: 'B', append: 'b' },
    { id, find: 'a', append: 'b' },
    { id, find: 'a', heading: 'h', replace: 'b' },
    { id, edits: [{ op: 'delete', block: '^b', property: 'status' }] },
    { id },
  ])
    expect([args, (await me.call('update_note', args)).fault?.code]).toEqual([args, 'invalid_request'])
  expect((await me.call('search', { query: 'a', types: ['deck'] })).fault?.code).toBe('invalid_request')
  expect((await me.call('list_tasks', { when: 'soon' })).fault?.code).toBe('invalid_request')
})

describe('a call that is nearly right', () => {
  test.each([
    ['search', { query: 'a', types: ['nothing'] }, 'Expected one of note, task, fact'],
    ['list_tasks', { when: 'soon' }, 'Expected one of '],
    ['trash_item', { id: 'a', type: 'file' }, 'Expected one of '],
    ['create_task', { title: 'a', due: 'soon' }, 'due must be YYYY-MM-DD'],
  ])('of %s is told the words that there are', async (name, args, sentence) => {
    expect((await tools.caller().call(name, args)).fault?.detail).toContain(sentence)
  })
})

describe('a note by its title', () => {
  test.each(['!?', 'Plan', '\u00c9t\u00e9: "2026"'])('%p is found, whatever other titles hold it', async (title) => {
    const me = tools.caller()
    const made = ok(await me.call('create_note', { title }))
    for (const more of [`${title} B`, `A ${title}`]) ok(await me.call('create_note', { title: more }))
    expect(ok(await me.call('get_note', { title: title.toUpperCase() })).result.id).toBe(made.result.id)
  })

  test('is found in the archive, not in the trash', async () => {
    const me = tools.caller()
    const id = String(ok(await me.call('create_note', { title: 'Plan' })).result.id)
    await me.send('PATCH', `/api/notes/${id}`, { archived_at: '2026-03-01T00:00:00Z' })
    expect(ok(await me.call('get_note', { title: 'Plan' })).result.id).toBe(id)
    await me.send('DELETE', `/api/notes/${id}`)
    expect((await me.call('get_note', { title: 'Plan' })).fault?.code).toBe('not_found')
  })
})

describe('items of a long list', () => {
  const page = (asked: string[]) => async (paging: { limit: string; cursor?: string }) => {
    asked.push(paging.limit)
    const first = Number(paging.cursor ?? 0)
    const items = Array.from({ length: Number(paging.limit) }, (_, i) => first + i)
    return { items, next_cursor: String(first + items.length) }
  }

  test('are read without more than is wanted, if all fit', async () => {
    const asked: string[] = []
    expect(await collectItems({ page: page(asked), keep: () => true, limit: 8 })).toHaveLength(8)
    expect(asked).toEqual(['8'])
  })

  test('leave others a turn between two pages', async () => {
    const asked: string[] = []
    let [turns, isDone] = [0, false]
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    expect(await collectItems({ page: page(asked), keep: () => true })).toHaveLength(2000)
    isDone = true
    expect([asked.length, turns >= 9]).toEqual([10, true])
  })
})
