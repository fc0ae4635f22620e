/**
 * Two devices with one workspace, on which somebody does random things while networks and tabs fail: in the end both have
 * what the server exports, and all that was typed is there once. The server is killed as well. Each kind of thing is done at
 * least once in a run.
 *
 * DEVICES_SEED repeats a run (what meets what still depends on the moment), DEVICES_STEPS and DEVICES_RUNS make it longer.
 */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { filesOf } from '../archive/support'
import { makeKey } from '../support/keys'
import { createDevice, type Device, randomOf, shuffle, type Typed } from './app-device'
import { type KilledServer, startProcess } from './app-server'
import { type Ask, appSession, until } from './app-session'

let server: KilledServer
const { openApp } = appSession({ API_LIMIT_PER_HOUR: '100000' }, async (settings) => {
  server = await startProcess(settings)
  return server
})

/** One that is the same in each run, so that what it finds was not there before. */
const SEED = Number(process.env.DEVICES_SEED ?? 25)
const STEPS = Number(process.env.DEVICES_STEPS ?? 20)
const RUNS = Number(process.env.DEVICES_RUNS ?? 1)
/** Both have all within this time once nothing fails any more: a request that hangs is given up after 30 seconds. */
const RECOVER_MS = 40_000
/** What a tab has is shown within this time. */
const SHOW_MS = 3000
/** What came to nothing in a run is tried so often after it. */
const MAKE_UP_TIMES = 6

const TYPES = 'note,task,task_project,task_section,task_label,task_filter,deck,workspace_settings'
const DECK = '01980000-0000-7000-8000-0000000000e0'

interface Resource {
  readonly id: string
  readonly title: string
  readonly body?: string
  readonly revision: number
}
interface Feed {
  readonly items: readonly { type: string; id: string; resource: Resource | null }[]
  readonly next_cursor: string | null
}

async function fill(ask: Ask) {
  await ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Numbers', settings: { new_limit_per_day: 200 } })
  const items = Array.from({ length: 60 }, (_, at) => ({
    deck_id: DECK,
    type: 'basic',
    front: `Number ${at}?`,
    back: `${at}`,
  }))
  await ask('POST', 'api/flashcards/facts/batch', { items })
  await ask('POST', 'api/notes', { title: 'n1', body: '- [ ] one\n- [ ] two\n' })
  await ask('POST', 'api/tasks', { title: 'First' })
}

/** Lines of the server's export by type, also of what is in the trash. */
type Exported = ReadonlyMap<string, readonly (Readonly<Record<string, unknown>> & Resource)[]>

async function readExport(): Promise<Exported> {
  const response = await fetch(`${server.url}api/export?readable=false`, { headers: { 'X-API-Key': makeKey(1) } })
  const lists = [...filesOf(await response.bytes())].filter(([name]) => name.startsWith('data/'))
  return new Map(
    lists.map(([name, text]) => [
      name.slice('data/'.length, -'.jsonl'.length),
      text
        .trimEnd()
        // Archives keep the first name of the zone of a date.
        .replaceAll('"tz":', '"time_zone":')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : JSON.parse(line))),
    ]),
  )
}

async function readFeed(ask: Ask): Promise<Feed['items']> {
  const items: Feed['items'][number][] = []
  for (let since = '0'; ; ) {
    const page = (await ask(
      'GET',
      `api/changes?since=${since}&limit=200&include=resource&types=${TYPES}`,
    )) as unknown as Feed
    items.push(...page.items)
    if (page.next_cursor === null) return items
    since = page.next_cursor
  }
}

/** What a device keeps. */
const readKept = (page: Page) =>
  page.evaluate(async () => {
    const [found] = await indexedDB.databases()
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(found?.name ?? '')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const all = (name: string) =>
      new Promise<unknown>((resolve, reject) => {
        const request = db.transaction(name).objectStore(name).getAll()
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const kept = {
      resources: await all('resources'),
      bodies: await all('bodies'),
      writes: await all('writes'),
      cursor: await all('state'),
    }
    db.close()
    return kept as {
      resources: { type: string; id: string; resource: Resource }[]
      bodies: { id: string; revision: number; body: string }[]
      writes: { op: object }[]
      cursor: unknown
    }
  })

/** The tab of a device that is looked at. */
const tabOf = (device: Device) => device.tabs[0] as Page

const revisionsOf = (items: readonly { type: string; id: string; resource: Resource | null }[]) =>
  items.flatMap(({ type, id, resource }) => (resource ? [`${type} ${id} ${resource.revision}`] : [])).sort()

type Kept = Awaited<ReturnType<typeof readKept>>

/** What devices still have otherwise than the server, and what they have not sent. */
function inWords(there: readonly string[], devices: readonly Device[], kept: readonly Kept[]): string {
  const parts = kept.map(({ resources, writes, cursor }, at) => {
    const here = revisionsOf(resources)
    const missing = there.filter((each) => !here.includes(each))
    const surplus = here.filter((each) => !there.includes(each))
    return `${devices[at]?.name} ${JSON.stringify({ missing, surplus, writes, cursor })}`
  })
  return parts.join('\n')
}

/** Waits until both devices have sent all and read all. */
async function untilSame(devices: readonly Device[], ask: Ask): Promise<void> {
  const deadline = performance.now() + RECOVER_MS
  for (;;) {
    const there = revisionsOf(await readFeed(ask))
    const kept = await Promise.all(devices.map((device) => readKept(tabOf(device))))
    const isSame = kept.every(({ resources }) => revisionsOf(resources).join() === there.join())
    const waiting = kept.flatMap(({ writes }) => writes)
    if (isSame && waiting.length === 0) return
    if (performance.now() > deadline) throw new Error(inWords(there, devices, kept))
    for (const page of devices.flatMap(({ tabs }) => tabs)) {
      const again = page.getByRole('button', { name: 'Try now' }).first()
      if (await again.isVisible()) await again.click({ timeout: 1000 }).catch(() => {}) // It is gone: all is sent.
      for (let frame = 0; frame < 10; frame++) await page.evaluate(() => new Promise(requestAnimationFrame))
    }
  }
}

/** What a device keeps and shows is what the server has. */
async function compare(device: Device, ask: Ask): Promise<void> {
  const items = await readFeed(ask)
  const live = items.flatMap(({ type, id, resource }) => (resource ? [{ type, id, resource }] : []))
  const kept = await readKept(tabOf(device))
  const withoutBodies = live.map(({ type, id, resource }) => {
    const { body: _, properties: __, ...rest } = resource as Resource & { properties?: unknown }
    return { type, id, resource: type === 'note' ? rest : resource }
  })
  const byId = (one: { id: string; type: string }, other: { id: string; type: string }) =>
    `${one.type} ${one.id}` < `${other.type} ${other.id}` ? -1 : 1
  expect(kept.resources.toSorted(byId)).toEqual(withoutBodies.toSorted(byId) as typeof kept.resources)
  const notes = new Map(live.flatMap(({ type, id, resource }) => (type === 'note' ? [[id, resource] as const] : [])))
  for (const { id, revision, body } of kept.bodies) {
    const note = notes.get(id)
    // A text that the server alone knows is read when the note is opened.
    expect({ id, isThere: note !== undefined, isOld: revision <= (note?.revision ?? 0) }).toEqual({
      id,
      isThere: true,
      isOld: true,
    })
    if (note?.revision === revision) expect({ id, body }).toEqual({ id, body: note.body ?? '' })
  }
  for (const page of device.tabs) {
    await page.evaluate(() => {
      location.hash = '#/notes'
    })
    const titles = [...notes.values()].map(({ title }) => title).sort()
    await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor()
    // Only rows in the window are in the document.
    await page.setViewportSize({ width: 1280, height: 1000 + titles.length * 150 })
    const shown = () => page.locator('.note-row .note-title').allTextContents()
    await until(shown, ({ length }) => length === titles.length, SHOW_MS).catch(() => {}) // It is compared below.
    expect((await shown()).sort()).toEqual(titles)
  }
}

/** What a device keeps has all that the export has of it, and nothing else. */
async function compareWithExport(device: Device, exported: Exported): Promise<void> {
  const kept = await readKept(tabOf(device))
  const stored = new Map(kept.resources.map(({ type, id, resource }) => [`${type} ${id}`, resource]))
  const types = TYPES.split(',').filter((type) => type !== 'workspace_settings')
  const live = types.flatMap((type) =>
    (exported.get(type) ?? []).flatMap((line) => (line.deleted_at === null ? [{ type, line }] : [])),
  )
  // What the server alone knows of a resource, such as what it was imported from, is not on devices.
  const shared = live.map(({ type, line }) => {
    const here = stored.get(`${type} ${line.id}`)
    return here && Object.fromEntries(Object.entries(here).filter(([name]) => name in line))
  })
  expect(shared).toEqual(
    live.map(({ type, line }) => {
      const here = stored.get(`${type} ${line.id}`) ?? line
      return Object.fromEntries(Object.entries(line).filter(([name]) => name in here))
    }),
  )
  expect(kept.resources.filter(({ type }) => types.includes(type))).toHaveLength(live.length)
}

/**
 * All that was typed is there. A word is never twice in a note; it is in another note only if that is a conflicting copy,
 * which repeats what the note had, or the other way round: both have the name that the note was made with. A task that was
 * added is there once. A card has as many reviews as it was rated, but for those that may be lost.
 */
function checkTyped(typed: readonly Typed[], exported: Exported): void {
  const notes = exported.get('note') ?? []
  const tasks = (exported.get('task') ?? []).map(({ title }) => title)
  const faults: unknown[] = []
  for (const each of typed.filter(({ kind }) => kind === 'note')) {
    const found = notes.flatMap(({ title, body = '' }) =>
      (body.match(new RegExp(`\\b${each.word}\\b`, 'g')) ?? []).length > 0
        ? [{ title, times: body.split(each.word).length - 1 }]
        : [],
    )
    if (found.length === 0 && !each.mayBeLost) faults.push({ lost: each })
    if (found.some(({ title, times }) => times > 1 || title.split(' ')[0] !== each.name)) faults.push({ each, found })
  }
  for (const each of typed.filter(({ kind }) => kind === 'task')) {
    const times = tasks.filter((title) => title === each.word).length
    if (times > 1 || (times === 0 && !each.mayBeLost)) faults.push({ each, times })
  }
  const ratings = typed.filter(({ kind }) => kind === 'review')
  faults.push(...findLostRatings(ratings, exported))
  expect(faults).toEqual([])
}

function findLostRatings(typed: readonly Typed[], exported: Exported): unknown[] {
  const fronts = new Map((exported.get('fact') ?? []).map(({ id, front }) => [id, front]))
  const reviews = exported.get('review') ?? []
  return (exported.get('card') ?? []).flatMap(({ id, fact_id }) => {
    const prompt = fronts.get(String(fact_id))
    const rated = typed.filter(({ name }) => prompt === `${name}?`)
    const sure = rated.filter(({ mayBeLost }) => !mayBeLost).length
    const stored = reviews.filter(({ card_id }) => card_id === id).length
    return stored < sure || stored > rated.length ? [{ prompt, sure, rated: rated.length, stored }] : []
  })
}

/** Each device does so many things at random, and both together each kind of them at least once. */
async function doAll(devices: readonly Device[], random: (below: number) => number): Promise<void> {
  const kinds = shuffle(devices[0]?.kinds ?? [], random)
  const half = Math.ceil(kinds.length / 2)
  await Promise.all(
    devices.map((device, at) => device.run(STEPS, kinds.slice(at * half, (at + 1) * half).slice(0, STEPS))),
  )
  const left = () => kinds.filter((kind) => !devices.some(({ done }) => done.includes(kind)))
  for (let times = 0; times < MAKE_UP_TIMES; times++) for (const kind of left()) await devices[times % 2]?.makeUp(kind)
  expect(left()).toEqual([])
}

/** Nothing fails any more: in the end all is everywhere. */
async function checkEnd(devices: readonly Device[], ask: Ask): Promise<void> {
  await Promise.all(devices.map((device) => device.recover()))
  await untilSame(devices, ask)
  const exported = await readExport()
  for (const device of devices) {
    await compare(device, ask)
    await compareWithExport(device, exported)
  }
  const typed = devices.flatMap((device) => device.typed)
  checkTyped(typed, exported)
}

const runs = Array.from({ length: RUNS }, (_, at) => SEED + at)

test.each(runs)(
  'two devices that lose their networks and tabs have all in the end (DEVICES_SEED=%d)',
  async (seed) => {
    const first = await openApp('#/tasks', fill)
    const { page: second } = await openApp('#/tasks')
    const { ask } = first
    const random = randomOf(seed)
    const faults: string[] = []
    const devices = [first.page, second].map((page, at) =>
      createDevice('ab'[at] ?? '', page, randomOf(random(2 ** 31)), server, faults),
    )
    try {
      await doAll(devices, random)
      await checkEnd(devices, ask)
    } catch (error) {
      throw new Error(devices.map(({ name, done }) => `${name}: ${done.join(' ')}`).join('\n'), { cause: error })
    }
    expect(faults).toEqual([])
  },
  60_000 + STEPS * 2000,
)

test('a note that has a conflicting copy can be opened again, while that is told', async () => {
  const note = '01980000-0000-7000-8000-0000000000b0'
  const { page, ask } = await openApp(`#/notes/${note}`, (ask) =>
    ask('POST', 'api/notes', { id: note, title: 'Garden', body: 'Sow' }),
  )
  const edit = page.getByRole('button', { name: 'Edit' })
  await edit.click()
  await page.locator('.cm-content').fill('Sow beans')
  await ask('PATCH', `api/notes/${note}`, { body: 'Sow peas' })
  await page.getByText('was changed elsewhere').waitFor()
  await page.evaluate((to) => {
    location.hash = to
  }, `#/notes/${note}`)
  await page.getByText('Sow peas').waitFor()
  await edit.click()
  await page.locator('.cm-content', { hasText: 'Sow peas' }).waitFor()
})
