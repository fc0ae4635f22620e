import { afterAll, expect, test } from 'bun:test'
import type { As } from '../support/world'
import { fillCards } from './fill-cards'
import { fillNotes } from './fill-notes'
import { fillTasks } from './fill-tasks'
import { type ArchiveWorld, type Json, makeArchiveWorld, NONE, outcomeOf, randomText, toldIn } from './support'

/** A workspace leaves whole, and comes into another the same. */

const world = await makeArchiveWorld()
afterAll(world.close)

const fillSettings = ({ call }: ArchiveWorld, me: As) =>
  call(me, 'PATCH', '/api/workspace/settings', { time_zone: 'Europe/Lisbon', language: 'fr' })

/** What fills a workspace with resources of every kind of each feature: their types are proved to go over. */
const FILLS = [
  { fill: fillNotes, types: ['note', 'note_revision', 'attachment'] },
  {
    fill: fillTasks,
    types: ['task_project', 'task_section', 'task_label', 'task_filter', 'task', 'task_completion'],
  },
  { fill: fillSettings, types: ['workspace_settings'] },
  { fill: fillCards, types: ['study_settings', 'deck', 'media', 'note_type', 'fact', 'card', 'review'] },
]

/** Who has a bit of everything; no test changes it. */
const mine = world.stranger()
for (const { fill } of FILLS) await fill(world, mine)
const archive = await world.exported(mine)

test('what is exported, imported elsewhere and exported again is the same, line by line', async () => {
  const other = world.stranger()
  const [before, held] = [await world.data(mine), await world.held(mine)]
  const report = await world.imported(other, archive)
  expect([report.status, toldIn(report.body)]).toEqual([200, []])
  expect(await world.data(other)).toEqual(before)
  expect(await world.held(other)).toEqual(held)
  expect(await world.contradictions()).toEqual([])
  for (const [type, lines] of Object.entries(before)) {
    // Not equal because there is nothing: each type has more than its last, empty line.
    expect([type, lines.length > 1]).toEqual([type, true])
    const { created, updated, unchanged, failed } = report.body.resources[type.slice(5, -6)]
    expect([type, created + updated + unchanged, failed]).toEqual([type, lines.length - 1, 0])
  }
})

test('every type that a feature hands over is filled here', async () => {
  const types = FILLS.flatMap((fill) => fill.types.map((type) => `data/${type}.jsonl`))
  expect(Object.keys(await world.data(mine)).toSorted()).toEqual(types.toSorted())
})

test('notes are the same to their callers as well: lists, search, links, history', async () => {
  const other = world.stranger()
  await world.imported(other, archive)
  const { items } = (await world.call(mine, 'GET', '/api/notes?archived=any')).body
  const paths = ['/api/notes?archived=any&include=body', '/api/notes?trashed=true', '/api/notes/search?q=train']
    .concat('/api/notes/tags', '/api/notes/folders', '/api/notes/unresolved', '/api/notes/daily/2026-03-02')
    .concat(
      items.flatMap(({ id }: Json) =>
        ['', '/revisions', '/links', '/backlinks'].map((rest) => `/api/notes/${id}${rest}`),
      ),
    )
    .concat(items.map(({ id }: Json) => `/api/notes/${id}/revisions/1`))
  for (const path of paths) {
    const [here, there] = [await world.call(mine, 'GET', path), await world.call(other, 'GET', path)]
    expect([path, there.status, there.body]).toEqual([path, here.status, here.body])
  }
})

test('a repeat, there or where it came from, changes nothing', async () => {
  const other = world.stranger()
  await world.imported(other, archive)
  for (const as of [mine, other]) {
    const [seq, data, held] = [await world.seq(as), await world.data(as), await world.held(as)]
    const { body } = await world.imported(as, archive)
    for (const counts of Object.values<Json>(body.resources))
      expect(counts).toMatchObject({ created: 0, updated: 0, failed: 0 })
    expect(toldIn(body)).toEqual([])
    expect([await world.seq(as), await world.data(as), await world.held(as)]).toEqual([seq, data, held])
  }
})

test('a dry run reports what the real one does, and leaves nothing', async () => {
  const other = world.stranger()
  const dry = await world.imported(other, archive, '?dry_run=true')
  expect([await world.seq(other), await world.held(other)]).toEqual([0, { resources: 0, size_bytes: 0 }])
  const real = await world.imported(other, archive)
  expect(outcomeOf(dry.body)).toEqual(outcomeOf(real.body))
  expect(real.body.resources.note.created).toBe(7)
})

test('the change feed of the other workspace tells of each note once', async () => {
  const other = world.stranger()
  await world.imported(other, archive)
  const feed = async (as: typeof mine) =>
    (await world.call(as, 'GET', '/api/changes')).body.items
      .filter(({ type }: Json) => type === 'note')
      .map(({ seq, ...change }: Json) => change)
      .toSorted((a: Json, b: Json) => (a.id < b.id ? -1 : 1))
  expect(await feed(other)).toEqual(await feed(mine))
})

test('the manifest counts the lines, and people find their notes as files', async () => {
  const files = await world.files(mine)
  const manifest = JSON.parse(files.get('manifest.json') ?? '')
  expect(manifest).toMatchObject({ format: 'satchel-workspace', version: 1 })
  for (const [type, count] of Object.entries(manifest.counts))
    expect([type, files.get(`data/${type}.jsonl`)?.split('\n').length]).toEqual([type, Number(count) + 1])
  expect(files.get('notes/Work/Plans/The plan.md')).toContain('second 会议')
  expect([...files.keys()].some((name) => name.includes('Gone'))).toBe(false)
  expect(files.get('tasks.ics')).toStartWith('BEGIN:VCALENDAR')
  expect(files.get('flashcards.apkg')).toStartWith('PK')
  const lean = await world.files(mine, '?readable=false')
  expect([...lean.keys()].filter((name) => !/^(data|media|attachment)\//.test(name))).toEqual(['manifest.json'])
})

test('an empty workspace is exported and imported, too', async () => {
  const empty = await world.exported(world.stranger())
  const { status, body } = await world.imported(world.stranger(), empty)
  expect([status, body.items_total]).toEqual([200, 0])
})

test('an export shows one moment, whatever is written while it is read', async () => {
  const me = world.stranger()
  for (let i = 0; i < 8; i++) await world.made(me, '/api/notes', { title: `${i}`, body: randomText(i, 40_000) })
  const response = await fetch(`${world.base}/api/export`, { headers: world.headersOf(me) })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await world.made(me, '/api/notes', { title: 'too late' })
  const chunks = [first?.value ?? new Uint8Array()]
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) chunks.push(part.value)
  const other = world.stranger()
  const { body } = await world.imported(other, new Uint8Array(Buffer.concat(chunks)))
  expect(body.resources.note).toEqual({ ...NONE, created: 8 })
})
