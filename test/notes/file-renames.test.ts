import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { linksOf } from '../support/obsidian'
import { paged } from '../support/paged'
import { contradictions } from '../support/recount'
import { bodyOf, FILES, mover, type Vault } from '../support/vault'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** Files of notes get other names and folders, and every link leads to the file that it led to. */

const world = await makeWorld({ settings: MANY_CALLERS })
const base = world.listen()
afterAll(world.close)

/** A new workspace with these files. */
async function start(vault: Vault) {
  const me = stranger()
  const moved = mover(world, base, me)
  const report = await moved.moveIn(vault)
  expect(report.totals).toMatchObject({ failed: 0 })
  const { call } = moved
  const files = () => paged((to) => call('GET', to), '/attachments?limit=200')
  const idOf = async (path: string) => {
    const found = (await files()).find(({ name, folder }) => [...(folder ? [folder] : []), name].join('/') === path)
    if (!found) throw new Error(`there is no ${path}`)
    return found.id
  }
  return {
    ...moved,
    me,
    files,
    idOf,
    text: async (path: string): Promise<string> => (await moved.at(path)).body,
    async add(path: string, body: string) {
      const folder = path.split('/').slice(0, -1).join('/')
      const query = new URLSearchParams({ name: path.split('/').at(-1) ?? '', ...(folder && { folder }) })
      const headers = { 'X-API-Key': me.key }
      return (await fetch(`${base}api/notes/attachments?${query}`, { method: 'POST', headers, body })).json()
    },
    /** Gives the file at a path another name or folder. */
    rename: async (path: string, body: object, query = '', headers: Record<string, string> = {}) =>
      world.call(me, 'PATCH', `/api/notes/attachments/${await idOf(path)}${query}`, body, headers),
    /** What each link of each note leads to, as HTML shows it. */
    async shown(): Promise<Record<string, (string | null)[]>> {
      const out = await moved.moveOut()
      const notes = Object.keys(out).filter((path) => path.endsWith('.md'))
      const entries = notes.map(async (path) => {
        const { id } = await moved.at(path)
        const html = await fetch(`${base}api/notes/${id}`, { headers: { 'X-API-Key': me.key, Accept: 'text/html' } })
        const ends = [...(await html.text()).matchAll(/data-(?:attachment-id|target)="([^"]*)"/g)]
        return [path, ends.map(([text, id]) => (text.startsWith('data-attachment-id') ? (id ?? '') : null))] as const
      })
      return Object.fromEntries(await Promise.all(entries))
    },
  }
}

/** What each link of a note leads to, as Obsidian reads it: the bytes of a file, or a note. */
const ends = (vault: Vault, path: string) =>
  linksOf(vault, path).map(({ leadsTo }) => (leadsTo?.endsWith('.md') ? 'note' : (vault[leadsTo ?? ''] ?? null)))

const VAULT: Vault = {
  ...FILES,
  'Work/Trip.md': [
    '![[by name.png]] ![[by name.png|300]] [[plan.pdf]] [[plan.pdf#page=3|the plan]] ![[Work/img/x y.png|a picture]]',
    '![](img/x%20y.png) ![p](<./img/x y.png> "title") [the plan](../Work/plan.pdf) ![](/root.png)',
    '![](../root.png) ![[../img/by name.png|100x50]] ![r][]',
    '',
    '| a | b |',
    '| - | - |',
    '| ![[x y.png\\|300]] | [[plan.pdf]] |',
    '',
    '[r]: ./img/x%20y.png',
  ].join('\n'),
  'Index.md': '[[Trip]] ![](Work/img/x%20y.png) ![[root.png]] ![](img/by%20name.png) `![[root.png]]` ![[gone.png]]',
}
const NOTES = ['Work/Trip.md', 'Index.md']

describe('a vault keeps its links alive, here and in Obsidian, when', () => {
  const changes: [what: string, from: string, to: object, path: string][] = [
    ['a picture gets another name', 'img/by name.png', { name: 'new (1) näme.png' }, 'img/new (1) näme.png'],
    ['a picture in a folder gets another name', 'Work/img/x y.png', { name: 'z.png' }, 'Work/img/z.png'],
    ['a picture moves', 'Work/img/x y.png', { folder: 'Away/Deep er' }, 'Away/Deep er/x y.png'],
    ['a picture moves to the root', 'img/by name.png', { folder: null }, 'by name.png'],
    ['a picture leaves the root', 'root.png', { folder: 'img' }, 'img/root.png'],
    ['a file moves and is renamed', 'Work/plan.pdf', { folder: 'Plans', name: 'Plan 100%.pdf' }, 'Plans/Plan 100%.pdf'],
  ]
  test.each(changes)('%s', async (_, from, to, path) => {
    const { rename, moveOut, shown, call } = await start(VAULT)
    const before = await shown()
    const renamed = await rename(from, to)
    expect([renamed.status, renamed.body.warnings]).toEqual([200, []])
    const out = await moveOut()
    for (const note of NOTES) expect([note, ends(out, note)]).toEqual([note, ends(VAULT, note)])
    expect(await shown()).toEqual(before)
    expect(ends(out, 'Index.md').filter((end) => end === null)).toHaveLength(1)
    const { [from]: moved, ...others } = FILES
    expect(out).toMatchObject({ ...others, [path]: moved })
    expect(Object.keys(out)).not.toContain(from)
    expect((await call('GET', '/unresolved')).body.items).toHaveLength(1)
    // Only targets change.
    const bare = (text: string) =>
      bodyOf(text)
        .replace(/!?\[\[[^|\]\\#]*/g, '[[')
        .replace(/\]\([^" )]+( [^" )]+)*/g, '](')
        .replace(/^\[r\]: .*/m, '')
    for (const note of NOTES) expect(bare(out[note] ?? '')).toBe(bare(VAULT[note] ?? ''))
    expect(await contradictions(world.folder)).toEqual([])
  })

  test.each(['Away/Deep er', 'Work/Plans', null, 'img'])('a note with pictures moves to %j', async (folder) => {
    const { call, moveOut, at, add } = await start(VAULT)
    const trip = await at('Work/Trip.md')
    const { status } = await call('PATCH', `/${trip.id}`, { folder, title: 'Voyage', file_name: 'Voyage.md' })
    expect(status).toBe(200)
    await add(folder === null ? 'new.png' : `${folder}/new.png`, 'the new picture')
    const { body } = (await call('GET', `/${trip.id}`)).body
    await call('PATCH', `/${trip.id}`, { body: `![[new.png]]\n\n${body}` })
    const out = await moveOut()
    const path = folder === null ? 'Voyage.md' : `${folder}/Voyage.md`
    expect([path, ends(out, path)]).toEqual([path, ['the new picture', ...ends(VAULT, 'Work/Trip.md')]])
    expect(ends(out, 'Index.md')).toEqual(ends(VAULT, 'Index.md'))
    expect(out).toMatchObject(FILES)
    // What led there by name, or from the root, is as it was.
    for (const kept of ['![[by name.png|300]]', '[[plan.pdf]]', '![[Work/img/x y.png|a picture]]', '![](/root.png)'])
      expect(out[path]).toContain(kept)
  })

  test('the folder of pictures is renamed', async () => {
    const { call, moveOut, shown } = await start(VAULT)
    const before = await shown()
    const renamed = await call('POST', '/folders/rename', { from: 'img', to: 'Files/Pictures' })
    expect([renamed.status, renamed.body]).toEqual([200, { notes_changed: 0, merged: false, attachments_moved: 1 }])
    expect(renamed.headers.get('x-links-updated')).toBe('2')
    const out = await moveOut()
    for (const note of NOTES) expect([note, ends(out, note)]).toEqual([note, ends(VAULT, note)])
    const { 'img/by name.png': picture, ...others } = FILES
    expect(out).toMatchObject({ ...others, 'Files/Pictures/by name.png': picture })
    expect(Object.keys(out)).toHaveLength(Object.keys(VAULT).length)
    expect(await shown()).toEqual(before)
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('a folder of notes and pictures is renamed: paths within it are as they were', async () => {
    const { call, moveOut, shown, at } = await start(VAULT)
    const before = Object.values(await shown()).toSorted()
    const renamed = await call('POST', '/folders/rename', { from: 'Work', to: 'Home/Old work' })
    expect(renamed.body).toEqual({ notes_changed: 1, merged: false, attachments_moved: 2 })
    const out = await moveOut()
    expect(ends(out, 'Home/Old work/Trip.md')).toEqual(ends(VAULT, 'Work/Trip.md'))
    expect(ends(out, 'Index.md')).toEqual(ends(VAULT, 'Index.md'))
    for (const kept of ['![](img/x%20y.png) ![p](<./img/x y.png> "title")', '![[by name.png|300]] [[plan.pdf]]'])
      expect(out['Home/Old work/Trip.md']).toContain(kept)
    expect(Object.values(await shown()).toSorted()).toEqual(before)
    // The move, and the links in it, are one revision.
    expect((await at('Home/Old work/Trip.md')).revision).toBe((await at('Index.md')).revision)
  })

  test('all that is done, one after the other, and the note is renamed', async () => {
    const { call, rename, moveOut, shown, at, add } = await start(VAULT)
    const before = await shown()
    await rename('img/by name.png', { name: 'first.png' })
    await call('POST', '/folders/rename', { from: 'Work/img', to: 'Shared/img' })
    await add('Elsewhere/very/deep/first.png', 'another picture of the same name')
    await call('PATCH', `/${(await at('Work/Trip.md')).id}`, {
      title: 'Voyage',
      file_name: 'Voyage.md',
      folder: 'Life',
    })
    await rename('Shared/img/x y.png', { folder: 'img', name: 'second.png' })
    const out = await moveOut()
    expect(ends(out, 'Life/Voyage.md')).toEqual(ends(VAULT, 'Work/Trip.md'))
    expect(ends(out, 'Index.md')).toEqual(ends(VAULT, 'Index.md'))
    const { 'Life/Voyage.md': trip, 'Index.md': index } = await shown()
    expect([trip, index]).toEqual([before['Work/Trip.md'], before['Index.md']])
  })
})

describe('each link keeps its style:', () => {
  type Case = [link: string, file: string, to: object, becomes: string, others?: string[]]
  const cases: Case[] = [
    ['![[x.png|300]]', 'img/x.png', { name: 'y.png' }, '![[y.png|300]]'],
    ['![[X.PNG]]', 'img/x.png', { name: 'y.png' }, '![[y.png]]'],
    ['![[x.png]]', 'img/x.png', { folder: 'other' }, '![[x.png]]'],
    ['![[x.png]]', 'img/x.png', { name: 'y.png' }, '![[img/y.png]]', ['A/y.png']],
    ['![[img/x.png]]', 'A/img/x.png', { folder: 'A/pics' }, '![[pics/x.png]]'],
    ['![[img/x.png]]', 'A/img/x.png', { folder: 'A/pics' }, '![[./pics/x.png]]', ['pics/x.png']],
    ['![[A/img/x.png]]', 'A/img/x.png', { folder: null }, '![[x.png]]'],
    ['![[./x.png]]', 'A/x.png', { name: 'y.png' }, '![[./y.png]]'],
    ['![[./x.png]]', 'A/x.png', { folder: 'B' }, '![[../B/x.png]]'],
    ['![[/img/x.png]]', 'img/x.png', { folder: null, name: 'y.png' }, '![[/y.png]]'],
    ['![](A/x.png)', 'A/x.png', { name: 'y.png' }, '![](A/y.png)', ['B/A/y.png']],
    ['![](x.png)', 'A/x.png', { name: 'y z.png' }, '![](y%20z.png)'],
    ['![](<x.png> "t")', 'A/x.png', { name: 'y z.png' }, '![](<y z.png> "t")'],
    ['![a](../img/x%20y.png "t")', 'img/x y.png', { folder: 'pics' }, '![a](../pics/x%20y.png "t")'],
    ['![](img/x.png)', 'img/x.png', { name: 'ä.png' }, '![](img/ä.png)'],
    ['![](img/%C3%A4.png)', 'img/ä.png', { name: 'ö.png' }, '![](img/%C3%B6.png)'],
    ['[x](x.pdf#page=2)', 'x.pdf', { name: '#1 [a].pdf' }, '[x](%231%20%5Ba%5D.pdf#page=2)'],
    ['[![](x.png)](x.png)', 'x.png', { name: 'y.png' }, '[![](y.png)](y.png)'],
    ['[[x.pdf#page=2|x]]', 'x.pdf', { name: 'y.pdf' }, '[[y.pdf#page=2|x]]'],
    ['![[gone/x.png]]', 'img/x.png', { name: 'y.png' }, '![[img/y.png]]'],
  ]
  test.each(cases)('%s of %s to %j is %s', async (link, file, to, becomes, others = []) => {
    const vault = Object.fromEntries([...others, file].map((path) => [path, path]))
    const { rename, text, shown } = await start({ ...vault, 'A/Note.md': `a ${link} b` })
    const before = await shown()
    const renamed = await rename(file, to)
    expect([await text('A/Note.md'), renamed.headers.get('x-links-updated')]).toEqual([
      `a ${becomes} b`,
      String(Number(becomes !== link)),
    ])
    expect(await shown()).toEqual(before)
  })

  test.each([
    '![[other.png]]',
    '![[gone.png]]',
    '`![[img/x.png]]` and `` ![](img/x.png) ``',
    '![](https://example.org/img/x.png)',
    '![[x.png.md]]',
    '<img src="img/x.png">',
    '%% ![[img/x.png]] %%',
  ])('%s is not touched', async (body) => {
    const { rename, at } = await start({ 'img/x.png': 'x', 'img/other.png': 'o', 'A/Note.md': body })
    const renamed = await rename('img/x.png', { name: 'y.png', folder: 'pics' })
    expect(renamed.headers.get('x-links-updated')).toBe('0')
    expect(await at('A/Note.md')).toMatchObject({ body, revision: 1 })
  })
})

describe('a link to another file', () => {
  type Rename = [from: string, to: object]
  const cases: [what: string, files: string[], bodies: Vault, renames: Rename[], after: Vault][] = [
    [
      'that the new name would take over still leads to its own',
      ['B/map.png', 'A/draft.png'],
      { 'A/Note.md': '![[map.png]] ![](map.png) ![[B/map.png]] ![[draft.png]]' },
      [['A/draft.png', { name: 'map.png' }]],
      { 'A/Note.md': '![[B/map.png]] ![](B/map.png) ![[B/map.png]] ![[map.png]]' },
    ],
    [
      'of the old name is not found by links that are rewritten',
      ['B/map.png', 'A/map.png'],
      { 'A/Note.md': '![[map.png]] ![[B/map.png]]', 'B/Note.md': '![[map.png]]' },
      [['A/map.png', { name: 'plan.png' }]],
      { 'A/Note.md': '![[plan.png]] ![[B/map.png]]', 'B/Note.md': '![[map.png]]' },
    ],
    [
      'as near as its own is not taken for it when that one is renamed',
      ['x.png', 'C/y.png'],
      { 'Note.md': '![](x.png)' },
      [
        ['x.png', { name: 'y.png', folder: 'A' }],
        ['C/y.png', { name: 'x.png', folder: null }],
      ],
      { 'Note.md': '![](y.png)' },
    ],
    [
      'that it leads to by its name alone is led to still when a file gets just its path',
      ['img/x.png', 'y.png'],
      { 'Note.md': '![[gone/x.png]]' },
      [['y.png', { name: 'x.png', folder: 'gone' }]],
      { 'Note.md': '![[img/x.png]]' },
    ],
  ]
  test.each(cases)('%s', async (_, files, bodies, renames, after) => {
    const { rename, text, shown } = await start({ ...Object.fromEntries(files.map((path) => [path, path])), ...bodies })
    const before = await shown()
    for (const [from, to] of renames) await rename(from, to)
    for (const [path, body] of Object.entries(after)) expect([path, await text(path)]).toEqual([path, body])
    expect(await shown()).toEqual(before)
  })
})

describe('a rename', () => {
  test('leaves links that cannot be written, and names their notes', async () => {
    const { rename, text, at } = await start({
      'x.png': 'x',
      'Wiki.md': '![[x.png]] and ![](x.png)',
      'Plain.md': '![](x.png)',
    })
    const renamed = await rename('x.png', { name: 'a [b] | c.png' })
    const { id } = await at('Wiki.md')
    expect(renamed.body.warnings).toMatchObject([{ code: 'links_left', detail: expect.stringContaining(id) }])
    expect([renamed.headers.get('x-links-updated'), await text('Wiki.md'), await text('Plain.md')]).toEqual([
      '2',
      '![[x.png]] and ![](a%20%5Bb%5D%20%7C%20c.png)',
      '![](a%20%5Bb%5D%20%7C%20c.png)',
    ])
  })

  test('to a name whose ending is none of a file leaves the links', async () => {
    const { rename, text } = await start({ 'x.png': 'x', 'Note.md': '![[x.png]]' })
    const renamed = await rename('x.png', { name: 'x.blend' })
    expect([renamed.body.warnings[0]?.code, await text('Note.md')]).toEqual(['links_left', '![[x.png]]'])
  })

  test.each([
    ['![[x.png]] ![](x.png)', '![[a`b%%c.png]] ![](a%60b%25%25c.png)', []],
    ['![[x.png]] and ` a tick', '![[a`b%%c.png]] and ` a tick', []],
    ['a tick ` and ![[x.png]]', 'a tick ` and ![[x.png]]', ['links_left']],
    ['100 % and `code` ![[x.png]]', '100 % and `code` ![[a`b%%c.png]]', []],
  ])('to a name with marks of code and comments changes no other text: %s', async (body, becomes, codes) => {
    const { rename, text } = await start({ 'x.png': 'x', 'Note.md': body })
    const renamed = await rename('x.png', { name: 'a`b%%c.png' })
    const warned = renamed.body.warnings.map(({ code }: { code: string }) => code)
    expect([await text('Note.md'), warned]).toEqual([becomes, [...codes]])
  })

  test('to one of two paths that links cannot tell apart leaves the links', async () => {
    const { rename, text, add } = await start({ 'x.png': 'x', 'Note.md': '![[x.png]]' })
    await add('Y.png', 'another case')
    const renamed = await rename('x.png', { name: 'y.png' })
    expect([renamed.body.warnings[0]?.code, await text('Note.md')]).toEqual(['links_left', '![[x.png]]'])
  })

  test('leaves all links with update_links=false', async () => {
    const { rename, text } = await start({ 'x.png': 'x', 'Note.md': '![[x.png]]' })
    const renamed = await rename('x.png', { name: 'y.png' }, '?update_links=false')
    expect([renamed.headers.get('x-links-updated'), await text('Note.md')]).toEqual(['0', '![[x.png]]'])
    expect((await rename('y.png', { name: 'z.png' }, '?update_links=maybe')).status).toBe(400)
  })

  test('that is refused changes no note', async () => {
    const { rename, text } = await start({ 'x.png': 'x', 'y.png': 'y', 'Note.md': '![[x.png]]' })
    expect((await rename('x.png', { name: 'y.png' })).status).toBe(409)
    expect((await rename('x.png', { name: 'z.png' }, '', { 'If-Match': '"9-0000000000000000"' })).status).toBe(412)
    expect((await rename('x.png', { name: 'z.md' })).status).toBe(400)
    expect(await text('Note.md')).toBe('![[x.png]]')
  })

  test('is one revision of each note, which can be had back, and leaves the trash alone', async () => {
    const { call, rename, at } = await start({
      'img/x.png': 'x',
      'Note.md': '![[x.png]] ![](img/x.png)',
      'Old.md': '![[x.png]]',
    })
    const [note, old] = [await at('Note.md'), await at('Old.md')]
    await call('DELETE', `/${old.id}`)
    const renamed = await rename('img/x.png', { name: 'y.png', folder: null })
    expect(renamed.headers.get('x-links-updated')).toBe('1')
    const { items } = (await call('GET', `/${note.id}/revisions`)).body
    expect(items.map(({ revision }: { revision: number }) => revision)).toContain(1)
    expect(await at('Note.md')).toMatchObject({ revision: 2, body: '![[y.png]] ![](y.png)', links: { unresolved: 0 } })
    expect((await call('POST', `/${old.id}/restore`)).body).toMatchObject({
      body: '![[x.png]]',
      links: { unresolved: 1 },
    })
  })
})

describe('a folder', () => {
  test('with a path that is taken is refused, and nothing is changed', async () => {
    const { call, idOf, moveOut } = await start({ 'A/x.png': 'one', 'B/x.png': 'two', 'A/Note.md': '![[A/x.png]]' })
    const before = await moveOut()
    const refused = await call('POST', '/folders/rename', { from: 'A', to: 'B' })
    expect([refused.status, refused.body.code, refused.body.attachment_id]).toEqual([
      409,
      'conflict',
      await idOf('A/x.png'),
    ])
    expect(await moveOut()).toEqual(before)
  })

  test('is merged with another one of other files', async () => {
    const { call, moveOut, shown } = await start({
      'A/x.png': 'one',
      'A/deep/y.png': 'three',
      'B/y.png': 'two',
      'Note.md': '![[A/x.png]] ![](A/deep/y.png) ![[B/y.png]] ![[y.png]]',
    })
    const before = await shown()
    const merged = await call('POST', '/folders/rename', { from: 'A', to: 'B' })
    expect(merged.body).toEqual({ notes_changed: 0, merged: true, attachments_moved: 2 })
    expect(await shown()).toEqual(before)
    expect(await moveOut()).toMatchObject({ 'B/x.png': 'one', 'B/y.png': 'two', 'B/deep/y.png': 'three' })
  })

  test('moves to the folder above it, where names come free as others leave', async () => {
    const { call, moveOut, shown } = await start({
      'A/A/A/x.png': 'three',
      'A/A/x.png': 'two',
      'B.md': '![[A/A/A/x.png]] ![](A/A/x.png) ![[A/A/x.png]]',
      'A/A/C.md': '![[./x.png]] ![](A/x.png)',
    })
    const before = Object.values(await shown()).toSorted()
    const moved = await call('POST', '/folders/rename', { from: 'A/A', to: 'A' })
    expect(moved.body).toEqual({ notes_changed: 1, merged: false, attachments_moved: 2 })
    expect(await moveOut()).toMatchObject({ 'A/x.png': 'two', 'A/A/x.png': 'three' })
    expect(Object.values(await shown()).toSorted()).toEqual(before)
  })

  test.each(['Nothing', 'A/x.png', 'a'])('%s, which is none, is not found', async (from) => {
    const { call } = await start({ 'A/x.png': 'one' })
    expect((await call('POST', '/folders/rename', { from, to: 'B' })).status).toBe(404)
  })
})

test('whatever is renamed, each link leads to the file that it led to', async () => {
  const folders = [null, 'A', 'A/B', 'C']
  const names = ['x.png', 'y.png', 'x y.png']
  const path = fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names))
  const toPath = ([folder, name]: readonly [string | null, string]) => (folder === null ? name : `${folder}/${name}`)
  const prefix = fc.constantFrom('', '', 'A/', 'B/', 'A/B/', './', '../', '/', '/C/', '../A/', 'gone/')
  const link = fc
    .tuple(prefix, fc.constantFrom(...names), fc.boolean())
    .map(([before, name, wiki]) => (wiki ? `![[${before}${name}|10]]` : `![](${encodeURI(before + name)})`))
  const vault = fc.record({
    files: fc.uniqueArray(path, { selector: toPath, minLength: 2, maxLength: 6 }),
    notes: fc.array(fc.tuple(fc.constantFrom(...folders), fc.array(link, { minLength: 1, maxLength: 4 })), {
      minLength: 1,
      maxLength: 3,
    }),
    renames: fc.array(fc.tuple(fc.nat(5), path, fc.boolean()), { minLength: 1, maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(vault, async ({ files, notes, renames }) => {
      const bodies = notes.map(([folder, links], i) => [toPath([folder, `N${i}.md`]), links.join(' ')])
      const {
        call,
        idOf,
        files: list,
        shown,
      } = await start({
        ...Object.fromEntries(files.map((one) => [toPath(one), toPath(one)])),
        ...Object.fromEntries(bodies),
      })
      const ids = await Promise.all(files.map((one) => idOf(toPath(one))))
      // Notes that move have other paths, but keep their names.
      const seen = async () =>
        Object.fromEntries(Object.entries(await shown()).map(([path, ends]) => [path.split('/').at(-1) ?? '', ends]))
      const before = await seen()
      for (const [nth, [folder, name], whole] of renames) {
        const id = ids[nth % ids.length] ?? ''
        const now = (await list()).find((file) => file.id === id)
        const response =
          whole && now?.folder && folder !== null
            ? await call('POST', '/folders/rename', { from: now.folder, to: folder })
            : await call('PATCH', `/attachments/${id}`, { folder, name })
        expect([200, 409]).toContain(response.status)
      }
      const after = await seen()
      // A link that led to no file may find one.
      for (const [note, ends] of Object.entries(before))
        expect([note, after[note]]).toEqual([note, ends.map((end, i) => end ?? after[note]?.[i] ?? null)])
    }),
    { numRuns: runs(10) },
  )
  expect(await contradictions(world.folder)).toEqual([])
})
