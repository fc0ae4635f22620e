import { afterAll, describe, expect, test } from 'bun:test'
import { paged } from '../support/paged'
import { makeNotesWorld, readerOf } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

let ids = 0

/** A caller with a workspace of its own, and what the tests do there. */
function stranger() {
  const me = readerOf(world, world.stranger())
  return {
    ...me,
    /** Creates a note and gives its id. Ids grow from note to note. */
    async note(title: string, body = '', more: object = {}): Promise<string> {
      const made = await me.call('POST', '', { id: newId(), title, body, ...more })
      expect(made.status).toBe(201)
      return made.body.id
    },
    etag: async (id: string) => (await me.call('GET', `/${id}`)).headers.get('etag'),
    backlinkIds: async (id: string, query = ''): Promise<string[]> =>
      (await me.backlinks(id, query)).map(({ note_id }: { note_id: string }) => note_id),
    changes: async () => (await world.call(me.as, 'GET', '/api/changes')).body,
  }
}

const newId = () => `01890000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`

describe('a rename', () => {
  test('rewrites the links as the example of the docs shows', async () => {
    const me = stranger()
    const a = await me.note('Trip')
    const b = await me.note('B', 'see [[trip]], [[Trip|the plan]], [[Trip#Costs]] and `[[Trip]]`')
    for (let i = 0; i < 3; i++) await me.patch(a, { body: `${i}` })
    const renamed = await me.call('PATCH', `/${a}`, { title: 'Berlin trip' }, { 'If-Match': '"4-0"' })
    expect([renamed.status, renamed.headers.get('x-links-updated')]).toEqual([200, '1'])
    expect(await me.get(b)).toMatchObject({
      revision: 2,
      body: 'see [[Berlin trip]], [[Berlin trip|the plan]], [[Berlin trip#Costs]] and `[[Trip]]`',
      links: { out: 1, unresolved: 1, in: 0 },
    })
    expect(renamed.body).toMatchObject({ revision: 5, links: { out: 0, unresolved: 0, in: 1 } })
    expect((await me.changes()).items.map(({ id }: { id: string }) => id)).toEqual([a, b])
  })

  test('leaves code, comments and the links to others byte for byte', async () => {
    const me = stranger()
    const trip = await me.note('Trip')
    await me.note('Other')
    const rest = (link: string) =>
      `\`[[Trip]]\`\r\n<!-- [[Trip]] --> %%[[Trip]]%% [[Other]] [[Nothing|Trip]] \\[[Trip]] [x](Trip)\r\n\r\n    [[Trip]]\r\n\r\n~~~\n[[Trip]]\n~~~\n\u{1f682}![[${link}#A |b]]\t[[ ${link}]]\n`
    const b = await me.note('B', rest('Trip'))
    expect((await me.patch(trip, { title: 'Tour' })).headers.get('x-links-updated')).toBe('1')
    expect(await me.body(b)).toBe(rest('Tour'))
  })

  test('does nothing to links that do not lead to the note, whatever they say', async () => {
    const me = stranger()
    const root = await me.note('Trip')
    await me.note('Trip', '', { folder: 'Work' })
    const inWork = await me.note('C', '[[Trip]] [[Work/Trip]]', { folder: 'Work' })
    const outside = await me.note('D', '[[Trip]]')
    expect((await me.patch(root, { title: 'Tour' })).headers.get('x-links-updated')).toBe('1')
    expect([await me.body(inWork), await me.body(outside)]).toEqual(['[[Trip]] [[Work/Trip]]', '[[Tour]]'])
  })

  test('spells a path as a path, moves it with the folder, and leaves titles that still lead there', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '', { folder: 'Work' })
    const b = await me.note('B', '[[Work/Trip]] [[Trip]] [[work/trip#x|y]]')
    expect((await me.patch(trip, { folder: 'Home/Plans' })).headers.get('x-links-updated')).toBe('1')
    expect(await me.body(b)).toBe('[[Home/Plans/Trip]] [[Trip]] [[Home/Plans/Trip#x|y]]')
    await me.patch(trip, { folder: null, title: 'Tour' })
    expect(await me.body(b)).toBe('[[Tour]] [[Tour]] [[Tour#x|y]]')
    expect(await me.targets(b)).toEqual([trip, trip, trip])
  })

  test('leaves ids and aliases as they are, but for an alias that goes with the title', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '', { properties: { aliases: ['Voyage', 'Outing'] } })
    const b = await me.note('B', `[[note:${trip}]] [[note:${trip}|old]] [[voyage]]`)
    const c = await me.note('C', '[[outing]]')
    const renamed = await me.patch(trip, { title: 'Tour', properties: { aliases: 'Voyage' } })
    expect(renamed.headers.get('x-links-updated')).toBe('1')
    expect(await me.get(b)).toMatchObject({ revision: 1, body: `[[note:${trip}]] [[note:${trip}|old]] [[voyage]]` })
    expect(await me.body(c)).toBe('[[Tour]]')
  })

  test.each([
    ['a bracket', 'Trip [old]', 'Trip (old)'],
    ['a bar', 'Trip | old', 'Trip | old'],
    ['a number sign', 'Trip #2', 'Trip #2'],
    ['a caret', 'Trip^2', 'Trip^2'],
  ])('to a title with %s writes the id', async (_, title, display) => {
    const me = stranger()
    const trip = await me.note('Trip')
    const b = await me.note('B', '[[Trip]] [[Trip|x]] ![[Trip#C]]')
    await me.patch(trip, { title })
    const id = `note:${trip}`
    expect(await me.body(b)).toBe(`[[${id}|${display}]] [[${id}|x]] ![[${id}#C|${display}]]`)
    expect(await me.targets(b)).toEqual([trip, trip, trip])
  })

  test('to a title that would lead elsewhere writes the path, only where it would, or the id where that does too', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '', { folder: 'Home' })
    const tour = await me.note('Tour', '', { folder: 'Work' })
    const inWork = await me.note('C', '[[Trip]]', { folder: 'Work' })
    const inHome = await me.note('D', '[[Trip]] [[Tour]]', { folder: 'Home' })
    expect(await me.targets(inHome)).toEqual([trip, tour])
    await me.patch(trip, { title: 'Tour' })
    expect([await me.body(inWork), await me.body(inHome)]).toEqual(['[[Home/Tour]]', '[[Tour]] [[Tour]]'])
  })

  test('does not break a table, nor turn the text around a link into code or a comment', async () => {
    const me = stranger()
    const trip = await me.note('Trip')
    const table = await me.note('T', '| a | b |\n|---|---|\n| [[Trip]] | [[Trip\\|x]] |\n')
    const code = await me.note('C', 'a ` b [[Trip]] [[Trip|x]]')
    await me.patch(trip, { title: 'Trip #2' })
    const id = `note:${trip}`
    expect(await me.body(table)).toBe(`| a | b |\n|---|---|\n| [[${id}\\|Trip #2]] | [[${id}\\|x]] |\n`)
    await me.patch(trip, { title: 'Trip' })
    const plain = await me.note('D', 'a ` b [[Trip]] [[Trip|x]]')
    await me.patch(trip, { title: 'Trip` %% x' })
    expect([await me.body(code), await me.body(plain)]).toEqual([
      `a \` b [[${id}|Trip #2]] [[${id}|x]]`,
      `a \` b [[${id}]] [[${id}|x]]`,
    ])
    expect(await me.targets(plain)).toEqual([trip, trip])
  })

  test('rewrites what the note says of itself, unless a new body comes along', async () => {
    const me = stranger()
    const trip = await me.note('Trip', 'I am [[Trip]]')
    const renamed = await me.patch(trip, { title: 'Tour' })
    expect(renamed.body).toMatchObject({ revision: 2, body: 'I am [[Tour]]', links: { out: 1, unresolved: 0, in: 1 } })
    expect(renamed.headers.get('x-links-updated')).toBe('1')
    const both = await me.patch(trip, { title: 'Walk', body: '[[Tour]]' })
    expect(both.body).toMatchObject({ revision: 3, body: '[[Tour]]', links: { out: 1, unresolved: 1, in: 0 } })
  })

  test('with update_links=false leaves the links, which then lead nowhere', async () => {
    const me = stranger()
    const trip = await me.note('Trip')
    const b = await me.note('B', '[[Trip]]')
    const renamed = await me.patch(trip, { title: 'Tour' }, '?update_links=false')
    expect([renamed.status, renamed.headers.get('x-links-updated')]).toEqual([200, '0'])
    expect(await me.get(b)).toMatchObject({ revision: 1, body: '[[Trip]]', links: { out: 1, unresolved: 1, in: 0 } })
    expect((await me.patch(trip, { title: 'T' }, '?update_links=no')).status).toBe(400)
  })

  test('that would make a note outgrow 1 MiB is refused, and nothing is changed', async () => {
    const me = stranger()
    const trip = await me.note('Trip')
    const small = await me.note('A', '[[Trip]]')
    await me.note('B', `[[Trip]]${'x'.repeat(1024 * 1024 - 8)}`)
    const before = await me.changes()
    const refused = await me.patch(trip, { title: 'Longer trip' })
    expect([refused.status, refused.body.code]).toEqual([409, 'rewrite_impossible'])
    expect([await me.body(small), (await me.get(trip)).title]).toEqual(['[[Trip]]', 'Trip'])
    expect(await me.targets(small)).toEqual([trip])
    expect(await me.changes()).toEqual(before)
    expect((await me.patch(trip, { title: 'Trap' })).status).toBe(200)
  })
})

describe('a link leads', () => {
  test('to an id, a full path, a title in its folder, a title, an alias, in this order', async () => {
    const me = stranger()
    const alias = await me.note('Other', '', { properties: { aliases: 'a/trip' } })
    const from = await me.note('From', '[[A/Trip]]', { folder: 'B' })
    expect(await me.targets(from)).toEqual([alias])
    const title = await me.note('A/Trip')
    expect(await me.targets(from)).toEqual([title])
    const inFolder = await me.note('A/Trip', '', { folder: 'B' })
    expect(await me.targets(from)).toEqual([inFolder])
    const path = await me.note('Trip', '', { folder: 'A' })
    expect(await me.targets(from)).toEqual([path])
    const byId = await me.note('By id', `[[note:${path}]] [[NOTE:${path.toUpperCase()}]] [[note:${newId()}]]`)
    await me.note(`note:${path}`)
    expect(await me.targets(byId)).toEqual([path, path, null])
    await me.call('DELETE', `/${path}`)
    expect(await me.targets(from)).toEqual([inFolder])
  })

  test('without regard to case, to how accents are written and to how white space is joined', async () => {
    const me = stranger()
    const note = await me.note('Caf\u00e9  Stra\u00dfe', '', { folder: 'W\u00f6rk' })
    const from = await me.note('From', '[[CAFE\u0301 STRASSE]] [[ w\u00d6rk/caf\u00e9\tstrasse ]]')
    expect(await me.targets(from)).toEqual([note, note])
  })

  test('of several to the one in the shortest folder path, then to the oldest, and says that it is ambiguous', async () => {
    const me = stranger()
    // The oldest of all lies deepest.
    const deep = await me.note('Trip', '', { folder: 'A/B' })
    const [early, late] = [newId(), newId()]
    const from = await me.note('From', '[[Trip]] [[Solo]]')
    await me.note('Solo')
    expect(await me.links(from)).toMatchObject([{ note_id: deep, ambiguous: false }, { ambiguous: false }])
    await me.note('Trip', '', { folder: 'C', id: late })
    expect((await me.links(from))[0]).toMatchObject({ note_id: late, ambiguous: true })
    await me.note('Trip', '', { folder: 'D', id: early })
    expect((await me.links(from))[0]).toMatchObject({ note_id: early, ambiguous: true })
    const root = await me.note('Trip')
    // A title in the link's own folder comes before the others, so it is not ambiguous.
    expect((await me.links(from))[0]).toMatchObject({ note_id: root, ambiguous: false })
  })

  test('to a title in its folder, not to one that only begins like a folder', async () => {
    const me = stranger()
    await me.note('B/C', '', { folder: 'A' })
    const beside = await me.note('C', '', { folder: 'A/B' })
    const from = await me.note('From', '[[C]] [[A/B/C]]', { folder: 'A/B' })
    expect(await me.links(from)).toMatchObject([
      { note_id: beside, ambiguous: false },
      { note_id: expect.not.stringContaining(beside), ambiguous: true },
    ])
  })

  test('to archived notes, not to the trash, and again after a restore', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '', { archived_at: '2026-01-01T00:00:00.000Z' })
    const from = await me.note('From', '[[Trip]]')
    expect(await me.targets(from)).toEqual([trip])
    await me.call('DELETE', `/${trip}`)
    expect(await me.targets(from)).toEqual([null])
    expect((await me.get(from)).links).toEqual({ out: 1, unresolved: 1, in: 0 })
    const restored = await me.call('POST', `/${trip}/restore`)
    expect(restored.body.links).toEqual({ out: 0, unresolved: 0, in: 1 })
    expect(await me.targets(from)).toEqual([trip])
    await me.call('DELETE', `/${trip}?permanent=true`)
    expect(await me.targets(from)).toEqual([null])
  })
})

describe('the lists', () => {
  test('of links tell what stands where, in code points', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '## costs')
    const body = '\u{1f682} [[#Here]] ![[trip#Costs|x]] `[[no]]` [[Gone]]'
    const from = await me.note('From', body)
    const none = { heading: null, alias: null, embed: false, attachment_id: null, ambiguous: false, missing: null }
    expect(await me.links(from)).toEqual([
      { ...none, target: '', heading: 'Here', note_id: from, missing: 'heading', start: 2, end: 11 },
      { ...none, target: 'trip', heading: 'Costs', alias: 'x', embed: true, note_id: trip, start: 12, end: 29 },
      { ...none, target: 'Gone', note_id: null, missing: 'note', start: 39, end: 47 },
    ])
    expect((await me.get(from)).links).toEqual({ out: 2, unresolved: 2, in: 0 })
  })

  test('of links and backlinks go page by page', async () => {
    const me = stranger()
    const hub = await me.note('Hub', Array.from({ length: 7 }, (_, i) => `[[T${i}]]`).join('\n'))
    const from: string[] = []
    for (let i = 0; i < 7; i++) from.push(await me.note(`F${i}`, 'the hub: [[hub]]'))
    for (const [list, member, all] of [
      ['links', 'target', Array.from({ length: 7 }, (_, i) => `T${i}`)],
      ['backlinks', 'note_id', from],
    ] as const) {
      const seen = await paged((to) => me.call('GET', to), `/${hub}/${list}?limit=3`)
      expect(seen.map((item) => item[member])).toEqual([...all])
    }
    const { body } = await me.call('GET', `/${hub}/links?limit=1`)
    expect((await me.call('GET', `/${hub}/backlinks?cursor=${body.next_cursor}`)).body.code).toBe('invalid_cursor')
  })

  test('of backlinks show the line around the link, with every link in it', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '', { properties: { aliases: ['Tour'] } })
    const from = await me.note('From', `first\n  - \u{1f682} see [[Trip]] or [[tour|that]], not [[x]]\nlast [[Trip]]`)
    const long = await me.note('Long', `${'a'.repeat(500)} [[Trip]] ${'b'.repeat(500)}`)
    const [one, two] = await me.backlinks(trip)
    expect(one).toEqual({
      note_id: from,
      title: 'From',
      text: '- \u{1f682} see [[Trip]] or [[tour|that]], not [[x]]',
      ranges: [
        [8, 16],
        [20, 33],
      ],
    })
    expect(two.note_id).toBe(long)
    expect([...two.text].slice(...two.ranges[0]).join('')).toBe('[[Trip]]')
    expect([...two.text].length).toBeLessThanOrEqual(240)
  })

  test('of mentions show plain text only, as whole words', async () => {
    const me = stranger()
    const trip = await me.note('Caf\u00e9 trip', 'A caf\u00e9 trip of my own')
    const plain = await me.note('Plain', 'about the CAF\u00c9  trip, and [[Caf\u00e9 trip]]')
    const decomposed = await me.note('Decomposed', 'about the cafe\u0301 trip')
    await me.note('Link', '[[Caf\u00e9 trip]] `Caf\u00e9 trip` <!-- Caf\u00e9 trip -->')
    await me.note('Part', 'Caf\u00e9 trips')
    await me.note('Other words', 'trip to a caf\u00e9')
    expect(await me.backlinks(trip, '?unlinked=true')).toEqual([
      { note_id: plain, title: 'Plain', text: 'about the CAF\u00c9  trip, and [[Caf\u00e9 trip]]', ranges: [[10, 20]] },
      { note_id: decomposed, title: 'Decomposed', text: 'about the cafe\u0301 trip', ranges: [[10, 20]] },
    ])
    const first = await me.call('GET', `/${trip}/backlinks?unlinked=true&limit=1`)
    const second = await me.call('GET', `/${trip}/backlinks?unlinked=true&limit=1&cursor=${first.body.next_cursor}`)
    expect([first, second].map(({ body }) => body.items[0].note_id)).toEqual([plain, decomposed])
    expect(await me.backlinks(await me.note('"++" OR NOT*'), '?unlinked=true')).toEqual([])
  })

  test('of unresolved targets show the most wanted first, page by page', async () => {
    const me = stranger()
    const from: string[] = []
    for (let i = 0; i < 7; i++)
      from.push(await me.note(`F${i}`, `[[MANY]] [[many]]${i < 2 ? ' [[Two]] [[b]]' : ''}${i === 6 ? ' [[One]]' : ''}`))
    const all = [
      { target: 'MANY', kind: 'note', heading: null, count: 7, note_ids: from.slice(0, 5) },
      { target: 'b', kind: 'note', heading: null, count: 2, note_ids: from.slice(0, 2) },
      { target: 'Two', kind: 'note', heading: null, count: 2, note_ids: from.slice(0, 2) },
      { target: 'One', kind: 'note', heading: null, count: 1, note_ids: from.slice(6) },
    ]
    expect(await me.unresolved()).toEqual(all)
    expect(await paged((to) => me.call('GET', to), '/unresolved?limit=1')).toEqual(all)
  })

  test('go on from targets as long as a path can be; what is longer names nothing', async () => {
    const me = stranger()
    const longest = '\u{10000}'.repeat(1013)
    await me.note('From', `[[${longest}]] [[b]] [[${longest}x]]`)
    const first = await me.call('GET', '/unresolved?limit=1')
    expect(first.body.items[0].target).toBe('b')
    const second = await me.call('GET', `/unresolved?limit=1&cursor=${first.body.next_cursor}`)
    expect(second.body).toMatchObject({ items: [{ target: longest }], next_cursor: null })
  })

  test('of a note in the trash are empty, and it counts nothing', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '[[Other]] [[Gone]]')
    const other = await me.note('Other', '[[Trip]]')
    await me.call('DELETE', `/${trip}`)
    expect((await me.get(trip)).links).toEqual({ out: 0, unresolved: 0, in: 0 })
    expect([await me.links(trip), await me.backlinks(trip), await me.backlinks(other)]).toEqual([[], [], []])
    expect((await me.unresolved()).map(({ target }: { target: string }) => target)).toEqual(['Trip'])
  })

  test('refuse what they do not know', async () => {
    const me = stranger()
    const id = await me.note('A')
    for (const query of ['links?limit=0', 'links?x=1', 'backlinks?unlinked=yes', 'backlinks?cursor=x'])
      expect((await me.call('GET', `/${id}/${query}`)).status).toBe(400)
    expect((await me.call('GET', `/${newId()}/links`)).status).toBe(404)
    expect((await me.call('GET', '/nonsense/backlinks')).status).toBe(400)
    expect((await me.call('GET', '/unresolved?cursor=x')).body.code).toBe('invalid_cursor')
  })
})

describe('the ETag', () => {
  test('grows in its second half with what others change, and an editor may still save', async () => {
    const me = stranger()
    const trip = await me.note('Trip', '[[Other]]')
    expect(await me.etag(trip)).toBe('"1-0"')
    const from = await me.note('From', '[[Trip]]')
    expect(await me.etag(trip)).toBe('"1-1"')
    const other = await me.note('Other')
    expect(await me.etag(trip)).toBe('"1-2"')
    await me.note('Unrelated', '[[From]]')
    expect(await me.etag(trip)).toBe('"1-2"')
    await me.patch(from, { body: '[[Trip]] twice [[Trip]]' })
    expect(await me.etag(trip)).toBe('"1-2"')
    expect((await me.changes()).items.find(({ id }: { id: string }) => id === trip)).toMatchObject({
      seq: 1,
      revision: 1,
    })
    expect((await me.call('GET', `/${trip}`, undefined, { 'If-None-Match': '"1-0"' })).status).toBe(200)
    expect((await me.call('GET', `/${trip}`, undefined, { 'If-None-Match': '"1-2"' })).status).toBe(304)
    const saved = await me.call('PATCH', `/${trip}`, { body: 'x' }, { 'If-Match': '"1-0"' })
    expect([saved.status, saved.headers.get('etag')]).toEqual([200, '"2-2"'])
    expect(await me.etag(other)).toBe('"1-1"')
  })
})

describe('limits', () => {
  const links = (count: number, suffix = '') => Array.from({ length: count }, (_, i) => `[[${i}${suffix}]]`).join(' ')

  test('10,000 links are stored, one more is refused', async () => {
    const me = stranger()
    const most = await me.note('Most', links(10_000))
    expect((await me.get(most)).links).toEqual({ out: 10_000, unresolved: 10_000, in: 0 })
    const refused = await me.call('POST', '', { body: links(10_001) })
    expect([refused.status, refused.body.code]).toEqual([400, 'too_many_links'])
    const changed = await me.patch(most, { body: '[[a]]'.repeat(10_001) })
    expect([changed.status, changed.body.code]).toEqual([400, 'too_many_links'])
    expect((await me.get(most)).revision).toBe(1)
  })

  test('hold for each way to write a note', async () => {
    const me = stranger()
    const id = await me.note('Few', '[[a]]')
    const body = links(10_001)
    const edits = { edits: [{ op: 'append', target: { heading: ['Log'] }, content: body, create_missing: true }] }
    const day = '/daily/2026-03-02'
    await me.call('PUT', day, { body: '' })
    for (const refused of [
      await me.call('POST', `/${id}/edits`, edits),
      await me.call('PUT', day, { body }),
      await me.call('POST', `${day}/edits`, edits),
      await me.call('POST', '/batch', { ops: [{ op: 'create', data: { body } }] }),
    ])
      expect([refused.status, refused.body.code]).toEqual([400, 'too_many_links'])
  })
})
