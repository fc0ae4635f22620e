import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readDirectory, readEntryBytes, toZipSource } from '../../../src/lib/zip/read'
import { ZIP_LIMITS } from '../../../src/notes/import/zip-file'
import { archiveOf } from '../../archive/support'
import { contradictions } from '../../support/recount'
import { type As, MANY_CALLERS, makeKey, makeWorld, type Shown, stranger } from '../../support/world'
import { type Entry, zipOf } from '../../support/zip'

/** The files of a vault beside its notes: in by import, out by export, and over by the archive. */

const world = await makeWorld({ settings: { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '1000' } })
const base = world.listen().slice(0, -1)
afterAll(world.close)

const MIB = 1024 * 1024
/** Bytes that do not compress. */
const noise = (size: number, seed: number) => {
  let state = seed
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state >> 16
  })
}

async function send(me: As, path: string, entries: readonly Entry[] | Uint8Array<ArrayBuffer>) {
  const body = entries instanceof Uint8Array ? entries : zipOf(entries)
  const headers = { 'Content-Type': 'application/zip', ...(me.key === undefined ? {} : { 'X-API-Key': me.key }) }
  const response = await fetch(base + path, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  return response.json()
}

async function download(me: As, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(base + path, { headers: { 'X-API-Key': me.key ?? '' } })
  expect(response.status).toBe(200)
  return response.bytes()
}

function filesOf(zip: Uint8Array<ArrayBuffer>): Map<string, Buffer> {
  const source = toZipSource(zip)
  return new Map(
    readDirectory(source, ZIP_LIMITS).map((entry) => [entry.name, Buffer.from(readEntryBytes(source, entry))]),
  )
}

const list = async (me: As) =>
  (await (await fetch(`${base}/api/notes/attachments`, { headers: { 'X-API-Key': me.key ?? '' } })).json()).items

/** The files of a vault that are no notes. */
const VAULT: readonly { name: string; data: Uint8Array }[] = [
  { name: 'cover.png', data: noise(1000, 1) },
  { name: 'img/lisbon map.png', data: noise(300_000, 2) },
  { name: 'img/A.png', data: noise(10, 3) },
  { name: 'img/a.png', data: noise(10, 4) },
  { name: 'Travel/2024/brücke (1).jpg', data: noise(5, 5) },
  { name: 'Travel/2024/e\u0301te\u0301.pdf', data: noise(7, 6) },
  { name: 'board.canvas', data: Buffer.from('{"nodes":[]}') },
  { name: 'page.html', data: Buffer.from('<p>x') },
  { name: 'data.json', data: Buffer.from('{}') },
  { name: 'empty.txt', data: Buffer.from('') },
  { name: 'film.mp4', data: noise(3 * MIB + 77, 7) },
  { name: 'copy of film.mp4', data: noise(3 * MIB + 77, 7) },
  { name: '👩‍👩‍👧.png', data: noise(3, 8) },
]
const NOTES: readonly Entry[] = [
  { name: '.obsidian/app.json', data: '{}' },
  { name: 'Trip.md', data: '![[lisbon map.png]]' },
]

describe('a vault', () => {
  const me = { key: makeKey(900) }
  let report: Shown
  beforeAll(async () => {
    report = await send(me, '/api/notes/import', [...NOTES, ...VAULT])
  })

  test('keeps its files, which the report counts', () => {
    expect(report.resources.attachment).toMatchObject({ created: VAULT.length, failed: 0, skipped: 0 })
    expect(report.resources.note).toMatchObject({ created: 1, skipped: 1 })
  })

  test('comes out with the same files, byte for byte', async () => {
    const files = filesOf(await download(me, '/api/notes/export'))
    for (const { name, data } of VAULT) expect([name, files.get(name)?.equals(data)]).toEqual([name, true])
    expect([...files.keys()].filter((name) => !name.endsWith('.md')).toSorted()).toEqual(
      VAULT.map(({ name }) => name).toSorted(),
    )
  })

  test('a second time changes nothing; from an export of its own neither', async () => {
    const again = await send(me, '/api/notes/import', [...NOTES, ...VAULT])
    expect(again.resources.attachment).toMatchObject({ unchanged: VAULT.length, created: 0 })
    const own = await send(me, '/api/notes/import', await download(me, '/api/notes/export'))
    expect(own.resources.attachment).toMatchObject({ unchanged: VAULT.length, created: 0 })
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('of a folder exports the files of that folder; of a tag that no note has none', async () => {
    const inFolder = filesOf(await download(me, '/api/notes/export?folder=Travel'))
    expect([...inFolder.keys()].toSorted()).toEqual(
      ['Travel/2024/brücke (1).jpg', 'Travel/2024/e\u0301te\u0301.pdf'].toSorted(),
    )
    expect(filesOf(await download(me, '/api/notes/export?tag=x')).size).toBe(0)
  })

  test('goes over to another workspace in the archive, and a second merge changes nothing', async () => {
    const archive = await download(me, '/api/export?readable=false')
    const other = stranger()
    const merged = await send(other, '/api/import', archive)
    expect(merged.resources.attachment).toMatchObject({ created: VAULT.length, failed: 0 })
    expect(await list(other)).toEqual(await list(me))
    const files = filesOf(await download(other, '/api/notes/export'))
    for (const { name, data } of VAULT) expect([name, files.get(name)?.equals(data)]).toEqual([name, true])
    expect((await send(other, '/api/import', archive)).resources.attachment).toMatchObject({ unchanged: VAULT.length })
    // The same content is one file of the archive.
    expect([...filesOf(archive).keys()].filter((name) => name.startsWith('attachment/'))).toHaveLength(VAULT.length - 1)
    expect(await contradictions(world.folder)).toEqual([])
  })
})

test('an export with a filter has the files that its notes show or link to, each once, and no other', async () => {
  const me = stranger()
  const link = (name: string, body: string, tags = '#trip') => ({ name, data: `${body}\n\n${tags}\n` })
  const files = [
    'img/shown.png',
    'img/by address.png',
    'docs/linked.pdf',
    'Travel/beside.png',
    'img/other.png',
    'x.pdf',
  ]
  await send(me, '/api/notes/import', [
    link('Travel/One.md', '![[shown.png]] ![](../img/by%20address.png) [[gone.png]] [[Two]] ![[One]]'),
    link('Travel/Two.md', '![[img/shown.png|300]] [[linked.pdf]]'),
    link('Plain.md', 'img/other.png `![[other.png]]`'),
    link('Home/Other.md', '![[other.png]] [x](../x.pdf)', '#home'),
    ...files.map((name) => ({ name, data: name })),
  ])
  const exported = async (query: string) =>
    [...filesOf(await download(me, `/api/notes/export?${query}`)).keys()]
      .filter((name) => !name.endsWith('.md'))
      .toSorted()
  const linked = ['docs/linked.pdf', 'img/by address.png', 'img/shown.png']
  expect(await exported('tag=trip')).toEqual(linked)
  expect(await exported('tag=home')).toEqual(['img/other.png', 'x.pdf'])
  expect(await exported('tag=trip&title=Plain')).toEqual([])
  expect(await exported('folder=Travel&tag=trip')).toEqual(linked)
  expect(await exported('folder=Travel')).toEqual(['Travel/beside.png', ...linked])
  expect(await exported('archived=false')).toEqual(files.filter((name) => name !== 'Travel/beside.png').toSorted())
  expect(await exported('')).toEqual(files.toSorted())
  const other = stranger()
  await send(other, '/api/notes/import', await download(me, '/api/notes/export?tag=trip'))
  expect((await list(other)).map(({ name }: { name: string }) => name).toSorted()).toEqual(
    linked.map((path) => path.split('/').at(-1) ?? '').toSorted(),
  )
})

test('files go below the folder of the import, as notes do', async () => {
  const me = stranger()
  await send(me, '/api/notes/import?folder=Old', [
    { name: 'a.md', data: 'x' },
    { name: 'a.png', data: 'x' },
    { name: 'b/c.png', data: 'y' },
  ])
  expect((await list(me)).map(({ folder, name }: { folder: string; name: string }) => [folder, name])).toEqual([
    ['Old', 'a.png'],
    ['Old/b', 'c.png'],
  ])
})

test.each([
  ['skip', 'skipped', ['x.png: old']],
  ['overwrite', 'updated', ['x.png: new']],
  ['copy', 'created', ['x 11507a0e.png: new', 'x.png: old']],
])('another file at the path of one that is there: on_conflict=%s', async (onConflict, action, contents) => {
  const me = stranger()
  const vault = (data: string) => [
    { name: 'a.md', data: 'x' },
    { name: 'x.png', data },
  ]
  await send(me, '/api/notes/import', vault('old'))
  for (const expected of [action, onConflict === 'skip' ? 'skipped' : 'unchanged']) {
    const { items } = await send(me, `/api/notes/import?on_conflict=${onConflict}`, vault('new'))
    expect(items.find(({ where }: { where: string }) => where === 'x.png').action).toBe(expected)
  }
  const files = filesOf(await download(me, '/api/notes/export'))
  expect(
    [...files]
      .filter(([name]) => name.endsWith('.png'))
      .map(([name, data]) => `${name}: ${data}`)
      .toSorted(),
  ).toEqual(contents)
})

test('what cannot be taken is a line each, and the rest comes in: unsafe, broken, hidden, too large', async () => {
  const me = stranger()
  const report = await send(me, '/api/notes/import', [
    { name: 'a.md', data: 'x' },
    { name: '../up.png', data: 'x' },
    { name: 'broken.png', data: 'x', crc: 1 },
    { name: '.trash/old.png', data: 'x' },
    { name: 'large.bin', data: new Uint8Array(32 * MIB + 1), method: 0 },
    { name: 'direction\u202egnp.exe', data: 'x' },
    { name: 'good.png', data: 'x' },
  ])
  const outcomes = Object.fromEntries(
    report.items.map(({ where, action, warnings }: Shown) => [where, [action, warnings[0]?.code].join(' ').trim()]),
  )
  expect(outcomes).toEqual({
    'a.md': 'created',
    '../up.png': 'failed unsafe_name',
    'broken.png': 'failed corrupt_entry',
    '.trash/old.png': 'skipped not_a_note',
    'large.bin': 'failed too_large',
    'direction\u202egnp.exe': 'created name_changed',
    'good.png': 'created',
  })
})

test('what is over the quota of a scratch space fails as a line; notes, and files that fit, come in', async () => {
  const report = await send({}, '/api/notes/import', [
    { name: 'a.png', data: noise(200_000, 1) },
    { name: 'b.png', data: noise(300_000, 2) },
    { name: 'c.png', data: noise(200_000, 3) },
    { name: 'd.png', data: noise(200_000, 4) },
    { name: 'e.png', data: noise(20_000, 5) },
    { name: 'note.md', data: 'x' },
  ])
  const outcomes = report.items.map(({ where, action, warnings }: Shown) => [where, action, warnings[0]?.code ?? null])
  expect(outcomes).toEqual([
    ['note.md', 'created', null],
    ['a.png', 'created', null],
    ['b.png', 'failed', 'too_large'],
    ['c.png', 'created', null],
    ['d.png', 'failed', 'quota_exceeded'],
    ['e.png', 'created', null],
  ])
  expect(await contradictions(world.folder)).toEqual([])
})

test('a line of an archive whose bytes are missing or other ones fails alone', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  const line = (n: number, file: string, name = `${n}.bin`) => ({
    ...{ id: `01980000-0000-7000-8000-00000000000${n}`, revision: 1, created_at: at, updated_at: at },
    ...{ name, folder: null, file },
  })
  const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
  const attachment = [line(1, hash('one')), line(2, hash('two')), line(3, hash('three')), line(4, hash('one'), '../x')]
  const archive = archiveOf({ attachment }, [
    { name: `attachment/${hash('one')}`, data: 'one' },
    { name: `attachment/${hash('two')}`, data: 'other' },
  ])
  const report = await send(stranger(), '/api/import', archive)
  expect(report.items.map(({ action, warnings }: Shown) => [action, warnings[0]?.code ?? null])).toEqual([
    ['created', null],
    ['failed', 'invalid_value'],
    ['failed', 'missing_file'],
    ['failed', 'invalid_name'],
  ])
})

describe('the files of Google Keep', () => {
  const keep = (title: string, at: number, ...attachments: object[]) => ({
    name: `Takeout/Keep/${title}.json`,
    data: JSON.stringify({
      title,
      textContent: `text of ${title}`,
      isTrashed: title === 'Trash',
      userEditedTimestampUsec: at * 1_000_000,
      createdTimestampUsec: at * 1_000_000,
      attachments,
    }),
  })
  const TAKEOUT = [
    { name: 'Takeout/Keep/a1.jpg', data: noise(2000, 1) },
    keep(
      'Both',
      1,
      { filePath: 'a1.jpeg', mimetype: 'image/jpeg' },
      { filePath: 'v1.3gp', mimetype: 'audio/3gp' },
      { filePath: 'doc.pdf', mimetype: 'application/pdf' },
    ),
    keep('Same', 2, { filePath: 'a1.jpg', mimetype: 'image/jpeg' }),
    keep('None', 3, { filePath: 'b2.png', mimetype: 'image/png' }, { filePath: '../up.png' }, {}),
    keep('Plain', 4),
    keep('Trash', 5, { filePath: 'gone.png', mimetype: 'image/png' }),
    { name: 'Takeout/Keep/v1.3gp', data: noise(300, 2) },
    { name: 'Takeout/Keep/doc.pdf', data: noise(30, 3) },
    { name: 'Takeout/Keep/gone.png', data: noise(30, 4) },
    { name: 'Takeout/other/b2.png', data: noise(30, 5) },
    { name: 'Takeout/Keep/Both.html', data: '<p>' },
  ]

  test('come in beside the notes that show them; a second time changes nothing', async () => {
    const me = stranger()
    const dry = await send(me, '/api/notes/import?folder=Keep&dry_run=true', TAKEOUT)
    expect(await list(me)).toEqual([])
    for (const action of ['created', 'unchanged']) {
      const report = await send(me, '/api/notes/import?folder=Keep', TAKEOUT)
      if (action === 'created') expect(report.resources).toEqual(dry.resources)
      const lines = report.items.map(({ where, action, warnings }: Shown) =>
        [where.replace('Takeout/', ''), action, warnings[0]?.code ?? ''].join(' ').trim(),
      )
      expect(lines).toEqual([
        `Keep/Both.json ${action}`,
        `Keep/Same.json ${action}`,
        `Keep/None.json ${action} attachment_missing`,
        `Keep/Plain.json ${action}`,
        'Keep/Trash.json skipped trashed',
        'Keep/gone.png skipped attachment_skipped',
        'other/b2.png skipped attachment_skipped',
        'Keep/Both.html skipped not_a_note',
        `Keep/a1.jpg ${action}`,
        `Keep/v1.3gp ${action}`,
        `Keep/doc.pdf ${action}`,
      ])
    }
    const files = filesOf(await download(me, '/api/notes/export'))
    const texts = Object.fromEntries(
      [...files].map(([name, data]) => [name, String(data).replace(/^---.*?---\n+/s, '')]),
    )
    expect(texts['Keep/Both.md']?.trim()).toBe('text of Both\n\n![[a1.jpg]]\n\n![[v1.3gp]]\n\n[[doc.pdf]]')
    expect(texts['Keep/Same.md']?.trim()).toBe('text of Same\n\n![[a1.jpg]]')
    expect(texts['Keep/None.md']?.trim()).toBe('text of None')
    expect(texts['Keep/Plain.md']?.trim()).toBe('text of Plain')
    expect(files.get('Keep/a1.jpg')?.equals(noise(2000, 1))).toBe(true)
    expect(await contradictions(world.folder)).toEqual([])
  })
})

test('folders keep names that some system forbids, so that notes and files stay together', async () => {
  const me = stranger()
  const entries: readonly Entry[] = [
    { name: '.obsidian/app.json', data: '{}' },
    { name: 'What?/a "b"/Trip.md', data: '![](img/x.png) [[What?/Note]]' },
    { name: 'What?/a "b"/img/x.png', data: noise(9, 1) },
    { name: 'What?/Note.md', data: '[y](../etc./y.pdf)' },
    { name: 'etc./y.pdf', data: noise(9, 2) },
    { name: 'etc./Z.md', data: '![](y.pdf)' },
  ]
  await send(me, '/api/notes/import', entries)
  const out = filesOf(await download(me, '/api/notes/export'))
  const names = entries.slice(1).map(({ name }) => String(name))
  expect([...out.keys()].toSorted()).toEqual(names.toSorted())
})

test('folders that no program should make have safe names, the same for notes and files', async () => {
  const me = stranger()
  const [folder, safe] = ['CON/C:x/.git/\u202egpj', 'CON_/C-x/_git/-gpj']
  const headers = { 'X-API-Key': me.key }
  const query = new URLSearchParams({ name: 'x.png', folder })
  await fetch(`${base}/api/notes/attachments?${query}`, { method: 'POST', headers, body: 'x' })
  await world.call(me, 'POST', '/api/notes', { title: 'Trip', folder, body: '![](x.png)' })
  const out = filesOf(await download(me, '/api/notes/export'))
  expect([...out.keys()].toSorted()).toEqual([`${safe}/Trip.md`, `${safe}/x.png`])
  expect(await send(me, '/api/notes/import', await download(me, '/api/notes/export'))).toMatchObject({
    totals: { failed: 0 },
  })
})
