import { afterAll, describe, expect, test } from 'bun:test'
import type { Session, WorkspaceId } from '../../src/db/database'
import type { WorkKind } from '../../src/imports/kind'
import { keepFileLinks } from '../../src/notes/attachments/file-links'
import { createNoteEdits } from '../../src/notes/edits'
import { linkHook } from '../../src/notes/links/body-links'
import { createRenameNote } from '../../src/notes/links/rename-note'
import { createRenameSteps } from '../../src/notes/links/rename-steps'
import { createHeadingFinder, getFullPath, listHeadingNames, readHeadingPath } from '../../src/notes/markdown/headings'
import { createNoteWriter } from '../../src/notes/note'
import type { BodyEdit } from '../../src/notes/schema'
import { createNotes } from '../../src/notes/service'
import { paged } from '../support/paged'
import { makeNotesWorld, readerOf } from './support'

/** Links to headings and blocks: which one they lead to, and what becomes of them. */

const world = await makeNotesWorld()
afterAll(world.close)

function someone() {
  const me = readerOf(world, world.stranger())
  return {
    ...me,
    note: async (title: string, body = '', more: object = {}): Promise<string> =>
      (await me.call('POST', '', { title, body, ...more })).body.id,
    edit: (id: string, ...edits: object[]) => me.call('POST', `/${id}/edits`, { edits }),
    rename: (id: string, heading: string[], content: string) =>
      me.call('POST', `/${id}/edits`, { edits: [{ op: 'rename', target: { heading }, content }] }),
  }
}

const PLAN = '# Plan\n\n## Week 1\n\n### Costs: "all"\n\n## Week 2\n\n### Costs all\n\n#### Café\n\n> # Quoted\n'

test.each([
  ['plan', ['Plan']],
  ['Costs  ALL', ['Plan', 'Week 1', 'Costs: "all"']],
  ['Week 2#costs, all', ['Plan', 'Week 2', 'Costs all']],
  ['Plan#Cafe\u0301', ['Plan', 'Week 2', 'Costs all', 'Café']],
  ['#Week 1#Café', ['Plan', 'Week 2', 'Costs all', 'Café']],
  ['Quoted', ['Quoted']],
  ['Week 2#Week 1', null],
  ['Plan#Plan', null],
  ['Costs', null],
  ['#', null],
  ['^plan', null],
])('%s leads to the heading %j', (part, expected) => {
  const headings = listHeadingNames(PLAN)
  const path = readHeadingPath(part)
  const last = path && createHeadingFinder(headings)(path)?.at(-1)
  expect(last === undefined || last === null ? null : getFullPath(headings, last)).toEqual(expected)
})

describe('a heading that an edit renames', () => {
  test('takes the links to it along, as they are spelled, and no other link', async () => {
    const me = someone()
    const trip = await me.note('Trip', `${PLAN}\n[[#Week 1]] [[Trip#week 1#Costs all]] [[Other#Week 1]]\n`)
    await me.note('Other', '# Week 1')
    const links = (week: string, encoded: string) =>
      `[[Trip#${week}]] ![[trip # ${week} |x]] [[Trip#Plan#${week}]] [t](../Trip.md#${encoded} "t") [t](<../Trip.md#${week}>) [[Trip]] [[Trip#Week 2]] [[Trip#^week]] [[Other#Week 1]] \`[[Trip#Week 1]]\` | [[Trip#${week}\\|y]]\n`
    const from = await me.note('From', links('Week 1', 'Week%201'), { folder: 'Work' })
    const renamed = await me.rename(trip, ['Week 1'], '*First* week #1 | [a]')
    expect([renamed.status, renamed.headers.get('x-links-updated')]).toEqual([200, '2'])
    expect(renamed.body).toMatchObject({ revision: 2, links: { out: 2 } })
    expect(renamed.body.body).toBe(
      `${PLAN.replace('Week 1', '*First* week #1 | [a]')}\n[[#First week 1 a]] [[Trip#First week 1 a#Costs all]] [[Other#Week 1]]\n`,
    )
    expect(await me.get(from)).toMatchObject({ revision: 2, body: links('First week 1 a', 'First%20week%201%20a') })
  })

  test('is one whose exact text is replaced, also in a batch and in the note of a day', async () => {
    const me = someone()
    const trip = await me.note('Trip', '# A\n\n# B\n')
    const day = (await me.call('PUT', '/daily/2026-03-02', { body: '# A\n', title: 'Day' })).body.id
    const from = await me.note('From', '[[Trip#A]] [[Trip#B]] [[Day#A]]')
    const replace = (text: string, content: string) => ({ edits: [{ op: 'replace', target: { text }, content }] })
    const sent = [
      await me.call('POST', `/${trip}/edits`, replace('# A', '# C')),
      await me.call('POST', '/batch', { ops: [{ op: 'edits', id: trip, data: replace('# B', '# D') }] }),
      await me.call('POST', '/daily/2026-03-02/edits', replace('A', 'E')),
      await me.call('POST', `/${day}/edits`, { ...replace('E', 'F'), dry_run: true }),
      // A heading more, one of another level, and two at once: it is not sure what became of which.
      await me.call('POST', `/${trip}/edits`, replace('# C\n', '# C1\n# C2\n')),
      await me.call('POST', `/${trip}/edits`, replace('# C2', '## C3')),
      await me.call('POST', `/${trip}/edits`, replace('C1\n## C3', 'E1\n## E2')),
    ]
    expect(sent.map(({ headers }) => headers.get('x-links-updated'))).toEqual(['1', '1', '1', null, '0', '0', '0'])
    expect([await me.body(from), (await me.get(day)).links.in]).toEqual(['[[Trip#C]] [[Trip#D]] [[Day#E]]', 1])
  })

  test('is written with the headings above it where another has its name, or not at all', async () => {
    const me = someone()
    const trip = await me.note('Trip', '# A\n\n## X\n\n# B\n\n## Y\n\n# X\n')
    const from = await me.note('From', '[[Trip#X]] [[Trip#Y]] [[Trip#B#Y]]')
    await me.rename(trip, ['B', 'Y'], 'X')
    expect(await me.body(from)).toBe('[[Trip#X]] [[Trip#B#X]] [[Trip#B#X]]')
    await me.rename(trip, ['B', 'X'], 'Z')
    await me.rename(trip, ['B'], 'A')
    expect(await me.body(from)).toBe('[[Trip#X]] [[Trip#A#Z]] [[Trip#A#Z]]')
    const twice = await me.rename(await me.note('Twice', '# A\n## X\n## Y\n[[#Y]] [[#X]]\n'), ['Y'], 'X')
    expect(twice.body.body).toBe('# A\n## X\n## X\n[[#Y]] [[#X]]\n')
  })

  test.each([' ', 'a\nb', 'a\n\n# c', '#'])('does not get the text %j', async (content) => {
    const me = someone()
    const refused = await me.rename(await me.note('Trip', '# A\n\nB\n-\n'), ['A', 'B'], content)
    expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: '/edits/0/content' }] })
  })
})

test('a new body renames a heading only where the caller says so, with the title at once', async () => {
  const me = someone()
  const trip = await me.note('Trip', '# A\n')
  const from = await me.note('From', '[[Trip#A]]')
  const patch = async (members: object, query = '') =>
    (await me.patch(trip, members, query)).headers.get('x-links-updated')
  expect([await patch({ body: '# B\n' }), await patch({ body: '# A\n' }, '?update_links=false')]).toEqual(['0', '0'])
  expect(await patch({ body: '# B\n' }, '?update_links=true')).toBe('1')
  expect([await me.body(from), await me.body(trip)]).toEqual(['[[Trip#B]]', '# B\n'])
  expect(await patch({ title: 'Tour', body: '# C\n\n[[#B]]' }, '?update_links=true')).toBe('2')
  expect([await me.body(from), await me.body(trip)]).toEqual(['[[Tour#C]]', '# C\n\n[[#C]]'])
})

test('two headings renamed by one request take the links along in a run as at once, one link a step', async () => {
  const edits: BodyEdit[] = [
    { op: 'rename', target: { heading: ['A'] }, content: 'X' },
    { op: 'rename', target: { heading: ['B'] }, content: 'A' },
  ]
  const bodies = [
    '[[Trip#A]] [[trip.md#B]] [[Other]]',
    '[[Trip]]',
    '[[/Trip#B]] [[Trip#A]] [[note:ID#A]]',
    '[[Trip#b]]',
  ]
  const make = async () => {
    const me = someone()
    const trip = await me.note('Trip', '# A\n\n# B\n')
    const from: string[] = []
    for (const [i, body] of bodies.entries()) from.push(await me.note(`F${i}`, body.replace('ID', trip)))
    const row = await world.db.get<{ workspace: WorkspaceId }>('SELECT workspace FROM notes WHERE id = $1', [trip])
    if (!row) throw new Error('the note is not stored')
    const session: Session = { db: world.db, workspace: { id: row.workspace, kind: 'key' } }
    const read = async () =>
      (await Promise.all(from.map(me.get))).map(({ body, revision }) => [body.replace(trip, 'ID'), revision])
    return { me, trip, session, read }
  }
  const [one, other] = [await make(), await make()]
  expect((await one.me.edit(one.trip, ...edits)).headers.get('x-links-updated')).toBe('3')
  const expected = [
    '[[Trip#X]] [[trip.md#A]] [[Other]]',
    '[[Trip]]',
    '[[/Trip#A]] [[Trip#X]] [[note:ID#X]]',
    '[[Trip#A]]',
  ]
  expect(await one.read()).toEqual(expected.map((body, i) => [body, body === bodies[i] ? 1 : 2]))

  const [works, orders]: [Pick<WorkKind<unknown, unknown>, 'step'>[], unknown[]] = [[], []]
  const imports = {
    registerWork: (kind: never) => void works.push(kind),
    begin: async (_: Session, { params }: { params: unknown }) =>
      String(orders.push(JSON.parse(JSON.stringify(params)))),
  }
  const now = () => world.clock.now
  const writer = createNoteWriter({ now, record: async () => {}, hooks: [linkHook] })
  const context = { now, ids: () => 'r', writer }
  const rename = createRenameNote({
    ...context,
    renaming: createRenameSteps({ now, writer, keepFileLinks }),
    imports,
    atOnce: 0,
  })
  await createNoteEdits({ now, rename, notes: createNotes({ ...context, rename }) }).apply(other.session, other.trip, {
    edits,
  })
  for (let [state, more, steps] = [null as unknown, true, 0]; more; steps += 1) {
    const done = await world.db.transaction(
      (db) => works[0]?.step({ ...other.session, db }, orders[0], state, 1) ?? Promise.reject(),
    )
    ;({ state, more } = done)
    expect(steps).toBeLessThan(20)
  }
  expect(await other.read()).toEqual(await one.read())
})

describe('a missing heading or block', () => {
  const job = world.jobs.find(({ name }) => name === 'look for the headings and blocks of links')
  const stale = async () =>
    (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM note_links WHERE stale = 1', []))?.n
  const unresolved = async (me: ReturnType<typeof someone>, id: string) => (await me.get(id)).links.unresolved

  test('is listed by its kind until it is there, and tells the linking notes', async () => {
    const me = someone()
    const trip = await me.note('Trip', '# Plan\n\n- call Ana ^ana\n')
    const body =
      '[[Trip#costs]] [[trip#Costs!]] [[Trip#Plan#Costs]] [[Trip#^ANA]] [t](Trip.md#in-may) [[Trip#^x]] [[#Here]]'
    const from = await me.note('From', `${body} [[Trip##]] [[Gone#A]] [[a.pdf#page=2]]`)
    const other = await me.note('Other', '[[TRIP#COSTS]]')
    const all = [
      { target: 'Trip', kind: 'heading', heading: 'costs', count: 2, note_ids: [from, other] },
      { target: '', kind: 'heading', heading: 'Here', count: 1, note_ids: [from] },
      { target: 'a.pdf', kind: 'attachment', heading: null, count: 1, note_ids: [from] },
      { target: 'Gone', kind: 'note', heading: null, count: 1, note_ids: [from] },
      { target: 'Trip', kind: 'block', heading: '^x', count: 1, note_ids: [from] },
      { target: 'Trip', kind: 'heading', heading: 'in-may', count: 1, note_ids: [from] },
      { target: 'Trip', kind: 'heading', heading: 'Plan#Costs', count: 1, note_ids: [from] },
    ]
    expect(await me.unresolved()).toEqual(all)
    expect(await paged((to) => me.call('GET', to), '/unresolved?limit=1')).toEqual(all)
    for (const kind of ['note', 'attachment', 'heading', 'block'])
      expect((await me.call('GET', `/unresolved?kind=${kind}`)).body.items).toEqual(
        all.filter((one) => one.kind === kind),
      )
    const missing = ['heading', 'heading', 'heading', null, 'heading', 'block', 'heading', null, 'note', 'attachment']
    expect((await me.links(from)).map((link: { missing: string | null }) => link.missing)).toEqual(missing)
    expect([await unresolved(me, from), await unresolved(me, other)]).toEqual([7, 1])
    const etag = (await me.call('GET', `/${other}`)).headers.get('etag')
    await me.edit(trip, { op: 'append', target: { document: true }, content: '## Costs\n\n## In May\n\nb ^x' })
    expect([await unresolved(me, from), await unresolved(me, other)]).toEqual([3, 0])
    expect((await me.call('GET', `/${other}`)).headers.get('etag')).not.toBe(etag)
    await me.call('DELETE', `/${trip}`)
    expect([await unresolved(me, from), await unresolved(me, other)]).toEqual([4, 1])
    const again = await me.note('Trip', '# Costs')
    expect([await unresolved(me, from), await unresolved(me, other)]).toEqual([7, 0])
    await me.patch(again, { title: 'Tour' }, '?update_links=false')
    expect([await unresolved(me, from), await unresolved(me, other)]).toEqual([4, 1])
  })

  test.each([200, 201])('is found at once for 200 links, and by the job for the rest of %d', async (count) => {
    const me = someone()
    const trip = await me.note('Trip', '# A')
    const data = { body: '[[Trip#A]] [[Trip]]' }
    for (let at = 0; at < count; at += 100)
      await me.call('POST', '/batch', {
        ops: Array.from({ length: Math.min(100, count - at) }, () => ({ op: 'create', data })),
      })
    await me.patch(trip, { body: '# A\n\n[[x]]\n' })
    expect(await stale()).toBe(0)
    await me.patch(trip, { body: '# B\n' })
    expect(await stale()).toBe(count - 200)
    expect((await me.unresolved())[0]).toMatchObject({ target: 'Trip', heading: 'A', count: 200 })
    await job?.run(new AbortController().signal)
    expect([await stale(), (await me.unresolved())[0].count]).toEqual([0, count])
  })

  test('is found at once in one note of any size, or in several of 128 KiB in all', async () => {
    const me = someone()
    const body = (kib: number) => `# A\n${'x'.repeat(kib * 1024 - 200)}`
    for (const [title, kib] of [
      ['Long', 1000],
      ['Half', 64],
      ['Other', 64],
      ['More', 64],
    ] as const)
      await me.note(title, body(kib))
    const saved = async (body: string) => [await unresolved(me, await me.note('From', body)), await stale()]
    expect(await saved('[[Long#B]] [[Long#C]]')).toEqual([2, 0])
    expect(await saved('[[Half#B]] [[Other#B]]')).toEqual([2, 0])
    expect(await saved('[[Half#B]] [[Other#B]] [[More#B]]')).toEqual([2, 1])
    await job?.run(new AbortController().signal)
    expect([await stale(), (await me.call('GET', '/unresolved?kind=heading')).body.items.length]).toEqual([0, 5])
  })
})
