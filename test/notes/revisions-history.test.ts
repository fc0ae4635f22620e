import { describe, expect, onTestFinished, test } from 'bun:test'
import fc from 'fast-check'
import { createThinner } from '../../src/notes/revisions/history'
import { runs } from '../support/full'
import { makeWorkspaces } from '../support/workspaces'
import { makeHistoryWorld } from './revisions-support'

/** A world for one test: a history that went wrong, or the hourly job, would reach into those of other tests. */
async function makeOwn() {
  const world = await makeHistoryWorld()
  onTestFinished(world.close)
  return world
}
type World = Awaited<ReturnType<typeof makeOwn>>

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The members that a version keeps. */
interface Content {
  title: string
  body: string
  folder: string | null
  tags: string[]
  properties: unknown
}
const contentOf = ({ title, body, folder, tags, properties }: Content): Content => ({
  title,
  body,
  folder,
  tags,
  properties,
})

const sound = (text: string) => text.isWellFormed() && !text.includes('\0')
const body = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }).filter(sound),
  fc.constantFrom('', '\n', '\ufeff\ufeffa', 'a\r\nb', '(\u00b5/\u00fd', 'long '.repeat(500)),
)
const patch = fc.record(
  {
    title: fc.option(fc.constantFrom('A', 'B', '\u{1f600}')),
    body,
    folder: fc.option(fc.constantFrom('x', 'x/y')),
    tags: fc.subarray(['one', 'Two', 'a/b', 'ONE', 'two']),
    properties: fc.oneof(
      fc.constant(null),
      fc.dictionary(fc.constantFrom('a', 'b', '1', '__proto__'), fc.jsonValue({ maxDepth: 2 }), {
        noNullPrototype: true,
      }),
    ),
    pinned: fc.boolean(),
  },
  { requiredKeys: [] },
)
type Step = { patch: object } | { restore: number } | { label: number } | { trash: true }
const steps = fc.array(
  fc.oneof(
    { arbitrary: patch.map((patch): Step => ({ patch })), weight: 6 },
    { arbitrary: fc.nat().map((restore): Step => ({ restore })), weight: 2 },
    { arbitrary: fc.nat().map((label): Step => ({ label })), weight: 1 },
    { arbitrary: fc.constant<Step>({ trash: true }), weight: 1 },
  ),
  { maxLength: 25 },
)

/** Does a step to a note at `revision`. */
async function take({ call }: World, me: { key: string }, path: string, revision: number, step: Step): Promise<void> {
  const some = (n: number) => 1 + (n % revision)
  if ('patch' in step) await call(me, 'PATCH', path, step.patch)
  else if ('restore' in step) await call(me, 'POST', `${path}/revisions/${some(step.restore)}/restore`)
  else if ('label' in step)
    await call(me, 'PATCH', `${path}/revisions/${some(step.label)}`, { label: `l${step.label}` })
  else {
    await call(me, 'DELETE', path)
    await call(me, 'POST', `${path}/restore`)
  }
}

describe('for any history', () => {
  test('every revision has the content that the note had, restoring it gives exactly that, and the bytes add up', async () => {
    const world = await makeOwn()
    const { call, stranger, numbers } = world
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (all, chosen) => {
        const me = stranger()
        const { body: note } = await call(me, 'POST', '/api/notes', { body: 'begin' })
        const path = `/api/notes/${note.id}`
        // By revision; from 0, which is none. One step may bring two: into the trash and out of it.
        const seen: Content[] = [contentOf(note), contentOf(note)]
        for (const step of all) {
          await take(world, me, path, seen.length - 1, step)
          const { body: now } = await call(me, 'GET', path)
          while (seen.length <= now.revision) seen.push(contentOf(now))
        }
        const changed = seen.flatMap((content, n) =>
          n > 0 && !(n > 1 && Bun.deepEquals(content, seen[n - 1])) ? [n] : [],
        )
        expect(await numbers(me, note)).toEqual(changed.toReversed())
        for (let n = 1; n < seen.length; n++)
          expect(contentOf((await call(me, 'GET', `${path}/revisions/${n}`)).body)).toEqual(seen[n] as Content)
        const n = 1 + (chosen % (seen.length - 1))
        await call(me, 'POST', `${path}/revisions/${n}/restore`)
        expect(contentOf((await call(me, 'GET', path)).body)).toEqual(seen[n] as Content)
        expect(await world.contradictions()).toEqual([])
      }),
      { numRuns: runs(15) },
    )
  })
})

describe('thinning', () => {
  /** A note with a version each minute: `count` of them, the clock at the last. */
  async function saved(world: World, count: number) {
    const { call, stranger } = world
    const me = stranger()
    const { body: note } = await call(me, 'POST', '/api/notes', { body: 'version 1' })
    const path = `/api/notes/${note.id}`
    for (let n = 2; n <= count; n++) {
      world.clock.now += MINUTE
      // Every other change leaves the body as it was.
      await call(me, 'PATCH', path, n % 2 ? { body: `version ${n}` } : { title: `version ${n}` })
    }
    return { me, note, path }
  }

  test('never happens in a request; the hourly job keeps what must stay, whole, and gives the bytes back', async () => {
    const world = await makeOwn()
    const { call, numbers } = world
    const { me, note, path } = await saved(world, 120)
    await call(me, 'PATCH', `${path}/revisions/33`, { label: 'keep me' })
    const before = await world.all(me, `${path}/revisions`)
    expect(before).toHaveLength(120)
    const usage = async () => (await call(me, 'GET', '/api/usage')).body.workspace.size_bytes
    const full = await usage()

    await world.runJobs()
    const kept = await numbers(me, note)
    expect(kept.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, i) => 120 - i))
    expect(kept).toContain(33)
    expect(kept.at(-1)).toBe(1)
    // 69 minutes of the rest lie in 7 or 8 spans of 10 minutes.
    expect([59, 60, 61]).toContain(kept.length)
    expect(await usage()).toBeLessThan(full)
    for (const n of kept) {
      const { body } = await call(me, 'GET', `${path}/revisions/${n}`)
      expect(body).toMatchObject({ revision: n, body: `version ${n % 2 ? n : n - 1}` })
    }
    const gone = before.map(({ revision }) => revision).find((n) => !kept.includes(n))
    expect((await call(me, 'GET', `${path}/revisions/${gone}`)).body.code).toBe('not_found')
    expect(await world.contradictions()).toEqual([])

    await world.runJobs()
    expect(await numbers(me, note)).toEqual(kept)
  })

  test('does a bounded amount of work, stops when told to, and comes to the same end', async () => {
    const world = await makeOwn()
    const { call, stranger, numbers } = world
    const me = stranger()
    const { body: note } = await call(me, 'POST', '/api/notes', { body: '1' })
    for (let n = 2; n <= 320; n++) await call(me, 'PATCH', `/api/notes/${note.id}`, { body: `${n}` })
    const now = () => world.clock.now
    const thin = createThinner(makeWorkspaces({ db: world.db, now }))
    expect(await thin(world.db, now(), 10, AbortSignal.abort())).toBe(0)
    expect(await thin(world.db, now(), 1)).toBe(200)
    expect(await numbers(me, note)).toHaveLength(120)
    // Of 270 saved at one instant one stays, beside revision 1 and the newest 50.
    expect(await thin(world.db, now(), 10)).toBe(68)
    const kept = [...Array.from({ length: 50 }, (_, i) => 320 - i), 270, 1]
    expect(await numbers(me, note)).toEqual(kept)
    expect(await thin(world.db, now(), 10)).toBe(0)
    expect(await world.contradictions()).toEqual([])
  })

  test('goes on with age alone, without another change', async () => {
    const world = await makeOwn()
    const { numbers } = world
    const { me, note } = await saved(world, 80)
    await world.runJobs()
    const fresh = await numbers(me, note)
    world.clock.now += 3 * DAY
    await world.runJobs()
    const days = await numbers(me, note)
    world.clock.now += 60 * DAY
    await world.runJobs()
    expect(days.length).toBeLessThan(fresh.length)
    expect(days.length).toBeGreaterThanOrEqual(52)
    expect(new Set(days).isSubsetOf(new Set(fresh))).toBe(true)
    expect(new Set(await numbers(me, note)).isSubsetOf(new Set(days))).toBe(true)
    expect(await world.contradictions()).toEqual([])
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
  })
})
