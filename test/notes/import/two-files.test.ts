import { describe, expect, test } from 'bun:test'
import { FULL } from '../../support/full'
import { recounted } from '../../support/recounted'
import { type As, MANY_CALLERS, makeWorld, stranger } from '../../support/world'
import { zipOfTexts } from '../../support/zip'

// What one archive brought, another archive does not change because its notes have the same names.

const world = recounted(await makeWorld({ settings: MANY_CALLERS }))
const base = world.listen()
const counts = (sums: object) => ({ created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, ...sums })

async function send(me: As, type: string, body: string | Uint8Array<ArrayBuffer>, query = '') {
  const headers = { 'Content-Type': type, 'X-API-Key': me.key ?? '' }
  const response = await fetch(`${base}api/notes/import?${query}`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  return response.json()
}

/** Imports an archive after a dry run with the same report; returns the totals of notes and the codes of warnings. */
async function bring(me: As, files: Readonly<Record<string, string>>, query = '') {
  const zip = zipOfTexts(files)
  const dry = await send(me, 'application/zip', zip, `${query}&dry_run=true`)
  const report = await send(me, 'application/zip', zip, query)
  expect(dry.resources).toEqual(report.resources)
  const codesOf = ({ items }: { items: { warnings: { code: string }[] }[] }) =>
    items.flatMap(({ warnings }) => warnings.map(({ code }) => code))
  expect(codesOf(dry)).toEqual(codesOf(report))
  return [report.resources.note, codesOf(report)]
}

const notes = async (me: As) => {
  const { items } = (await world.call(me, 'GET', '/api/notes?limit=200&include=body')).body
  const whole = await Promise.all(
    items.map(async ({ id }: { id: string }) => (await world.call(me, 'GET', `/api/notes/${id}`)).body),
  )
  return whole.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const WORK = { 'README.md': 'the work', 'Index.md': 'of work', 'Work/a.md': 'a', 'Work/b.md': 'b', 'Work/c.md': 'c' }
const HOME = { 'README.md': 'the home', 'Index.md': 'of home', 'Home/d.md': 'd', 'Home/e.md': 'e', 'Home/f.md': 'f' }
const MANY = FULL ? 500 : 50
const OBSIDIAN = { '.obsidian/app.json': '{}' }

const KINDS: [string, Readonly<Record<string, string>>][] = [
  ['vaults of Obsidian', OBSIDIAN],
  ['folders of Markdown', {}],
]
describe.each(FULL ? KINDS : KINDS.slice(0, 1))('two %s with notes of one path', (_, settings) => {
  const [work, home] = [
    { ...settings, ...WORK },
    { ...settings, ...HOME },
  ]
  const skipped = Object.keys(settings).length

  test('at one place: each keeps its texts, a repeat changes nothing, an edit changes its own', async () => {
    const me = stranger()
    expect((await bring(me, work))[0]).toMatchObject({ created: 5 })
    const before = await notes(me)
    const [first, codes] = await bring(me, home)
    expect(first).toEqual(counts({ created: 5, skipped }))
    expect(codes).toContain('other_file')
    const all = await notes(me)
    expect(before.map(({ id }) => all.find((note) => note.id === id)?.body)).toEqual(before.map(({ body }) => body))
    for (const files of [work, home, work])
      expect((await bring(me, files))[0]).toEqual(counts({ unchanged: 5, skipped }))
    expect(await notes(me)).toEqual(all)
    expect((await bring(me, { ...home, 'README.md': 'the new home' }))[0]).toEqual(
      counts({ updated: 1, unchanged: 4, skipped }),
    )
    const bodies = (await notes(me)).filter(({ title }) => title === 'README').map(({ body }) => body)
    expect(bodies.toSorted()).toEqual(['the new home', 'the work'])
  })

  test('at one place: half of a small archive in common does not make it the other one', async () => {
    const me = stranger()
    await bring(me, work)
    const before = await notes(me)
    const [first, codes] = await bring(me, { ...settings, 'README.md': 'the home', 'Home.md': 'h' })
    expect(first).toEqual(counts({ created: 2, skipped }))
    expect(codes).toContain('other_file')
    const all = await notes(me)
    expect(before.map(({ id }) => all.find((note) => note.id === id))).toEqual(before)
  })

  test('in two folders: a path is one within the folder of the import', async () => {
    const me = stranger()
    await bring(me, work, 'folder=A')
    const before = await notes(me)
    expect((await bring(me, work, 'folder=B'))[0]).toEqual(counts({ created: 5, skipped }))
    expect((await bring(me, work, 'folder=A'))[0]).toEqual(counts({ unchanged: 5, skipped }))
    const all = await notes(me)
    expect(all).toHaveLength(10)
    expect(before.map(({ id }) => all.find((note) => note.id === id))).toEqual(before)
  })
})

describe('a later version of a vault changes its notes', () => {
  test.each<[string, Readonly<Record<string, string>>, object]>([
    ['with some edits', { ...WORK, 'README.md': 'new', 'New.md': 'n' }, { updated: 1, unchanged: 4, created: 1 }],
    ['with edits of all', Object.fromEntries(Object.keys(WORK).map((path) => [path, 'new'])), { updated: 5 }],
    [
      'with more edits than texts that stay, and new notes',
      { ...WORK, 'README.md': '1', 'Index.md': '2', 'Work/a.md': '3', 'New.md': 'n' },
      { updated: 3, unchanged: 2, created: 1 },
    ],
    ['of which little is left', { 'README.md': 'new' }, { updated: 1 }],
    [
      'with many more notes, most of the old ones as they were',
      { ...WORK, 'README.md': '1', ...Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`${n}.md`, 'n'])) },
      { updated: 1, unchanged: 4, created: MANY },
    ],
  ])('%s', async (_, files, sums) => {
    const me = stranger()
    await bring(me, WORK)
    expect(await bring(me, files)).toEqual([counts(sums), []])
  })
})

describe('the files of two notebooks of Evernote', () => {
  const enex = (...texts: readonly (readonly [string, string, string?])[]) =>
    `<?xml version="1.0"?><en-export>${texts
      .map(
        ([title, text, created]) =>
          `<note><title>${title}</title><content><![CDATA[<en-note>${text}</en-note>]]></content>${
            created === undefined ? '' : `<created>${created}</created>`
          }</note>`,
      )
      .join('')}</en-export>`
  const importEnex = async (me: As, file: string) => (await send(me, 'application/enex+xml', file)).resources.note

  test('with notes of one title keep both: by the time of creation, or else by the text', async () => {
    const me = stranger()
    const [one, two] = [
      enex(['List', 'work'], ['Day', 'x', '20260101T000000Z']),
      enex(['List', 'home'], ['Day', 'y', '20260101T000001Z']),
    ]
    expect(await importEnex(me, one)).toEqual(counts({ created: 2 }))
    expect(await importEnex(me, two)).toEqual(counts({ created: 2 }))
    for (const file of [one, two]) expect(await importEnex(me, file)).toEqual(counts({ unchanged: 2 }))
    expect((await notes(me)).map(({ body }) => body.trim()).toSorted()).toEqual(['home', 'work', 'x', 'y'])
  })

  test('with one note in both, by tag and by notebook, have it once', async () => {
    const me = stranger()
    await importEnex(me, enex(['Day', 'x', '20260101T000000Z']))
    expect(await importEnex(me, enex(['Day', 'x, edited', '20260101T000000Z'], ['b', 'b']))).toEqual(
      counts({ created: 1, updated: 1 }),
    )
  })
})

test('two archives of Keep with notes of one title keep both: by the microsecond of creation', async () => {
  const me = stranger()
  const keep = (text: string, at: number) => ({
    'Takeout/Keep/List.json': JSON.stringify({
      title: 'List',
      textContent: text,
      isTrashed: false,
      createdTimestampUsec: at,
      userEditedTimestampUsec: at,
    }),
  })
  const [work, home] = [keep('work', 1_767_225_600_000_001), keep('home', 1_767_225_600_000_002)]
  for (const files of [work, home]) expect((await bring(me, files))[0]).toEqual(counts({ created: 1 }))
  for (const files of [work, home]) expect((await bring(me, files))[0]).toEqual(counts({ unchanged: 1 }))
  expect((await notes(me)).map(({ body }) => body).toSorted()).toEqual(['home', 'work'])
})

test('two Markdown files without names are two notes, unless they are the same', async () => {
  const me = stranger()
  const markdown = async (text: string) => (await send(me, 'text/markdown', text)).resources.note
  expect(await markdown('# List\n\nwork')).toEqual(counts({ created: 1 }))
  expect(await markdown('# List\n\nhome')).toEqual(counts({ created: 1 }))
  expect(await markdown('# List\n\nwork')).toEqual(counts({ unchanged: 1 }))
})

test('a file of one vault does not take the place of that of another', async () => {
  const me = stranger()
  await bring(me, { ...WORK, 'plan.png': 'of work' })
  const report = await send(me, 'application/zip', zipOfTexts({ ...HOME, 'plan.png': 'of home' }))
  expect(report.resources.attachment).toEqual(counts({ skipped: 1 }))
  expect(report.items.find(({ where }: { where: string }) => where === 'plan.png').warnings[0].code).toBe('conflict')
  const { items } = (await world.call(me, 'GET', '/api/notes/attachments')).body
  expect(items).toHaveLength(1)
  expect(items[0].size_bytes).toBe('of work'.length)
})
