import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ReportItem } from '../../../src/imports/report'
import type { OnConflict } from '../../../src/imports/schema'
import { MANY_CALLERS, makeWorld, stranger } from '../../support/world'
import { zipOf } from '../../support/zip'
import { importsOf, ZIP } from './support'

const world = await makeWorld({ settings: { ...MANY_CALLERS, WORKSPACE_RESOURCES: '6' } })
afterAll(world.close)

const ID = (n: number) => `01900000-0000-7000-8000-00000000000${n}`

/** A file of an archive, which may name an id, a source and a day that others name too, or be refused. */
const file = fc.record({
  id: fc.option(fc.nat({ max: 5 }), { freq: 2 }),
  source: fc.option(fc.nat({ max: 3 })),
  day: fc.option(fc.nat({ max: 2 })),
  body: fc.oneof(
    fc.constantFrom('one', 'two', 'see [[0]] and [[4]] #tag', '# Head'),
    // A note may hold 10,000 links.
    { weight: 1, arbitrary: fc.constant('[[a]] '.repeat(10_001)) },
  ),
})
type File = typeof file extends fc.Arbitrary<infer Value> ? Value : never

function archiveOf(files: readonly File[]) {
  return zipOf(
    files.map(({ id, source, day, body }, i) => {
      const own = {
        ...(source === null ? {} : { source: { system: 's', id: `${source}` } }),
        ...(day === null ? {} : { daily_date: `2026-03-0${day + 1}` }),
      }
      const stated = id === null ? [] : [`id: ${ID(id)}`]
      const front = [...stated, `satchel: ${JSON.stringify(own)}`].join('\n')
      return { name: `${i}.md`, data: `---\n${front}\n---\n${body}`, method: 0 }
    }),
  )
}

/** What three imports come to, in groups of a size: of a file, of another after changes, and of that again. */
async function lifeOf(size: number, first: readonly File[], second: readonly File[], on_conflict: OnConflict) {
  const me = stranger()
  const run = importsOf(world, me.key)
  const reports = [await run(archiveOf(first), { size })]
  const { items: made } = (await world.call(me, 'GET', '/api/notes?sort=title&limit=200')).body
  for (const [i, { id }] of made.entries())
    if (i % 3 === 0) await world.call(me, 'PATCH', `/api/notes/${id}`, { body: `mine ${i}` })
    else if (i % 7 === 1) await world.call(me, 'DELETE', `/api/notes/${id}`)
  for (let i = 0; i < 2; i++) reports.push(await run(archiveOf(second), { size, params: { ...ZIP, on_conflict } }))
  const path = '/api/notes?sort=title&include=body&limit=200&archived=any'
  const pages = [await world.call(me, 'GET', path), await world.call(me, 'GET', `${path}&trashed=true`)]
  const { resources, size_bytes } = (await world.call(me, 'GET', '/api/usage')).body.workspace
  return {
    ...withoutIds(
      reports,
      pages.map(({ body }) => body.items),
    ),
    resources,
    size_bytes,
  }
}

/** Ids that were made up count by the order in which they are told. */
function withoutIds(reports: readonly ReportItem[][], notes: readonly { id: string }[][]) {
  const known = new Map<string, string>()
  const named = (id: string) => known.get(id) ?? known.set(id, `${known.size}`).get(id)
  const told = reports.map((report) =>
    report.map((item) => ({ ...item, id: item.id === null ? null : named(item.id) })),
  )
  const byId = (a: { id?: string }, b: { id?: string }) => Number(a.id) - Number(b.id)
  return {
    told,
    notes: notes.map((page) => page.map((note) => ({ ...note, id: named(note.id) })).toSorted(byId as never)),
  }
}

describe('an import of notes', () => {
  test('comes to the same, whatever its groups: report, notes, links and usage', async () => {
    const files = fc.array(file, { minLength: 1, maxLength: 12 })
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(files, files, fc.constantFrom('skip', 'overwrite', 'copy'), async (first, second, conflict) => {
        const whole = await lifeOf(1000, first, second, conflict as OnConflict)
        for (const size of [1, 7]) expect(await lifeOf(size, first, second, conflict as OnConflict)).toEqual(whole)
        for (const item of whole.told.flat())
          for (const code of [item.action, ...item.warnings.map(({ code }) => code)]) seen.add(code)
      }),
      { numRuns: 20 },
    )
    for (const code of ['created', 'updated', 'unchanged', 'skipped', 'failed', 'duplicate', 'conflict', 'in_trash'])
      expect([...seen]).toContain(code)
    for (const code of ['daily_date_taken', 'too_many_links', 'quota_exceeded']) expect([...seen]).toContain(code)
  })

  test.each([1, 2])('copies a note that a file names twice once, in groups of %i', async (size) => {
    const me = stranger()
    const run = importsOf(world, me.key)
    const of = (body: string): File => ({ id: 1, source: null, day: null, body })
    const [made] = await run(archiveOf([of('one')]), { size })
    await world.call(me, 'PATCH', `/api/notes/${made?.id}`, { body: 'mine' })
    const report = await run(archiveOf([of('two'), of('three')]), { size, params: { ...ZIP, on_conflict: 'copy' } })
    expect(report.map(({ action, warnings }) => [action, warnings[0]?.code])).toEqual([
      ['created', 'conflict'],
      ['failed', 'duplicate'],
    ])
  })

  test.each([
    ['a source', { source: 1 }],
    ['a day', { day: 1 }],
  ])('takes one of two notes that name %s, and two that name two', async (_, same) => {
    for (const size of [1, 2]) {
      const run = importsOf(world, stranger().key)
      const of = (id: number, more: object): File => ({ id, source: null, day: null, body: 'one', ...more })
      const twice = await run(archiveOf([of(1, same), of(2, same)]), { size })
      expect(twice.map(({ warnings }) => warnings[0]?.code)).toEqual([undefined, 'duplicate'])
      const apart = await run(archiveOf([of(3, { source: 2, day: 2 }), of(4, { source: 0, day: 0 })]), { size })
      expect(apart.map(({ action }) => action)).toEqual(['created', 'created'])
    }
  })
})
