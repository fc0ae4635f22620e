import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ARCHIVE_FORMAT } from '../../src/archive/archive'
import { type Entry, zipOf } from '../support/zip'
import { archiveOf, makeArchiveWorld, NONE, noteLine, randomText, toldIn, versionLine } from './support'

/** Archives that nobody vouches for: each is refused as a whole, or its lines are, and nothing is there by half. */

const world = await makeArchiveWorld()
afterAll(world.close)

const { stranger, imported, made, call, seq, held } = world
const EMPTY = { resources: 0, size_bytes: 0 }
const good = { name: 'data/note.jsonl', data: `${JSON.stringify(noteLine())}\n` }
const manifest = (members: unknown): Entry => ({ name: 'manifest.json', data: JSON.stringify(members) })
const ours = manifest({ format: ARCHIVE_FORMAT, version: 1 })

test.each<[string, Uint8Array<ArrayBuffer>, string]>([
  ['no zip', new TextEncoder().encode('no zip at all'), 'not a whole zip'],
  ['one that is cut off', archiveOf({ note: [noteLine()] }).slice(0, -30), 'not a whole zip'],
  ['one without a manifest', zipOf([good]), 'no manifest.json'],
  ['a manifest that is no JSON', zipOf([{ name: 'manifest.json', data: '{' }, good]), 'manifest.json'],
  ['a manifest that is a list', zipOf([manifest([ARCHIVE_FORMAT, 1]), good]), 'manifest.json'],
  ['a manifest of another program', zipOf([manifest({ format: 'other', version: 1 }), good]), 'manifest.json'],
  ['another version', zipOf([manifest({ format: ARCHIVE_FORMAT, version: 2 }), good]), 'version'],
  ['no version', zipOf([manifest({ format: ARCHIVE_FORMAT }), good]), 'version'],
  ['a manifest without end', zipOf([{ ...ours, data: ' '.repeat(70_000) }, good]), 'manifest.json'],
  ['two manifests, the first of another program', zipOf([manifest({ format: 'other' }), ours, good]), 'manifest.json'],
  ['a wrong checksum', zipOf([ours, { ...good, crc: 7 }]), 'data/note.jsonl'],
  ['a data file that is a link', zipOf([ours, { ...good, mode: 0xa1ff }]), 'data/note.jsonl'],
  ['a data file that is encrypted', zipOf([ours, { ...good, flags: 0x0801 }]), 'data/note.jsonl'],
  ['a data file with two names', zipOf([ours, { ...good, localName: 'data/task.jsonl' }]), 'data/note.jsonl'],
  ['a data file that holds more than it claims', zipOf([ours, { ...good, size: 5 }]), 'data/note.jsonl'],
  ['a bomb', zipOf([ours, { ...good, data: ' '.repeat(4_000_000) }]), 'compressed size'],
  ['a bomb beside', zipOf([ours, good, { name: 'notes/x.md', data: ' '.repeat(4_000_000) }]), 'compressed size'],
  ['a claim of far too much', zipOf([ours, { ...good, size: 0xfffffff0 }]), 'compressed size'],
  ['entries that share their bytes', zipOf([ours, good, { name: 'data/x.jsonl', sameAs: 1 }]), 'overlap'],
])('%s is refused as a whole', async (_, file, words) => {
  const me = stranger()
  const { status, body } = await imported(me, file)
  expect([status, body.code]).toEqual([400, 'archive_refused'])
  expect(body.detail).toContain(words)
  expect([await seq(me), await held(me)]).toEqual([0, EMPTY])
})

test('one of which all lines but one are refused hides none of them, nor that one', async () => {
  const me = stranger()
  // Deflate packs them so tightly that most of an upload's bytes could be such lines.
  const bad = zipOf([ours, { name: 'data/task.jsonl', data: '{}\n'.repeat(10_001) }, good])
  const { status, body } = await imported(me, bad)
  expect([status, body.totals]).toEqual([200, { ...NONE, created: 1, failed: 10_001 }])
  expect([body.items.length, body.items_total]).toEqual([10_000, 10_002])
  expect((await held(me)).resources).toBe(1)
})

test.each<[string, readonly unknown[], code: string]>([
  ['JSON that is broken', ['{"id":', '{}}', '[1'], 'invalid_json'],
  ['what is no object', ['null', '7', '"x"', '[]'], 'invalid_value'],
  ['half a surrogate pair, and NUL', ['{"id":"\\ud800"}', '{"id":"\\u0000"}'], 'unstorable_text'],
  ['JSON nested too deep', ['['.repeat(70) + ']'.repeat(70)], 'invalid_json'],
  ['members of a wrong type', [{ title: 5 }, { tags: 'a' }, { body: null }, { pinned: 1 }], 'invalid_value'],
  ['a member that is not known', [{ workspace: 'another' }, { key: 1 }], 'invalid_value'],
  ['members that break sentences', [{ toString: 1 }, { title: { toString: 1 } }], 'invalid_value'],
  ['ids that are none', [{ id: '../../etc' }, { id: '1' }], 'invalid_value'],
  ['revisions that are none', [{ revision: 0 }, { revision: 1.5 }, { revision: 1e300 }], 'invalid_value'],
  ['instants that are none', [{ created_at: 'now' }, { deleted_at: '2026-02-30T00:00:00Z' }], 'invalid_instant'],
  ['a day that is none', [{ daily_date: '2026-02-30' }], 'invalid_date'],
  ['folders that lead out', [{ folder: '../up' }, { folder: '/root' }], 'invalid_folder'],
  ['a tag that is none', [{ tags: ['a,b'] }], 'invalid_tag'],
  ['too many tags', [{ tags: Array(65).fill('a') }], 'invalid_value'],
  ['a title of two lines', [{ title: 'a\nb' }], 'invalid_title'],
  ['an empty title', [{ title: '' }], 'too_short'],
  ['properties too large', [{ properties: { a: randomText(1, 70_000) } }], 'too_long'],
  ['a body too long', [{ body: randomText(2, 2 ** 20 + 1) }], 'too_long'],
  ['too many links', [{ body: Array.from({ length: 10_001 }, (_, i) => `[[${i}]]`).join() }], 'too_many_links'],
  ['a line too long', [`"${randomText(3, 8 * 2 ** 20)}"`], 'too_long'],
])('a line with %s is told of, and its neighbours are imported', async (_, lines, code) => {
  const me = stranger()
  const bad = lines.map((line) => (typeof line === 'string' ? line : noteLine({ id: second(9), ...(line as object) })))
  const { status, body } = await imported(me, archiveOf({ note: [noteLine(), ...bad, noteLine({ id: second(2) })] }))
  expect([status, body.resources.note]).toEqual([200, { ...NONE, created: 2, failed: lines.length }])
  expect(toldIn(body).map((told) => told.code)).toEqual(lines.map(() => code))
  expect(toldIn(body)[0]?.where).toBe('data/note.jsonl:2')
  expect((await held(me)).resources).toBe(2)
})

const second = (digit: number) => noteLine().id.replace(/1$/, String(digit))

test('bytes that are no UTF-8 are one line that is refused', async () => {
  const me = stranger()
  const data = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff, 0xfe]), Buffer.from(`"}\n${good.data}`)])
  const { body } = await imported(me, zipOf([ours, { name: 'data/note.jsonl', data }]))
  expect([body.resources.note, toldIn(body)[0]?.code]).toEqual([{ ...NONE, created: 1, failed: 1 }, 'invalid_json'])
})

test('lines of 1 MiB and more are taken, if what they say is allowed', async () => {
  const me = stranger()
  const body = '\u0001'.repeat(500_000) + randomText(4, 500_000)
  const archive = archiveOf({ note: [noteLine({ body })] })
  expect((await imported(me, archive)).body.resources.note.created).toBe(1)
  expect((await call(me, 'GET', `/api/notes/${noteLine().id}`)).body.body).toBe(body)
})

test('of one id that comes twice the first one counts, unless the second is newer', async () => {
  const me = stranger()
  const titles = ['first', 'same', 'newer'].map((title, i) => noteLine({ title, revision: [1, 1, 2][i] }))
  const { body } = await imported(me, archiveOf({ note: titles }))
  expect(body.resources.note).toEqual({ ...NONE, created: 1, updated: 1, unchanged: 1 })
  expect((await call(me, 'GET', `/api/notes/${noteLine().id}`)).body.title).toBe('newer')
})

test('a source that another note has is a conflict of that line', async () => {
  const me = stranger()
  const source = { system: 's', id: '1' }
  const { body } = await imported(me, archiveOf({ note: [noteLine({ source }), noteLine({ id: second(2), source })] }))
  expect([body.resources.note, toldIn(body)[0]?.code]).toEqual([{ ...NONE, created: 1, failed: 1 }, 'conflict'])
})

test('names that lead out of the archive name nothing, and types that are not known are told of', async () => {
  const me = stranger()
  const names = [
    '../data/note.jsonl',
    '/data/note.jsonl',
    'data/../note.jsonl',
    'data\\note.jsonl',
    'data/secret.jsonl',
  ]
  const { body } = await imported(me, zipOf([ours, ...names.map((name) => ({ ...good, name }))]))
  expect(body.resources).toEqual({})
  expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual(['unknown_type', 'unknown_type'])
})

test('empty lines are no items, and one of too many others is refused as a whole', async () => {
  await using small = await makeArchiveWorld({ IMPORT_ITEMS: '100' })
  const me = small.stranger()
  const file = (lines: string) => zipOf([ours, { name: 'data/task.jsonl', data: lines }, good])
  const { status, body } = await small.imported(me, file('{}\n'.repeat(100)))
  expect([status, body.code]).toEqual([413, 'too_large'])
  expect(await small.held(me)).toEqual(EMPTY)
  expect((await small.imported(me, file('\n'.repeat(100_000)))).body.resources.note.created).toBe(1)
})

describe('what is over the quota is told as failed, all else is imported, and a dry run says so,', () => {
  test.each([
    [
      'resources',
      Array.from({ length: 201 }, (_, i) => noteLine({ id: noteLine().id.replace(/0001$/, `1${i}`.padStart(4, '0')) })),
      'data/note.jsonl:201',
    ],
    [
      'bytes of notes',
      [noteLine(), noteLine({ id: second(2), body: randomText(5, 2 ** 20) }), noteLine({ id: second(3) })],
      'data/note.jsonl:2',
    ],
  ])('of %s', async (_, note, over) => {
    const me = { address: `198.51.100.${note.length % 200}` }
    for (const query of ['?dry_run=true', '']) {
      expect([await seq(me), await held(me)]).toEqual([0, EMPTY])
      const { status, body } = await imported(me, archiveOf({ note }), query)
      expect([status, body.state, body.totals]).toEqual([200, 'done', { ...NONE, created: note.length - 1, failed: 1 }])
      const failed = body.items.filter(({ action }: (typeof body.items)[number]) => action === 'failed')
      expect(failed).toMatchObject([{ where: over, id: null, warnings: [{ code: 'quota_exceeded' }] }])
    }
    expect((await held(me)).resources).toBe(note.length - 1)
    expect(await world.contradictions()).toEqual([])
  })

  test('of history alone', async () => {
    const me = { address: '198.51.100.250' }
    const versions = [1, 2].map((revision) =>
      versionLine({
        revision,
        last_revision: revision,
        body_revision: revision,
        content: { ...versionLine().content, body: randomText(revision, 2 ** 20) },
      }),
    )
    const archive = archiveOf({ note: [noteLine({ revision: 3 })], note_revision: versions })
    const { resources } = (await imported(me, archive)).body
    expect([resources.note, resources.note_revision]).toEqual([
      { ...NONE, created: 1 },
      { ...NONE, created: 1, failed: 1 },
    ])
    expect((await held(me)).resources).toBe(1)
  })
})

test('what an import had no room for, a repeat brings, and joins to it the tasks that are there already', async () => {
  const [mine, other] = [stranger(), { address: '198.51.100.251' }]
  const ids: string[] = []
  for (let i = 0; i < 16; i++) ids.push((await made(mine, '/api/tasks', { title: `${i}` })).id)
  const daily = { title: 'daily', due: { date: '2026-03-01' }, recurrence: { rrule: 'FREQ=DAILY' } }
  const { id: last } = await made(mine, '/api/tasks', daily)
  await made(mine, `/api/tasks/${last}/complete`)
  await call(mine, 'PATCH', `/api/tasks/${ids[0]}`, { blocked_by: [ids[15], last] })
  await call(mine, 'PATCH', `/api/tasks/${ids[1]}`, { blocked_by: [last] })
  const archive = await world.exported(mine)
  const note = Array.from({ length: 188 }, (_, i) =>
    noteLine({ id: noteLine().id.replace(/0001$/, `1${i}`.padStart(4, '0')) }),
  )
  expect((await imported(other, archiveOf({ note }))).body.resources.note.created).toBe(188)
  const { task } = (await imported(other, archive)).body.resources
  expect(task).toEqual({ ...NONE, created: 12, failed: 5 })
  for (const { id } of note) await call(other, 'DELETE', `/api/notes/${id}?permanent=true`)
  const { status, body } = await imported(other, archive)
  expect([status, toldIn(body)]).toEqual([200, []])
  expect(body.resources.task).toEqual({ ...NONE, created: 5, unchanged: 12 })
  expect(await world.data(other)).toEqual(await world.data(mine))
  const read = async (as: typeof mine | typeof other, id = '') => (await call(as, 'GET', `/api/tasks/${id}`)).body
  for (const id of ids.slice(0, 2)) expect(await read(other, id)).toEqual(await read(mine, id))
  const seq = await world.seq(other)
  expect(toldIn((await imported(other, archive)).body)).toEqual([])
  expect(await world.seq(other)).toBe(seq)
  expect(await world.contradictions()).toEqual([])
})

test('whatever bytes are sent, the answer is 200 or 400, and a refusal leaves nothing', async () => {
  const me = stranger()
  const whole = archiveOf({ note: [noteLine()], note_revision: [versionLine()] })
  const broken = fc
    .array(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) }), { minLength: 1, maxLength: 8 })
    .map((changes) => {
      const bytes = whole.slice()
      for (const { at, byte } of changes) bytes[at] = byte
      return bytes
    })
  await fc.assert(
    fc.asyncProperty(broken, async (bytes) => {
      const { status, body } = await imported(me, bytes, '?dry_run=true')
      expect([200, 400]).toContain(status)
      if (status === 400) expect(body.code).toBe('archive_refused')
    }),
    { numRuns: 40 },
  )
  expect([await seq(me), await held(me)]).toEqual([0, EMPTY])
})

test('whatever a line of a note says, it is taken whole or refused, and what is stored stands', async () => {
  const me = stranger()
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.constant('2026-01-01T00:00:00.000Z'),
  )
  const names = fc.constantFrom(...Object.keys(noteLine()), 'other')
  const few = fc.dictionary(names, value, { maxKeys: 3 })
  const others = fc.array(fc.dictionary(names, value), { minLength: 4, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(few, others, async (one, more) => {
      const lines = [noteLine({ ...one }), ...more.map((other, i) => noteLine({ id: second(2 + i), ...other }))]
      const { status, body } = await imported(me, archiveOf({ note: lines, note_revision: [versionLine({ ...one })] }))
      expect(status).toBe(200)
      const { created, updated, unchanged, failed } = body.resources.note
      expect(created + updated + unchanged + failed).toBe(lines.length)
    }),
    { numRuns: 10 },
  )
  expect(await world.contradictions()).toEqual([])
})
