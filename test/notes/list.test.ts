import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Queries, WorkspaceId } from '../../src/db/database'
import type { Key } from '../../src/http/cursor'
import { readFilter } from '../../src/notes/filters'
import { listNotes } from '../../src/notes/list-store'
import type { Note, NoteFilters } from '../../src/notes/schema'
import { openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'
import { onSqlite, runs } from '../support/full'
import { paged } from '../support/paged'
import { plansOf } from '../support/plans'
import { everything, makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

const START = world.clock.now
const FOLDERS = [null, 'A', 'A/B', 'A/B/C', 'AB', 'A B', 'a']
const TAGS = ['x', 'x/y', 'xy', 'Z', 'z/q']

const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString()
const note = fc.record({
  title: fc.constantFrom('a', 'B', 'c', 'É'),
  folder: fc.constantFrom(...FOLDERS),
  tags: fc.subarray(TAGS, { maxLength: 2 }),
  body: fc.constantFrom('', '#x', '#z/deep', 'text'),
  pinned: fc.boolean(),
  archived_at: fc.constantFrom(null, null, '2026-01-01T00:00:00.000Z'),
  system: fc.constantFrom(null, 'm', 'n'),
  trashed: fc.boolean(),
})
const instant = fc.integer({ min: -1, max: 41 }).map(at)
const query = fc.record(
  {
    folder: fc.constantFrom('', 'A', 'A/B', 'AB', 'none'),
    tag: fc.subarray(['x', 'X/Y', 'z', 'none'], { minLength: 1, maxLength: 2 }),
    pinned: fc.constantFrom('true', 'false'),
    archived: fc.constantFrom('true', 'false', 'any'),
    trashed: fc.constantFrom('true', 'false'),
    created_from: instant,
    created_to: instant,
    updated_from: instant,
    updated_to: instant,
    source_system: fc.constantFrom('m', 'o'),
  },
  { requiredKeys: [] },
)
type Query = typeof query extends fc.Arbitrary<infer Value> ? Value & { folder_only?: string } : never

const isIn = (path: string | null, above: string) =>
  above === '' || path === above || (path?.startsWith(`${above}/`) ?? false)

/** What the page says of each filter, on the note as it is shown. */
function fits(one: Note, asked: Query): boolean {
  const { folder, folder_only, tag, pinned, archived = 'false', trashed = 'false', source_system } = asked
  const own = [...one.tags, ...one.inline_tags].map((name) => name.toLowerCase())
  return [
    (one.deleted_at !== null) === (trashed === 'true'),
    folder === undefined || (folder_only === 'true' ? (one.folder ?? '') === folder : isIn(one.folder, folder)),
    (tag ?? []).every((wanted) => own.some((name) => isIn(name, wanted.toLowerCase()))),
    pinned === undefined || one.pinned === (pinned === 'true'),
    archived === 'any' || (one.archived_at !== null) === (archived === 'true'),
    asked.created_from === undefined || one.created_at >= asked.created_from,
    asked.created_to === undefined || one.created_at < asked.created_to,
    asked.updated_from === undefined || one.updated_at >= asked.updated_from,
    asked.updated_to === undefined || one.updated_at < asked.updated_to,
    source_system === undefined || one.source?.system === source_system,
  ].every(Boolean)
}

function toSearch(asked: Query): string {
  const { tag = [], ...rest } = asked
  const search = new URLSearchParams(rest)
  for (const one of tag) search.append('tag', one)
  return search.toString()
}

async function fill(me: ReturnType<typeof world.stranger>) {
  for (const [i, { system, trashed, ...one }] of fc.sample(note, { numRuns: 40, seed: 3 }).entries()) {
    world.clock.now = START + i * 60_000
    const source = system === null ? null : { system, id: `${i}` }
    const { status, body } = await world.call(me, 'POST', '/api/notes', { ...one, source })
    expect(status).toBe(201)
    world.clock.now += 30_000
    if (i % 3 === 0) await world.call(me, 'PATCH', `/api/notes/${body.id}`, { pinned: !one.pinned })
    if (trashed) await world.call(me, 'DELETE', `/api/notes/${body.id}`)
  }
}

describe('the filters of the list', () => {
  test('show the notes that a plain matcher shows, alone and together', async () => {
    const me = world.stranger()
    await fill(me)
    const { living, trashed } = await everything(world, me)
    const all: Note[] = [...living.items, ...trashed.items]
    expect(all).toHaveLength(40)
    const only = fc.constantFrom({}, { folder_only: 'true' }, { folder_only: 'false' })
    await fc.assert(
      fc.asyncProperty(query, only, async (filters, more) => {
        const asked: Query = filters.folder === undefined ? filters : { ...filters, ...more }
        const { body } = await world.call(me, 'GET', `/api/notes?sort=created&${toSearch(asked)}`)
        const expected = all.filter((one) => fits(one, asked)).map(({ id }) => id)
        expect(body.items.map(({ id }: Note) => id)).toEqual(expected.toSorted())
      }),
      { numRuns: runs(400) },
    )
  })

  test('folder_only needs a folder', async () => {
    const { status, body } = await world.call(world.stranger(), 'GET', '/api/notes?folder_only=true')
    expect([status, body.errors[0].pointer]).toEqual([400, '/folder_only'])
  })
})

describe('the sorts of the list', () => {
  test.each(['updated', 'created', 'title', 'folder'].flatMap((sort) => [sort, `-${sort}`]))(
    '%s goes on page by page, ties by id',
    async (sort) => {
      const me = world.stranger()
      await fill(me)
      const path = `/api/notes?archived=any&limit=7&sort=${sort}`
      const seen: Note[] = await paged((to) => world.call(me, 'GET', to), path)
      const key = (one: Note) =>
        ({
          updated: one.updated_at,
          created: one.created_at,
          title: one.title.toLowerCase(),
          folder: one.folder ?? '',
        })[sort.replace('-', '') as 'title']
      const expected = seen.toSorted(
        (a, b) => Math.sign(Number(key(a) > key(b)) - Number(key(a) < key(b))) || (a.id < b.id ? -1 : 1),
      )
      expect(seen.map(({ id }) => id)).toEqual(
        (sort.startsWith('-') ? expected.toReversed() : expected).map(({ id }) => id),
      )
      expect(new Set(seen.map(({ id }) => id)).size).toBe((await everything(world, me)).living.items.length)
    },
  )
})

describe('a list with bodies', () => {
  test('ends a page early at 8 MiB, and the next goes on where it ended', async () => {
    const me = world.stranger()
    const body = 'x'.repeat(1024 * 1024)
    for (let i = 0; i < 10; i++) await world.call(me, 'POST', '/api/notes', { title: `${i}`, body })
    const first = await world.call(me, 'GET', '/api/notes?include=body&sort=created')
    expect(first.body.items.map(({ title }: Note) => title)).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    const rest = await world.call(me, 'GET', `/api/notes?include=body&sort=created&cursor=${first.body.next_cursor}`)
    expect(rest.body.items.map((one: Note) => [one.title, one.body === body])).toEqual([
      ['7', true],
      ['8', true],
      ['9', true],
    ])
    expect(rest.body.next_cursor).toBeNull()
  })
})

describe('a list by ids', () => {
  test('has the notes of them, archived ones too, page by page; others are left out', async () => {
    const [me, other] = [world.stranger(), world.stranger()]
    const ids: string[] = []
    for (const note of [{ title: 'a' }, { title: 'b', archived_at: at(0) }, { title: 'c' }, { title: 'd' }])
      ids.push((await world.call(me, 'POST', '/api/notes', note)).body.id)
    await world.call(me, 'DELETE', `/api/notes/${ids[2]}`)
    const foreign = (await world.call(other, 'POST', '/api/notes', {})).body.id
    const titles = async (query: string, who = me) =>
      (await world.call(who, 'GET', `/api/notes?sort=title&${query}`)).body.items.map(({ title }: Note) => title)
    const named = `ids=${[...ids.slice(0, 3), foreign].join(',')}`
    expect(await titles(named)).toEqual(['a', 'b'])
    expect(await titles(`${named}&archived=false`)).toEqual(['a'])
    expect(await titles(`${named}&trashed=true`)).toEqual(['c'])
    expect(await titles(`ids=${ids[0]}`, other)).toEqual([])
    const first = (await world.call(me, 'GET', `/api/notes?sort=title&limit=1&${named}`)).body
    expect(await titles(`limit=1&${named}&cursor=${first.next_cursor}`)).toEqual(['b'])
    const found = await world.call(me, 'GET', `/api/notes/search?q=a%20OR%20d&${named}`)
    expect(found.body.items.map(({ title }: Note) => title)).toEqual(['a'])
  })

  test.each([
    ['none', '', 'invalid_value'],
    ['what is no id', 'x', 'invalid_value'],
    ['a comma at the end', '01980000-0000-7000-8000-000000000000,', 'invalid_value'],
    ['201', Array(201).fill('01980000-0000-7000-8000-000000000000').join(), 'too_many'],
  ])('refuses %s', async (_, ids, code) => {
    const { status, body } = await world.call(world.stranger(), 'GET', `/api/notes?ids=${ids}`)
    expect([status, body.errors[0].pointer, body.errors[0].code]).toEqual([400, '/ids', code])
  })

  test('takes 200, and a cursor goes on', async () => {
    const me = world.stranger()
    const ids = [...Array(200)].map((_, i) => `01980000-0000-7000-8000-${String(i).padStart(12, '0')}`)
    for (const id of [ids[0], ids[199]]) await world.call(me, 'POST', '/api/notes', { id })
    const first = await world.call(me, 'GET', `/api/notes?sort=created&limit=1&ids=${ids}`)
    expect(first.body.items).toMatchObject([{ id: ids[0] }])
    const rest = await world.call(
      me,
      'GET',
      `/api/notes?sort=created&limit=1&ids=${ids}&cursor=${first.body.next_cursor}`,
    )
    expect(rest.body).toMatchObject({ items: [{ id: ids[199] }], next_cursor: null })
  })
})

describe('a list by title', () => {
  test('has the notes whose title is the same as links compare them, and no others', async () => {
    const me = world.stranger()
    for (const title of ['Straße  nach Rom', 'STRASSE NACH ROM', 'Strasse nach Roma', 'Strasse', 'É'])
      await world.call(me, 'POST', '/api/notes', { title })
    const titles = async (title: string) =>
      (await world.call(me, 'GET', `/api/notes?sort=created&title=${encodeURIComponent(title)}`)).body.items.map(
        (one: Note) => one.title,
      )
    expect(await titles(' strasse nach  rom ')).toEqual(['Straße  nach Rom', 'STRASSE NACH ROM'])
    expect(await titles('e\u0301')).toEqual(['É'])
    expect(await titles('E')).toEqual([])
    expect(await titles('Strass')).toEqual([])
    expect(await titles('')).toEqual([])
  })
})

/** Inserts notes, numbered from 1 on. @param columns what each has of its number `i`, from its creation to its pin, in SQL */
async function insertNumbered(db: Queries, count: number, columns: string): Promise<void> {
  await db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${count})
    INSERT INTO notes (workspace, id, revision, created_at, updated_at, title, title_key, folder, pinned,
      tags, inline_tags, properties, excerpt, word_count, checklist_total, checklist_done, size_bytes)
    SELECT 'w', format('%05d', i), 1, ${columns}, '[]', '[]', '{}', '', 0, 0, 0, 0 FROM n`)
}

describe('filters of which each has many notes', () => {
  const WAYS: NoteFilters[] = [{ folder: 'A', tag: 'a' }, { tag: ['a', 'b'] }, { pinned: 'true', tag: ['b', 'a'] }]
  onSqlite.each([
    ['none together', 12_000, 6000, 6000, [], true],
    ['many together, which are met on the way', 17_000, 11_001, 6000, [6001, 6002, 6003, 6004, 6005], false],
    ['as many as are sorted', 17_000, 11_000, 6000, [6001, 6002, 6003, 6004, 6005], true],
  ] as const)('%s', async (_, count, tagged, below, wanted, isSorted) => {
    const db = await openMigrated(join(makeFolder(), 'satchel.db'), 0, () => 'x')
    await insertNumbered(db, count, `i, i, i, i, iif(i > ${below}, 'A/B', NULL), i > ${below}`)
    await db.run(`INSERT INTO note_tags SELECT 'w', 'a', key, '', 1, 0 FROM notes WHERE created_at <= ${tagged}
      UNION ALL SELECT 'w', 'b/c', key, '', 1, 0 FROM notes WHERE created_at > ${below}`)
    const reader = (noted: Queries) => ({ db: noted, workspace: { id: 'w' as WorkspaceId } })
    for (const way of WAYS) {
      const listing = { filter: readFilter(way), sort: 'created', limit: 5 } as const
      const list = (after: Key[] | null) => (noted: Queries) => listNotes(reader(noted), { ...listing, after })
      const ids = (await list(null)(db)).map(({ id }) => Number(id))
      expect([way, ids]).toEqual([way, [...wanted]])
      const plans = await plansOf(db, list(null))
      const sorting = plans.filter((plan) =>
        /AUTOMATIC|SCAN (?!found)|FOR ORDER BY/.test(plan.replace(/SCAN json_each.*/g, '')),
      )
      expect([way, sorting]).toEqual([way, isSorted ? plans.slice(-1) : []])
      expect(isSorted).toBe(/USING INTEGER PRIMARY KEY/.test(sorting.join()))
      const next = await list([6002, '06002'])(db)
      expect(next.map(({ id }) => Number(id)).slice(0, 1)).toEqual(wanted.slice(2, 3))
    }
    await db.close()
  })
})

onSqlite('a list of many among 6000 is walked in its order, one of few is sorted, and both are right', async () => {
  const db = await openMigrated(join(makeFolder(), 'satchel.db'), 0, () => 'x')
  const folder = "iif(i % 100 = 0, 'Few/Below', 'Many')"
  await insertNumbered(db, 6000, `i % 7, i % 11, i % 13, i % 13, ${folder}, i % 50 = 0`)
  await db.run(`INSERT INTO note_tags SELECT 'w', iif(i, 'few', 'many'), key, '', 1, 0
    FROM (SELECT key, key % 150 = 0 AS i FROM notes)`)
  const every = (of: number) => (n: number) => n % of === 0
  const butEvery = (of: number) => (n: number) => n % of > 0
  for (const [filter, fits, sorted] of [
    [{ folder: 'Many' }, [butEvery(100)], []],
    [{ folder: 'Few' }, [every(100)], ['created', 'updated', 'title']],
    [{ tag: 'many' }, [butEvery(150)], []],
    [{ tag: 'few', folder: 'Many' }, [every(150), butEvery(100)], ['created', 'updated', 'title']],
    [{ folder: 'Many', tag: 'many' }, [butEvery(150), butEvery(100)], []],
    // The index of the pinned notes has this order.
    [{ pinned: 'true' }, [every(50)], ['created', 'title']],
  ] as const)
    for (const [sort, by] of Object.entries({ created: 7, updated: 11, title: 13 })) {
      const listing = { filter: readFilter(filter), sort: sort as 'title', after: null, limit: 20 }
      let found: readonly { readonly id: string }[] = []
      const plans = await plansOf(db, async (noted) => {
        found = await listNotes({ db: noted, workspace: { id: 'w' as WorkspaceId } }, listing)
      })
      const key = (n: number) => (sort === 'title' ? String(n % by) : String(n % by).padStart(2))
      const all = Array.from({ length: 6000 }, (_, i) => i + 1).filter((n) => fits.every((one) => one(n)))
      const order = all.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b))
      expect(found.map(({ id }) => Number(id))).toEqual(order.slice(0, 20))
      const isSorted = sorted.some((one) => one === sort)
      expect([filter, sort, /TEMP B-TREE FOR ORDER BY/.test(plans.at(-1) ?? '')]).toEqual([filter, sort, isSorted])
    }
  await db.close()
})
