import { afterAll, describe, expect, test } from 'bun:test'
import { cost } from '../support/cost'
import { type Caller, makeFinders } from './finders'

const { world, stranger, ask, items, titles, note, task, fact, deck } = await makeFinders()
afterAll(world.close)

const SECOND = 1000

describe('a search over everything', () => {
  test('finds notes, tasks and facts, says where each is and what was found in code points', async () => {
    const me = stranger()
    await note(me, { title: 'Plan', body: '😀 Zürcher Bahnhof' })
    await task(me, { title: '😀 Call the ZURCHER', notes: '', labels: ['travel'] })
    await fact(me, { front: 'Capital?\nOf the canton', back: 'zürcher 😀' })
    const found = await items(me, 'zurcher')
    expect(found.map(({ type, title, snippets }) => [type, title, snippets])).toEqual([
      ['task', '😀 Call the ZURCHER', [{ field: 'title', text: '😀 Call the ZURCHER', ranges: [[11, 18]] }]],
      ['fact', 'Capital? Of the canton', [{ field: 'body', text: 'zürcher 😀', ranges: [[0, 7]] }]],
      ['note', 'Plan', [{ field: 'body', text: '😀 Zürcher Bahnhof', ranges: [[2, 9]] }]],
    ])
    for (const { url, id, revision, updated_at } of found) {
      const { status, body } = await world.call(me, 'GET', url)
      expect([status, body.id, body.revision, body.updated_at]).toEqual([200, id, revision, updated_at])
    }
  })

  test('looks into labels, hints, accepted answers and the text of a cloze', async () => {
    const me = stranger()
    await task(me, { title: 'one', labels: ['Urgent'] })
    await fact(me, { type: 'typed', front: 'two', back: 'x', accepted: ['grey', 'gray'], hint: 'a colour' })
    await fact(me, { type: 'cloze', text: '{{c1::three}} counts', tags: ['n::m'] })
    expect(await titles(me, 'urgent')).toEqual(['one'])
    expect(await titles(me, 'gray colour')).toEqual(['two'])
    expect(await titles(me, 'three')).toEqual(['{{c1::three}} counts'])
    for (const q of ['tag:n', 'tag:n::m', 'tag:#N', 'tag:*m*', 'tag:n:*'])
      expect([q, await titles(me, q)]).toEqual([q, ['{{c1::three}} counts']])
    for (const q of ['tag:m', 'tag:n:', 'body:three', 'title:gray', 'is:pinned', 'has:code', 'folder:n'])
      expect([q, await titles(me, q)]).toEqual([q, []])
    expect((await titles(me, '-is:pinned')).length).toBe(3)
  })

  test('ranks by where the words stand, then by what else is there, over all types', async () => {
    const me = stranger()
    const make = [
      () => note(me, { title: 'n body', body: 'boiler' }),
      () => task(me, { title: 't body', notes: 'the boiler' }),
      () => fact(me, { front: 'f tag', back: 'x', tags: ['boiler'] }),
      () => task(me, { title: 'Repair the old boiler soon' }),
      () => note(me, { title: 'A boiler' }),
      () => fact(me, { front: 'Boiler?', back: 'x' }),
      () => task(me, { title: 'boiler' }),
    ]
    for (const one of make) {
      world.clock.now += SECOND
      await one()
    }
    expect(await titles(me, 'boiler')).toEqual([
      'boiler',
      'Boiler?',
      'A boiler',
      'Repair the old boiler soon',
      'f tag',
      'n body',
      't body',
    ])
  })

  test('looks for some types alone, and keeps the order of the notes', async () => {
    const me = stranger()
    for (let n = 0; n < 6; n++) {
      await note(me, { title: n % 2 ? `word ${n}` : `Note ${n}`, body: 'word '.repeat(n) })
      await task(me, { title: `word ${n}` })
    }
    const own = await world.call(me, 'GET', '/api/notes/search?q=word')
    const all = await items(me, 'word')
    expect(all.filter(({ type }) => type === 'note').map(({ id }) => id)).toEqual(
      own.body.items.map(({ id }: { id: string }) => id),
    )
    expect(new Set((await items(me, 'word', { types: 'task' })).map(({ type }) => type))).toEqual(new Set(['task']))
    expect(await items(me, 'word', { types: 'task,note' })).toEqual(all)
    expect(await items(me, 'word', { types: 'fact' })).toEqual([])
  })

  test('follows every change: edits, labels that are renamed, the trash, and what is erased', async () => {
    const me = stranger()
    const { id } = await task(me, { title: 'before', labels: ['home'] })
    const card = await fact(me, { front: 'before', back: 'b' })
    await world.call(me, 'PATCH', `/api/tasks/${id}`, { title: 'after' })
    await world.call(me, 'PATCH', `/api/flashcards/facts/${card.id}`, { front: 'after', tags: ['home'] })
    expect(await titles(me, 'before')).toEqual([])
    expect((await titles(me, 'after')).length).toBe(2)
    const [label] = (await world.call(me, 'GET', '/api/tasks/labels')).body.items
    await world.call(me, 'PATCH', `/api/tasks/labels/${label.id}`, { name: 'garden' })
    expect((await items(me, 'garden')).map(({ type }) => type)).toEqual(['task'])
    for (const path of [`/api/tasks/${id}`, `/api/flashcards/facts/${card.id}`]) {
      await world.call(me, 'DELETE', path)
      const left = (await titles(me, 'after')).length
      await world.call(me, 'POST', `${path}/restore`)
      expect([left, (await titles(me, 'after')).length]).toEqual([1, 2])
    }
    for (const path of [`/api/tasks/${id}`, `/api/flashcards/facts/${card.id}`])
      await world.call(me, 'DELETE', `${path}?permanent=true`)
    expect(await titles(me, 'after OR home OR garden')).toEqual([])
  })

  test('finds nothing of a deck in the trash, and all of it when it is back', async () => {
    const me = stranger()
    await fact(me, { front: 'inside', back: 'b' })
    const path = `/api/flashcards/decks/${await deck(me)}`
    await world.call(me, 'DELETE', path)
    expect(await titles(me, 'inside')).toEqual([])
    await world.call(me, 'POST', `${path}/restore`)
    expect(await titles(me, 'inside')).toEqual(['inside'])
  })

  test('refuses what it cannot read, and a cursor of another search', async () => {
    const me = stranger()
    for (let n = 0; n < 3; n++) await task(me, { title: `word ${n}` })
    const cursor = (await ask(me, 'word', { limit: '1' })).body.next_cursor
    expect((await ask(me, 'word', { limit: '2', cursor })).body.items).toHaveLength(2)
    const refused: [string, Record<string, string>, string][] = [
      ['other', { cursor }, 'invalid_cursor'],
      ['word', { cursor, types: 'task' }, 'invalid_cursor'],
      ['word', { cursor, time_zone: 'Europe/Zurich' }, 'invalid_cursor'],
      ['word', { cursor: 'e30' }, 'invalid_cursor'],
      ['', {}, 'invalid_query'],
      ['created:2026-02-30', {}, 'invalid_query'],
      ['word', { time_zone: 'Mars' }, 'invalid_request'],
      ['word', { limit: '0' }, 'invalid_request'],
    ]
    for (const types of ['', 'notes', 'task,', 'task,task', 'task, fact'])
      refused.push(['word', { types }, 'invalid_request'])
    for (const [q, more, code] of refused)
      expect([q, more, (await ask(me, q, more)).body.code]).toEqual([q, more, code])
  })

  test('sees nothing of another workspace', async () => {
    const [me, other] = [stranger(), stranger()]
    const id = '01890000-0000-7000-8000-000000000001'
    for (const [who, word] of [
      [me, 'mine'],
      [other, 'theirs'],
    ] as [Caller, string][]) {
      await task(who, { id, title: word, labels: [word] })
      await fact(who, { id, front: word, back: word, tags: [word] })
    }
    for (const q of ['theirs', 'tag:theirs', '*heir*', '-mine', 'the*'])
      expect([q, await titles(me, q)]).toEqual([q, []])
    expect(await titles(me, 'mine')).toEqual(['mine', 'mine'])
  })
})

test('goes through 20,000 tasks and 20,000 facts in no time, whatever is asked, and ranks all of them', async () => {
  const me = stranger()
  const [first, card] = [await task(me, { title: 'seed' }), await fact(me, { front: 'seed', back: 'seed' })]
  await copies(first.id, 'tasks', ['title', 'notes'])
  await copies(card.id, 'study_facts', ['front', 'back'])
  // What takes longer than a search waits for is indexed by the next ones.
  while ((await ask(me, 'seed')).body.ranking_limited);
  const limits: [q: string, ms: number][] = [
    ['lonely', 50],
    ['e', 50],
    ['seed common', 100],
    ['-common', 50],
    ['updated:2020', 60],
    [Array.from({ length: 32 }, (_, n) => `zq${n}`).join(' OR '), 250],
  ]
  for (const [q, ms] of limits) expect([q, (await cost(ms, () => ask(me, q))) < ms]).toEqual([q, true])
  const { items: best, ranking_limited } = (await ask(me, 'common -lonely')).body
  expect([best.length, ranking_limited]).toEqual([50, false])
  expect((await ask(me, 'lonely')).body).toMatchObject({
    items: [{ title: 'lonely' }, { title: 'lonely' }],
    ranking_limited: false,
  })
})

/** 20,000 rows like the one with the id, each with a text of its own: through the API they would take minutes. */
async function copies(id: string, table: string, [title, body]: readonly [string, string]) {
  const columns = await world.db.all<{ name: string }>('SELECT name FROM pragma_table_info($1)', [table])
  const others = columns.map(({ name }) => name).filter((name) => !['key', 'id'].includes(name))
  const texts: Record<string, string> = {
    [title]: "CASE n WHEN 7 THEN 'lonely' ELSE 'Thing ' || n || ' common' END",
    [body]: "'seed common words of a house, of the garden and of the river between them'",
  }
  const values = others.map((name) => texts[name] ?? name)
  await world.db.transaction(async (tx) => {
    await tx.run(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
       INSERT INTO ${table} (id, ${others.join(', ')})
       SELECT printf('01890000-0000-7000-8000-%012x', n), ${values.join(', ')} FROM n, ${table} WHERE id = $1`,
      [id],
    )
    const type = table === 'tasks' ? 'task' : 'fact'
    await tx.run(
      `INSERT INTO changes (workspace, type, id, seq, op, revision, changed_at)
       SELECT w.id, $2, c.id, w.seq + row_number() OVER (ORDER BY c.id), 'upsert', 1, 0
       FROM ${table} AS c JOIN workspaces AS w ON w.id = c.workspace WHERE c.id LIKE '01890000-%' AND c.workspace = (SELECT workspace FROM ${table} WHERE id = $1)`,
      [id, type],
    )
    await tx.run('UPDATE workspaces SET seq = seq + 20000 WHERE id = (SELECT workspace FROM changes WHERE id = $1)', [
      id,
    ])
  })
}
