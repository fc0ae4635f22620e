import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readDirectory, readEntryBytes, toZipSource } from '../../../src/lib/zip/read'
import { ZIP_LIMITS } from '../../../src/notes/import/zip-file'
import { paged } from '../../support/paged'
import { MANY_CALLERS, makeKey, makeWorld } from '../../support/world'
import { type Entry, zipOf, zipOfTexts } from '../../support/zip'

const MIB = 1024 * 1024
const world = await makeWorld({ settings: { ...MANY_CALLERS, IMPORT_BYTES: `${64 * MIB}` } })
const base = world.listen()
afterAll(world.close)

interface Report {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly body: any
}

let keys = 0

/** A caller with a workspace of its own, over a real socket. */
function stranger() {
  const me = { key: makeKey(++keys) }
  const headers = { 'X-API-Key': me.key }
  const get = async (path: string) => (await fetch(base + path, { headers })).json() as Promise<Report['body']>
  return {
    me,
    get,
    async import(
      file: Uint8Array<ArrayBuffer> | ReadableStream | string,
      query = '',
      type = 'application/zip',
      more: Record<string, string> = {},
    ): Promise<Report> {
      const response = await fetch(`${base}api/notes/import${query}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': type, ...more },
        body: file,
      })
      return { status: response.status, headers: response.headers, body: await response.json() }
    },
    async export(query = ''): Promise<Uint8Array<ArrayBuffer>> {
      return new Uint8Array(await (await fetch(`${base}api/notes/export${query}`, { headers })).arrayBuffer())
    },
    /** Every note, whole, by its title. */
    notes: () =>
      paged(
        async (to) => ({ status: 200, body: await get(to) }),
        'api/notes?sort=title&include=body&archived=any&limit=200',
      ),
    create: async (note: object) => (await world.call(me, 'POST', '/api/notes', note)).body,
    patch: async (id: string, patch: object) => (await world.call(me, 'PATCH', `/api/notes/${id}`, patch)).body,
    seq: async () => (await get('api/changes?since=0&limit=1')).latest_seq,
    usage: async () => (await get('api/usage')).workspace,
  }
}

const totals = (sums: object) => ({ created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, ...sums })
const actions = ({ body }: Report) => body.items.map(({ action }: { action: string }) => action)
const codes = ({ body }: Report) =>
  body.items.map(({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code).join())

describe('an import', () => {
  test('reports on each entry and makes the notes, found by their words', async () => {
    const who = stranger()
    const report = await who.import(
      zipOfTexts({
        'Work/Trip.md':
          '---\ntags: [travel]\ncreated: 2020-01-02\nupdated: 2021-01-02\ncolor: red\n---\nTrain to Zürich #fast\n',
        'x.png': '',
      }),
    )
    expect(report.status).toBe(200)
    const [note] = await who.notes()
    const source = { system: 'markdown', id: 'Work/Trip.md' }
    const told = { action: 'created', warnings: [] }
    expect(report.body).toMatchObject({
      kind: 'notes',
      dry_run: false,
      format: 'markdown',
      state: 'done',
      totals: totals({ created: 2 }),
      resources: { note: totals({ created: 1 }), attachment: totals({ created: 1 }) },
      items: [
        { ...told, where: 'Work/Trip.md', type: 'note', source, id: note.id },
        { ...told, where: 'x.png', type: 'attachment', source: null, id: expect.any(String) },
      ],
    })
    expect(note).toMatchObject({
      revision: 1,
      title: 'Trip',
      folder: 'Work',
      tags: ['travel'],
      inline_tags: ['fast'],
      body: 'Train to Zürich #fast\n',
      properties: { color: 'red' },
      created_at: '2020-01-02T00:00:00.000Z',
      updated_at: '2021-01-02T00:00:00.000Z',
      source,
    })
    expect((await who.get('api/notes?tag=fast')).items).toHaveLength(1)
    expect((await who.get('api/changes?since=0')).items).toMatchObject([
      { type: 'note', id: note.id, op: 'upsert', revision: 1 },
      { type: 'attachment', op: 'upsert', revision: 1 },
    ])
  })

  test('of one Markdown file names the note by its text', async () => {
    const who = stranger()
    expect((await who.import('# Hello\n\nworld', '?folder=In/Box', 'text/markdown')).body.totals).toEqual(
      totals({ created: 1 }),
    )
    expect((await who.import('# Hello\n\nworld', '?folder=In/Box', 'text/markdown')).body.totals).toEqual(
      totals({ unchanged: 1 }),
    )
    expect(await who.notes()).toMatchObject([{ title: 'Hello', folder: 'In/Box' }])
  })

  test('of a vault of 700 notes twice makes no doubles, and other requests come between', async () => {
    const who = stranger()
    const vault = zipOf(
      Array.from({ length: 700 }, (_, i) => ({
        name: `F${i % 7}/Note ${i}.md`,
        data: `---\ntags: [a, b${i % 9}]\n---\n# Note ${i}\n\ntext\n`,
        method: 0,
      })),
    )
    const running = who.import(vault)
    let between = 0
    const done = running.then(() => true)
    while (!(await Promise.race([done, who.get('api/notes?limit=1').then(() => false)]))) between++
    expect((await running).body.totals).toEqual(totals({ created: 700 }))
    expect(between).toBeGreaterThan(10)
    const seq = await who.seq()
    expect((await who.import(vault)).body.totals).toEqual(totals({ unchanged: 700 }))
    expect([await who.seq(), (await who.usage()).resources]).toEqual([seq, 700])
  })
})

describe('a note that was imported before', () => {
  const file = (body: string) => zipOfTexts({ 'a.md': body })

  test('changed in the file alone is updated; pinned here, it still is', async () => {
    const who = stranger()
    const { id } = (await who.import(file('one'))).body.items[0]
    await who.patch(id, { pinned: true })
    expect(actions(await who.import(file('two')))).toEqual(['updated'])
    expect(await who.notes()).toMatchObject([{ id: id, body: 'two', revision: 3, pinned: true }])
  })

  test('changed here alone stays as it is', async () => {
    const who = stranger()
    const { id } = (await who.import(file('one'))).body.items[0]
    await who.patch(id, { body: 'mine' })
    expect(actions(await who.import(file('one')))).toEqual(['unchanged'])
    expect(await who.notes()).toMatchObject([{ body: 'mine', revision: 2 }])
  })

  test('changed on both sides alike is unchanged, and known from then on', async () => {
    const who = stranger()
    const { id } = (await who.import(file('one'))).body.items[0]
    await who.patch(id, { body: 'two' })
    expect(actions(await who.import(file('two')))).toEqual(['unchanged'])
    expect(actions(await who.import(file('three')))).toEqual(['updated'])
  })

  test('changed on both sides is skipped, overwritten or copied, as asked', async () => {
    const conflicted = async (query: string) => {
      const who = stranger()
      const { id } = (await who.import(file('one'))).body.items[0]
      await who.patch(id, { body: 'mine' })
      const report = await who.import(file('theirs'), query)
      return { who, id, report, again: await who.import(file('theirs'), query) }
    }
    const skip = await conflicted('')
    expect([actions(skip.report), codes(skip.report), actions(skip.again)]).toEqual([
      ['skipped'],
      ['conflict'],
      ['skipped'],
    ])
    expect(await skip.who.notes()).toMatchObject([{ body: 'mine' }])

    const overwrite = await conflicted('?on_conflict=overwrite')
    expect([actions(overwrite.report), actions(overwrite.again)]).toEqual([['updated'], ['unchanged']])
    expect(await overwrite.who.notes()).toMatchObject([{ id: overwrite.id, body: 'theirs', revision: 3 }])

    expect(await overwrite.who.get(`api/notes/${overwrite.id}/revisions/2`)).toMatchObject({ body: 'mine' })

    const copy = await conflicted('?on_conflict=copy')
    expect([actions(copy.report), actions(copy.again)]).toEqual([['created'], ['unchanged']])
    const bodies = (await copy.who.notes()).map(({ body, source }) => [body, source?.id ?? null])
    expect(bodies.toSorted()).toEqual([
      ['mine', 'a.md'],
      ['theirs', null],
    ])
  })

  test('in the trash is not revived; missing from the file it is not deleted', async () => {
    const who = stranger()
    const { id } = (await who.import(zipOfTexts({ 'a.md': 'x', 'b.md': 'y' }))).body.items[0]
    await world.call(who.me, 'DELETE', `/api/notes/${id}`)
    const report = await who.import(zipOfTexts({ 'a.md': 'new' }))
    expect([actions(report), codes(report)]).toEqual([['skipped'], ['in_trash']])
    expect(await who.notes()).toMatchObject([{ title: 'b' }])
  })
})

describe('a note that is refused once it is written', () => {
  /** A note may hold 10,000 links. */
  const refused = `---\nid: 01900000-0000-7000-8000-00000000bbbb\n---\n${'[[a]] '.repeat(10_001)}`
  const id = '---\nid: 01900000-0000-7000-8000-00000000aaaa\n---\n'
  const files = zipOfTexts({ 'a.md': `${id}one [[c]]`, 'b.md': refused, 'c.md': 'three', 'd.md': `${id}four` })

  test('leaves nothing of itself, and those beside it as they would be without it', async () => {
    const [who, other] = [stranger(), stranger()]
    const report = await who.import(files)
    expect([actions(report), codes(report)]).toEqual([
      ['created', 'failed', 'created', 'failed'],
      ['', 'too_many_links', '', 'duplicate'],
    ])
    await other.import(zipOfTexts({ 'a.md': `${id}one [[c]]`, 'c.md': 'three' }))
    const told = (note: Record<string, unknown>) => ({ ...note, id: '', created_at: '', updated_at: '' })
    expect((await who.notes()).map(told)).toEqual((await other.notes()).map(told))
    const held = ({ resources, size_bytes }: Record<string, unknown>) => ({ resources, size_bytes })
    expect(held(await who.usage())).toEqual(held(await other.usage()))
  })
})

describe('a dry run', () => {
  test('reports what the real run then does, and changes nothing', async () => {
    const who = stranger()
    const files = Array.from({ length: 230 }, (_, i): Entry => ({ name: `${i}.md`, data: `${i}` }))
    const [first] = (await who.import(zipOf(files.slice(0, 40)))).body.items
    await who.patch(first.id, { body: 'mine' })
    const changed = zipOf([
      ...files.map((entry, i): Entry => (i < 3 || i === 150 ? { ...entry, data: 'theirs' } : entry)),
      { name: 'bad.md', data: '---\ntags: [a]\n---\n', crc: 1 },
      { name: 'long.md', data: 'x'.repeat(1024 * 1024 + 1), method: 0 },
      { name: 'x.png' },
    ])
    const before = [await who.seq(), await who.usage(), await who.notes()]
    const dry = await who.import(changed, '?dry_run=true')
    expect([await who.seq(), await who.usage(), await who.notes()]).toEqual(before)
    const real = await who.import(changed)
    const told = ({ where, type, action, warnings }: Record<string, unknown>) => ({ where, type, action, warnings })
    expect([dry.body.dry_run, dry.body.totals]).toEqual([true, real.body.totals])
    expect(dry.body.items.map(told)).toEqual(real.body.items.map(told))
    expect(real.body.totals).toEqual({ created: 191, updated: 2, unchanged: 37, skipped: 1, failed: 2 })
  })

  test('foresees where the quota ends, over more than one group', async () => {
    const files = zipOf(Array.from({ length: 250 }, (_, i) => ({ name: `${i}.md`, data: `${i}` })))
    const send = async (query: string) => {
      const response = await fetch(`${base}api/notes/import${query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/zip' },
        body: files,
      })
      return (await response.json()) as Report['body']
    }
    const [dry, real] = [await send('?dry_run=true'), await send('')]
    expect(dry.totals).toEqual(totals({ created: 200, failed: 50 }))
    expect(real.totals).toEqual(dry.totals)
    expect(real.items.at(-1).warnings).toMatchObject([{ code: 'quota_exceeded' }])
  })
})

describe('an export', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((s) => s.isWellFormed() && !s.includes('\0'))
  const line = text.filter(
    (s) => s.trim() === s && s !== '' && !/[\p{Cc}\u2028\u2029\\/#,]/u.test(s) && !/^\.+$/.test(s),
  )
  const note = fc.record({
    title: line,
    body: fc.oneof(text, fc.constantFrom('---\na: 1\n---\n', '\ufeff\ufeffx', '\r\n', '---', '')),
    folder: fc.option(fc.array(line, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))),
    tags: fc.array(line, { maxLength: 3 }),
    pinned: fc.boolean(),
    archived_at: fc.option(fc.constant('2026-01-02T03:04:05.678Z')),
    properties: fc
      .dictionary(
        fc.oneof(text, fc.constantFrom('title', 'id', 'satchel', 'tags', '__proto__', 'pinned')),
        fc.jsonValue({ maxDepth: 3 }),
        { maxKeys: 4 },
      )
      .map((value) => JSON.parse(JSON.stringify(value))),
  })

  test('imported into an empty workspace gives the same notes, and again changes none', async () => {
    const [from, to] = [stranger(), stranger()]
    const given = fc.sample(note, { numRuns: 80, seed: 7 })
    for (const [i, one] of given.entries()) {
      world.clock.now += 1000
      const made = await from.create({ ...one, source: i % 3 === 0 ? { system: 'else', id: `${i}` } : null })
      expect(made.revision).toBe(1)
    }
    await world.call(from.me, 'PUT', '/api/notes/daily/2026-03-02', { body: 'of this day' })
    const count = given.length + 1
    const zip = await from.export()
    const report = await to.import(zip)
    expect(report.body.totals).toEqual(totals({ created: count }))
    expect(await to.get('api/notes/daily/2026-03-02')).toMatchObject({ body: 'of this day' })
    const byId = (notes: { id: string }[]) => notes.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId(await to.notes())).toEqual(byId(await from.notes()))
    expect((await to.import(zip)).body.totals).toEqual(totals({ unchanged: count }))
    expect((await from.import(zip)).body.totals).toEqual(totals({ unchanged: count }))
    expect((await to.notes()).every(({ revision }) => revision === 1)).toBe(true)
    expect(Buffer.compare(await to.export(), zip)).toBe(0)
  })

  test('of a body that shrinks to almost nothing is no bomb to an import', async () => {
    const [from, to] = [stranger(), stranger()]
    const { id } = await from.create({ title: 'X', body: 'x'.repeat(1024 * 1024) })
    expect((await to.import(await from.export())).body.totals).toEqual(totals({ created: 1 }))
    expect(await to.get(`api/notes/${id}`)).toEqual(await from.get(`api/notes/${id}`))
  })

  test('takes the filters of the list, with archived notes unless they are left out', async () => {
    const who = stranger()
    await who.create({ title: 'A', folder: 'x' })
    await who.create({ title: 'B', archived_at: '2026-01-01T00:00:00Z' })
    const names = async (query: string) =>
      readDirectory(toZipSource(await who.export(query)), ZIP_LIMITS).map(({ name }) => name)
    expect(await names('')).toEqual(['x/A.md', 'B.md'])
    expect(await names('?archived=false')).toEqual(['x/A.md'])
    expect(await names('?folder=x')).toEqual(['x/A.md'])
    expect(await names('?trashed=true')).toEqual([])
    const refused = await fetch(`${base}api/notes/export?folder_only=true`)
    expect(refused.status).toBe(400)
  })

  test('shows one moment, whatever is written while it is read', async () => {
    const who = stranger()
    for (let i = 0; i < 60; i++) await who.create({ title: `${i}`, body: 'before'.repeat(100) })
    const response = await fetch(`${base}api/notes/export`, { headers: { 'X-API-Key': who.me.key } })
    const reader = response.body?.getReader()
    const first = await reader?.read()
    for (const { id } of await who.notes()) await who.patch(id, { body: 'after' })
    const chunks = [first?.value ?? new Uint8Array()]
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) chunks.push(next.value)
    const zip = Buffer.concat(chunks)
    const bodies = readDirectory(toZipSource(zip), ZIP_LIMITS).map((entry) =>
      Buffer.from(readEntryBytes(toZipSource(zip), entry))
        .toString()
        .endsWith('before'),
    )
    expect(bodies).toEqual(Array(60).fill(true))
  })
})

describe('a file that means harm', () => {
  const megabytes = (n: number) => Buffer.alloc(n * 1024 * 1024)
  const _laugh = 'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]'
  const refused: [string, Uint8Array<ArrayBuffer>, string][] = [
    ['a flat bomb', zipOf([{ name: 'a.md', data: megabytes(64) }]), 'application/zip'],
    ['a cut archive', zipOf([{ name: 'a.md', data: 'x' }]).slice(0, -9), 'application/zip'],
    ['laughs in XML', new TextEncoder().encode('<!DOCTYPE x [<!ENTITY a "lol">]><en-export/>'), 'application/enex+xml'],
  ]

  test.each(refused)('%s is refused as a whole and changes nothing', async (_, file, type) => {
    const who = stranger()
    const { status, headers, body } = await who.import(file, '', type)
    expect([status, body.code, headers.get('content-type')]).toEqual([
      400,
      'archive_refused',
      'application/problem+json',
    ])
    expect([await who.seq(), await who.notes()]).toEqual([0, []])
  })

  test('is too large: 413 with a key past what is set, without one past 4', async () => {
    const post = (bytes: number, headers: Record<string, string>) =>
      fetch(`${base}api/notes/import`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/zip', ...headers },
        body: new Uint8Array(bytes),
      })
    const answers = [
      await post(4 * MIB + 1, {}),
      await post(4 * MIB + 1, { 'X-API-Key': stranger().me.key }),
      await post(64 * MIB + 1, { 'X-API-Key': stranger().me.key }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([413, 400, 413])
    expect(answers.map(({ headers }) => headers.get('X-RateLimit-Limit') !== null)).toEqual([true, true, true])
  })
})

describe('a request for an import', () => {
  test('that is sent slowly holds up nobody', async () => {
    const ends: (() => void)[] = []
    const slow = () => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from('# slow'))
          ends.push(() => controller.close())
        },
      })
      return stranger().import(body, '', 'text/markdown')
    }
    const running = [slow(), slow(), slow()]
    for (let i = 0; i < 3; i++) expect((await stranger().import('# quick', '', 'text/markdown')).status).toBe(200)
    for (const end of ends) end()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test.each([
    ['of another media type', 'x', '', 'application/json', 415, 'unsupported_media_type'],
    ['without a body', '', '', 'application/zip', 400, 'invalid_request'],
    ['of a format that the file cannot have', 'x', '?format=keep', 'text/markdown', 400, 'invalid_request'],
    ['of an unknown format', 'x', '?format=word', 'text/markdown', 400, 'invalid_request'],
    ['with an unknown parameter', 'x', '?foo=1', 'text/markdown', 400, 'invalid_request'],
    ['into a folder that cannot be', 'x', '?folder=../up', 'text/markdown', 400, 'invalid_request'],
  ])('%s is refused', async (_, file, query, type, status, code) => {
    const answer = await stranger().import(file, query, type)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})
