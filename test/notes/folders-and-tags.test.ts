import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { paged } from '../support/paged'
import type { As } from '../support/world'
import { everything, makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world

interface Sent {
  readonly title?: string
  readonly body?: string
  readonly tags?: readonly string[]
  readonly folder?: string | null
}

async function filled(notes: readonly Sent[]) {
  const me = stranger()
  const ids: string[] = []
  for (const note of notes) ids.push((await call(me, 'POST', '/api/notes', note)).body.id)
  return { me, ids }
}

async function all(me: As): Promise<Required<Sent & { inline_tags: string[] }>[]> {
  return (await call(me, 'GET', '/api/notes?include=body&limit=200&sort=created')).body.items
}

/** Every item of a list, two at a time. */
const listed = (me: As, path: string) => paged((to) => call(me, 'GET', to), `${path}?limit=2`)

describe('GET /api/notes/tags', () => {
  test('counts notes by tag, those below it, and how they have it', async () => {
    const { me, ids } = await filled([
      { tags: ['Work', 'work/plans'], body: '#WORK' },
      { tags: ['work/plans'], body: '#idea' },
      { body: '#work/x #work/plans' },
      { tags: ['work', 'worked'] },
    ])
    await call(me, 'DELETE', `/api/notes/${ids[3]}`)
    expect(await listed(me, '/api/notes/tags')).toEqual([
      { tag: 'idea', count: 1, count_below: 0, explicit: 0, inline: 1 },
      { tag: 'Work', count: 1, count_below: 3, explicit: 1, inline: 1 },
      { tag: 'work/plans', count: 3, count_below: 0, explicit: 2, inline: 1 },
      { tag: 'work/x', count: 1, count_below: 0, explicit: 0, inline: 1 },
    ])
    expect(await listed(stranger(), '/api/notes/tags')).toEqual([])
  })

  test('a cursor belongs to its list', async () => {
    const { me } = await filled([{ tags: ['a', 'b'] }])
    const { body } = await call(me, 'GET', '/api/notes/tags?limit=1')
    expect((await call(me, 'GET', `/api/notes/folders?cursor=${body.next_cursor}`)).body.code).toBe('invalid_cursor')
  })
})

test('a note in the trash is found by its tags in any spelling, and counts nowhere', async () => {
  const { me, ids } = await filled([{ tags: ['Ärger'], body: '#Öl/Farbe' }, { tags: ['work'] }])
  const found = async (query: string): Promise<string[]> =>
    (await call(me, 'GET', `/api/notes?${query}`)).body.items.map(({ id }: { id: string }) => id)
  for (const id of ids) await call(me, 'DELETE', `/api/notes/${id}`)
  for (const tag of ['ärger', 'ÄRGER', 'A\u0308rger', 'öl', 'öl/farbe'])
    expect(await found(`trashed=true&tag=${encodeURIComponent(tag)}`)).toEqual([ids[0] ?? ''])
  expect(await found('trashed=true&tag=ärger&tag=öl')).toEqual([ids[0] ?? ''])
  expect(await found('trashed=true&tag=ärger&tag=work')).toEqual([])
  expect(await listed(me, '/api/notes/tags')).toEqual([])
  await call(me, 'POST', `/api/notes/${ids[0]}/restore`)
  expect([await found('trashed=true&tag=ärger'), await found('tag=ärger')]).toEqual([[], [ids[0] ?? '']])
  await call(me, 'DELETE', `/api/notes/${ids[1]}?permanent=true`)
  expect(await found('trashed=true&tag=work')).toEqual([])
})

describe('GET /api/notes/folders', () => {
  test('counts notes by folder and those below it; the root and the trash are none', async () => {
    const { me, ids } = await filled([
      { folder: 'Work' },
      { folder: 'Work/Plans' },
      { folder: 'Work/Plans/Old' },
      { folder: 'Work/Plans' },
      { folder: 'Workshop' },
      {},
      { folder: 'Gone' },
    ])
    await call(me, 'DELETE', `/api/notes/${ids[6]}`)
    expect(await listed(me, '/api/notes/folders')).toEqual([
      { folder: 'Work', count: 1, count_below: 3 },
      { folder: 'Work/Plans', count: 2, count_below: 1 },
      { folder: 'Work/Plans/Old', count: 1, count_below: 0 },
      { folder: 'Workshop', count: 1, count_below: 0 },
    ])
    expect(await listed(stranger(), '/api/notes/folders')).toEqual([])
  })
})

describe('POST /api/notes/tags/rename', () => {
  test('renames the tag and what is nested, set or in bodies, and nothing that only looks like it', async () => {
    const code = '`#work` and #working, a#work, [#work](x)'
    const { me, ids } = await filled([
      { tags: ['a', 'WORK', 'work/Plans'], body: `#Work, (#work/x) ${code}\r\n#work` },
      { tags: ['working'], body: '#working' },
      { body: '#work' },
      { tags: ['work'] },
    ])
    await call(me, 'DELETE', `/api/notes/${ids[3]}`)
    const { status, body } = await call(me, 'POST', '/api/notes/tags/rename', { from: 'work', to: 'Job/Öl' })
    expect([status, body]).toEqual([200, { notes_changed: 2, merged: false }])
    expect(await all(me)).toMatchObject([
      { tags: ['a', 'Job/Öl', 'Job/Öl/Plans'], body: `#Job/Öl, (#Job/Öl/x) ${code}\r\n#Job/Öl`, revision: 2 },
      { tags: ['working'], body: '#working', revision: 1 },
      { body: '#Job/Öl', inline_tags: ['Job/Öl'], revision: 2 },
    ])
    expect((await call(me, 'GET', `/api/notes/${ids[3]}`)).body).toMatchObject({ tags: ['WORK'], revision: 2 })
    expect((await call(me, 'GET', '/api/notes?tag=job/öl')).body.items).toHaveLength(2)
  })

  test('leaves bodies alone where inline is false', async () => {
    const { me } = await filled([{ tags: ['work'], body: '#work' }, { body: '#work' }])
    const { body } = await call(me, 'POST', '/api/notes/tags/rename', { from: 'work', to: 'in the job', inline: false })
    expect(body).toEqual({ notes_changed: 1, merged: false })
    expect(await all(me)).toMatchObject([
      { tags: ['in the job'], body: '#work' },
      { tags: [], body: '#work' },
    ])
  })

  test('merges with a tag that there is, in its spelling', async () => {
    const { me } = await filled([
      { tags: ['Travel'] },
      { tags: ['trips', 'travel', 'trips/2026'] },
      { tags: ['trips'] },
    ])
    const { body } = await call(me, 'POST', '/api/notes/tags/rename', { from: 'trips', to: 'TRAVEL' })
    expect(body).toEqual({ notes_changed: 2, merged: true })
    expect((await all(me)).map(({ tags }) => tags)).toEqual([['Travel'], ['Travel', 'TRAVEL/2026'], ['Travel']])
  })

  test('spells a tag anew', async () => {
    const { me } = await filled([{ tags: ['work', 'work/x'], body: '#work' }, { tags: ['work'] }])
    const { body } = await call(me, 'POST', '/api/notes/tags/rename', { from: 'work', to: 'Work' })
    expect(body).toEqual({ notes_changed: 2, merged: false })
    expect(await all(me)).toMatchObject([{ tags: ['Work', 'Work/x'], body: '#Work' }, { tags: ['Work'] }])
    expect((await listed(me, '/api/notes/tags')).map(({ tag }) => tag)).toEqual(['Work', 'Work/x'])
  })

  test('of a note that cannot take the name changes nothing', async () => {
    const { me, ids } = await filled([{ tags: ['work'] }, { tags: [`work/${'x'.repeat(90)}`] }, { body: '#work' }])
    const before = await everything(world, me)
    for (const [to, culprit] of [
      ['two words', 2],
      ['x'.repeat(50), 1],
    ] as const) {
      const refused = await call(me, 'POST', '/api/notes/tags/rename', { from: 'work', to })
      expect([refused.status, refused.body.code, refused.body.note_id]).toEqual([409, 'conflict', ids[culprit]])
    }
    expect(await everything(world, me)).toEqual(before)
  })

  test('of a tag that no note has is 404, and of what is no tag 400', async () => {
    const { me } = await filled([{ tags: ['a'] }])
    expect((await call(me, 'POST', '/api/notes/tags/rename', { from: 'b', to: 'c' })).status).toBe(404)
    for (const [from, to, pointer] of [
      ['#a', 'b', '/from'],
      ['a', '', '/to'],
      ['a', 'b,c', '/to'],
    ])
      expect((await call(me, 'POST', '/api/notes/tags/rename', { from, to })).body.errors[0].pointer).toBe(pointer)
  })
})

describe('POST /api/notes/folders/rename', () => {
  test('moves the folder and what is below it, and nothing beside it', async () => {
    const { me } = await filled([
      { folder: 'Work' },
      { folder: 'Work/Plans' },
      { folder: 'Workshop' },
      { folder: 'work' },
      {},
    ])
    const { body } = await call(me, 'POST', '/api/notes/folders/rename', { from: 'Work', to: 'Old/Work' })
    expect(body).toEqual({ notes_changed: 2, merged: false })
    expect((await all(me)).map(({ folder }) => folder)).toEqual([
      'Old/Work',
      'Old/Work/Plans',
      'Workshop',
      'work',
      null,
    ])
  })

  test('merges, climbs into its parent, and to itself changes nothing', async () => {
    const { me } = await filled([{ folder: 'A/B' }, { folder: 'A/B/C' }, { folder: 'A' }])
    expect((await call(me, 'POST', '/api/notes/folders/rename', { from: 'A/B', to: 'A' })).body).toEqual({
      notes_changed: 2,
      merged: true,
    })
    expect((await all(me)).map(({ folder }) => folder)).toEqual(['A', 'A/C', 'A'])
    expect((await call(me, 'POST', '/api/notes/folders/rename', { from: 'A', to: 'A' })).body).toEqual({
      notes_changed: 0,
      merged: false,
    })
  })

  test('into its own child, or deeper than folders go, is a conflict that changes nothing', async () => {
    const { me } = await filled([{ folder: 'A' }, { folder: 'A/B/C/D' }])
    const before = await everything(world, me)
    for (const to of ['A/B', 'A/x/y', Array(14).fill('d').join('/')]) {
      const refused = await call(me, 'POST', '/api/notes/folders/rename', { from: 'A', to })
      expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
    }
    expect((await call(me, 'POST', '/api/notes/folders/rename', { from: 'B', to: 'C' })).status).toBe(404)
    expect(
      (await call(me, 'POST', '/api/notes/folders/rename', { from: 'A', to: '../C' })).body.errors[0].pointer,
    ).toBe('/to')
    expect(await everything(world, me)).toEqual(before)
  })
})

describe('after random renames', () => {
  const name = fc.array(fc.constantFrom('a', 'b', 'B'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  const note = fc.record({
    tags: fc.uniqueArray(name, { maxLength: 3, selector: (tag) => tag.toLowerCase() }),
    folder: fc.option(name),
    inline: fc.array(name, { maxLength: 3 }),
  })

  test('tags and folders are those of a naive model, counts equal a recount, and other workspaces are untouched', async () => {
    const { me: other } = await filled([{ tags: ['a', 'b'], folder: 'a', body: '#a' }])
    const untouched = await everything(world, other)
    await fc.assert(
      fc.asyncProperty(
        fc.array(note, { minLength: 1, maxLength: 6 }),
        name,
        name,
        fc.boolean(),
        async (notes, from, to, inline) => {
          const sent = notes.map(({ inline: words, ...rest }) => ({
            ...rest,
            body: words.map((word) => `x #${word}\n`).join(''),
          }))
          const { me } = await filled(sent)
          const before = await all(me)
          await call(me, 'POST', '/api/notes/tags/rename', { from, to, inline })
          await call(me, 'POST', '/api/notes/folders/rename', { from, to })
          const after = await all(me)
          after.forEach((now, i) => {
            const was = before[i]
            if (!was) throw new Error('a note is gone')
            expect(keys(now.tags)).toEqual(
              keys(was.tags.map((tag) => renamed(tag.toLowerCase(), from.toLowerCase(), to))),
            )
            const body = was.body.replace(
              /#(\S+)/g,
              (_, tag) => `#${inline ? renamed(tag.toLowerCase(), from.toLowerCase(), to) : tag}`,
            )
            expect(now.body.toLowerCase()).toBe(body.toLowerCase())
            const inside = to.startsWith(`${from}/`) || was.folder === null
            expect(now.folder).toBe(inside ? was.folder : renamed(was.folder, from, to))
          })
          expect(await listed(me, '/api/notes/tags')).toEqual(recountTags(after))
          expect(await listed(me, '/api/notes/folders')).toEqual(recountFolders(after))
        },
      ),
      { numRuns: runs(40) },
    )
    expect(await everything(world, other)).toEqual(untouched)
  })
})

const keys = (tags: readonly string[]) => [...new Set(tags.map((tag) => tag.toLowerCase()))].toSorted()
const renamed = (name: string | null, from: string, to: string) =>
  name === from ? to : name?.startsWith(`${from}/`) ? to + name.slice(from.length) : (name ?? '')

function recountTags(notes: Awaited<ReturnType<typeof all>>) {
  const own = notes.map(({ tags, inline_tags }) => ({
    set: keys(tags),
    inline: keys(inline_tags),
    both: keys([...tags, ...inline_tags]),
  }))
  return keys(own.flatMap(({ both }) => both)).map((tag) => {
    const count = own.filter(({ both }) => both.includes(tag)).length
    const count_below = own.filter(({ both }) => both.some((other) => other.startsWith(`${tag}/`))).length
    const explicit = own.filter(({ set }) => set.includes(tag)).length
    return {
      tag: expect.stringMatching(new RegExp(`^${tag}$`, 'i')),
      count,
      count_below,
      explicit,
      inline: own.filter((one) => one.inline.includes(tag)).length,
    }
  })
}

function recountFolders(notes: Awaited<ReturnType<typeof all>>) {
  const folders = notes.flatMap(({ folder }) => folder ?? [])
  return [...new Set(folders)].toSorted().map((folder) => ({
    folder,
    count: folders.filter((other) => other === folder).length,
    count_below: folders.filter((other) => other.startsWith(`${folder}/`)).length,
  }))
}
