/**
 * Two devices with one workspace, on which somebody does random things while networks and tabs fail: in the end both have
 * what the server exports, and all that was typed is there once. Each kind of thing is done in each run.
 *
 * FULL=1 does many more runs; FAST_CHECK_SEED=random does others.
 */
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Note } from '../../app/api/types'
import { filesOf } from '../archive/support'
import { type Ask, type Device, loseAnswer, lost, makeDevices, type Tab } from '../support/device'
import { FULL } from '../support/full'
import { MANY_CALLERS, makeWorld } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until, pass, closeAll, url, clock } = makeDevices(world)

const RUNS = FULL ? 250 : 8
/** What was typed within so many milliseconds before a tab was killed may be lost, nothing else. */
const MAY_BE_LOST_MS = 400
const TYPES = ['note', 'task', 'task_project', 'task_section', 'task_label', 'task_filter', 'deck']

type Session = Awaited<ReturnType<Tab['app']['editNote']>>
type Resource = Pick<Note, 'id' | 'title' | 'revision' | 'body'>
interface Change {
  readonly type: string
  readonly id: string
  readonly resource: Resource | null
}
type Line = Readonly<Record<string, unknown>> & Resource

/** A word that was typed into what was made with this name, or a rating of a card. */
interface Typed {
  readonly kind: 'note' | 'task' | 'review'
  readonly word: string
  readonly name: string
  readonly tab: Open
  readonly at: number
  mayBeLost: boolean
}
interface Open {
  readonly tab: Tab
  note?: { readonly session: Session; readonly name: string } | undefined
}

/** A device, and what somebody does on it. What cannot be done now returns false. */
function createUser(name: string, device: Device, cards: readonly string[]) {
  const tabs: Open[] = []
  const typed: Typed[] = []
  /** Take away what becomes of requests. */
  const troubles: (() => void)[] = []
  let count = 0
  const word = (kind: string) => `${kind}${name}${++count}x`
  const record = (kind: Typed['kind'], word: string, name: string, tab: Open) =>
    typed.push({ kind, word, name, tab, at: clock.now, mayBeLost: false })
  const notesOf = ({ tab }: Open) => [...tab.workspace.copy.shown.note.peek().values()]
  function pickOf<Value>(values: Iterable<Value>, pick: number): Value | undefined {
    const all = [...values]
    return all[pick % all.length]
  }
  const baseOf = (title: string) => title.split(' ')[0] ?? ''

  function setNetwork(next: 'works' | 'cut' | 'captive'): void {
    for (const end of troubles.splice(0)) end()
    if (next === 'captive') troubles.push(device.route(/./, lost))
    device.setOnline(next !== 'cut')
  }
  const openTab = async () => tabs.push({ tab: await device.openTab() })
  async function end(open: Open, isKilled: boolean): Promise<void> {
    tabs.splice(tabs.indexOf(open), 1)
    if (isKilled)
      for (const each of typed) if (each.tab === open && clock.now - each.at <= MAY_BE_LOST_MS) each.mayBeLost = true
    if (isKilled) open.tab.kill()
    else open.tab.close()
    if (tabs.length === 0) await openTab()
  }
  function leave(open: Open): void {
    open.note?.session.close()
    open.note = undefined
  }
  async function edit(open: Open, pick: number): Promise<boolean> {
    const note = pickOf(notesOf(open), pick)
    if (!note) return false
    leave(open)
    // It may not be on this device yet.
    const session = await open.tab.app
      .editNote(note.id)
      .catch((error) => (/^The note is/.test(error.message) ? null : Promise.reject(error)))
    open.note = session ? { session, name: baseOf(note.title) } : undefined
    return session !== null
  }
  function typeInto(open: Open, place: number): boolean {
    if (!open.note) return false
    const { session, name } = open.note
    const typed = word('w')
    if (place % 3 > 0) session.typeInto('end', `\n${typed}`)
    else session.type({ body: `${typed}\n${session.text}` })
    record('note', typed, name, open)
    return true
  }
  const withNote =
    (act: (tab: Tab, note: ReturnType<typeof notesOf>[number]) => void) => (open: Open, pick: number) => {
      const note = pickOf(notesOf(open), pick)
      if (note) act(open.tab, note)
      return note !== undefined
    }

  const acts: Readonly<Record<string, (open: Open, pick: number) => unknown>> = {
    cut: () => setNetwork('cut'),
    captive: () => setNetwork('captive'),
    reconnect: () => setNetwork('works'),
    close: (open) => end(open, false),
    crash: (open) => end(open, true),
    openTab: () => tabs.length < 3 && openTab(),
    loseAnswer: () => void troubles.push(device.route(/\/batch/, loseAnswer, 1)),
    addTask(open) {
      const title = word('t')
      open.tab.app.addTask(open.tab.workspace, title, null, null)
      record('task', title, title, open)
    },
    changeTask({ tab: { app, workspace } }, pick) {
      const task = pickOf(workspace.copy.shown.task.peek().values(), pick)
      if (!task) return false
      if (pick % 5 < 2) app.completeTasks(workspace, [task])
      else if (pick % 5 === 2) app.rescheduleTasks(workspace, [task], '2026-03-05')
      else if (pick % 5 === 3) app.prioritizeTasks(workspace, [task], 1)
      else app.deleteTasks(workspace, [task])
    },
    async undo({ tab: { app, workspace } }) {
      // What needs the server may be refused, or not be possible now.
      const undone = workspace.undo().catch((error) => (app.isOfServer(error) ? null : Promise.reject(error)))
      return (await undone) !== null
    },
    async makeNote(open, pick) {
      const [name, typed] = [word('n'), word('w')]
      const id = open.tab.app.newId()
      leave(open)
      open.tab.app.begun.set(id, { folder: null, tags: [] })
      const session = await open.tab.app.editNote(id)
      open.note = { session, name }
      session.type({ title: name, body: `- [ ] one\n- [ ] two\n\n${typed}` })
      record('note', typed, name, open)
      if (pick % 2 === 0) leave(open)
    },
    typeAndStay: async (open, pick) => (await edit(open, pick)) && typeInto(open, pick),
    async typeAndLeave(open, pick) {
      const isDone = (await edit(open, pick)) && typeInto(open, pick)
      leave(open)
      return isDone
    },
    typeOn: async (open, pick) => (open.note || (await edit(open, pick))) && typeInto(open, 1),
    async rename(open, pick) {
      if (!(await edit(open, pick))) return false
      open.note?.session.type({ title: `${open.note.name} ${word('r')}` })
    },
    async tick(open, pick) {
      if (!(await edit(open, pick)) || !open.note?.session.text.includes('- [ ]')) return false
      open.note.session.type({ body: open.note.session.text.replace('- [ ]', '- [x]') })
    },
    tag: withNote(({ app, workspace }, note) => app.tagNote(workspace, note, 'Tagged.', { add: [word('g')] })),
    pin: withNote(({ app, workspace }, note) => app.pinNote(workspace, note)),
    remove: withNote(({ app, workspace }, note) => app.deleteNote(workspace, note)),
    async rate(open, pick) {
      const { app, workspace } = open.tab
      const [card_id, id] = [pickOf(cards, pick) ?? '', app.newId()]
      const rating = (1 + (pick % 4)) as 1 | 2 | 3 | 4
      const reviewed_at = new Date(clock.now).toISOString()
      await workspace.outbox.add([{ type: 'review', op: { id, card_id, rating, reviewed_at, duration_ms: 0 } }])
      record('review', id, card_id, open)
    },
  }
  return { name, device, tabs, typed, acts, leave, openTab, setNetwork }
}
type User = ReturnType<typeof createUser>

async function readFeed(ask: Ask): Promise<Change[]> {
  const query = `since=0&limit=200&include=resource&types=${TYPES},workspace_settings`
  const { items, next_cursor } = await ask('GET', `api/changes?${query}`)
  expect(next_cursor).toBeNull()
  return items.filter(({ resource }: Change) => resource)
}

async function readExport(key: string): Promise<ReadonlyMap<string, readonly Line[]>> {
  const response = await fetch(`${url}api/export?readable=false`, { headers: { 'X-API-Key': key } })
  const lists = [...filesOf(await response.bytes())].filter(([name]) => name.startsWith('data/'))
  // Archives keep the first name of the zone of a date.
  const linesOf = (text: string) => text.replaceAll('"tz":', '"time_zone":').split('\n').filter(Boolean)
  return new Map(
    lists.map(([name, text]) => [
      name.slice('data/'.length, -'.jsonl'.length),
      linesOf(text).map((line) => JSON.parse(line)),
    ]),
  )
}

const readKept = ({ device }: User) => device.read('resources') as Promise<Change[]>
const revisionsOf = (items: readonly Change[]) =>
  items.map(({ type, id, resource }) => `${type} ${id} ${resource?.revision}`).sort()

/** What a device keeps, and each of its tabs shows, is what the server has. */
async function compare(user: User, feed: readonly Change[]): Promise<void> {
  const there = feed.map(({ type, id, resource }) => {
    const { body: _, properties: __, ...rest } = resource as Resource & { properties?: unknown }
    return { type, id, resource: type === 'note' ? rest : resource }
  })
  const sorted = (items: readonly object[]) => items.map((each) => Bun.inspect(each, { sorted: true, depth: 9 })).sort()
  expect(sorted(await readKept(user))).toEqual(sorted(there))
  const notes = new Map(feed.flatMap(({ type, id, resource }) => (type === 'note' && resource ? [[id, resource]] : [])))
  for (const { id, revision, body } of (await user.device.read('bodies')) as Resource[]) {
    const note = notes.get(id)
    // A text that the server alone knows is read when the note is opened.
    expect([id, note !== undefined, revision <= (note?.revision ?? 0)]).toEqual([id, true, true])
    if (note?.revision === revision) expect([id, body]).toEqual([id, note.body])
  }
  const titles = [...notes.values()].map(({ title }) => title).sort()
  for (const { tab } of user.tabs)
    expect([...tab.workspace.copy.shown.note.peek().values()].map(({ title }) => title).sort()).toEqual(titles)
}

/** What a device keeps has all that the export has of it, and nothing else. */
async function compareWithExport(user: User, exported: ReadonlyMap<string, readonly Line[]>): Promise<void> {
  const kept = (await readKept(user)).filter(({ type }) => TYPES.includes(type))
  const live = TYPES.flatMap((type) =>
    (exported.get(type) ?? []).flatMap((line) => (line.deleted_at === null ? [{ type, line }] : [])),
  )
  const part = (of: object, like: object) => Object.fromEntries(Object.entries(of).filter(([name]) => name in like))
  // What the server alone knows of a resource, such as what it was imported from, is not on devices.
  for (const { type, line } of live) {
    const here = kept.find((each) => each.type === type && each.id === line.id)?.resource ?? {}
    expect(part(here, line)).toEqual(part(line, here))
  }
  expect(kept).toHaveLength(live.length)
}

/**
 * All that was typed is there. A word is never twice in a note; it is in another note only if that is a conflicting copy,
 * which repeats what the note had, or the other way round: both have the name that the note was made with. A task that was
 * added is there once, and each answer to a card.
 */
function checkTyped(typed: readonly Typed[], exported: ReadonlyMap<string, readonly Line[]>): void {
  const [notes = [], tasks = [], reviews = []] = ['note', 'task', 'review'].map((type) => exported.get(type))
  const faults = typed.filter(({ kind, word, name, mayBeLost }) => {
    const times = (body = '') => body.split(new RegExp(`\\b${word}\\b`)).length - 1
    const found =
      kind === 'note'
        ? notes.filter(({ body }) => times(body) > 0)
        : kind === 'task'
          ? tasks.filter(({ title }) => title === word)
          : reviews.filter(({ id, card_id }) => id === word && card_id === name)
    if (found.length === 0) return !mayBeLost
    if (kind !== 'note') return found.length > 1
    return found.some(({ title, body }) => times(body) > 1 || title.split(' ')[0] !== name)
  })
  expect(faults.map(({ tab: _, ...each }) => each)).toEqual([])
  expect(reviews.length).toBe(new Set(reviews.map(({ id }) => id)).size)
}

/** Ends all troubles of the devices, and waits until both have sent all and read all. */
async function recover(users: readonly User[], ask: Ask): Promise<readonly Change[] | null> {
  // The browser tells the app of a network only after there was none.
  for (const { setNetwork } of users) setNetwork('cut')
  await pass(0)
  for (const { tabs, leave, setNetwork } of users) {
    setNetwork('works')
    tabs.forEach(leave)
  }
  // What is refused is told until it is dismissed: its note was deleted elsewhere.
  const isSent = ({ refused }: { refused?: string }) => refused !== undefined
  return until(async () => {
    for (const { device } of users)
      if (!((await device.read('writes')) as { refused?: string }[]).every(isSent)) return null
    const feed = await readFeed(ask)
    const kept = await Promise.all(users.map(readKept))
    return kept.every((each) => revisionsOf(each).join() === revisionsOf(feed).join()) ? feed : null
  })
}

const KINDS = Object.keys(createUser('', {} as Device, []).acts)
const OFTEN = [
  'addTask',
  'changeTask',
  'changeTask',
  'makeNote',
  'typeAndStay',
  'typeAndStay',
  'typeAndLeave',
  'reconnect',
]
const step = (kind: fc.Arbitrary<string>) =>
  fc.record({ kind, user: fc.nat(1), pick: fc.nat(1000), wait: fc.constantFrom(0, 0, 100, 500, 4000) })
/** Each kind once, and more of what people do. */
const steps = fc
  .tuple(
    fc.tuple(...KINDS.map((kind) => step(fc.constant(kind)))),
    fc.array(step(fc.constantFrom(...KINDS, ...OFTEN)), { minLength: 15, maxLength: 25 }),
  )
  .chain(([all, more]) => fc.shuffledSubarray([...all, ...more], { minLength: all.length + more.length }))

test('two devices that lose their networks and tabs have all in the end', async () => {
  const done = new Set<string>()
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const { key, ask } = stranger()
      const deck = await ask('POST', 'api/flashcards/decks', { name: 'Numbers' })
      const items = ['1', '2', '3'].map((each) => ({ deck_id: deck.id, type: 'basic', front: each, back: each }))
      await ask('POST', 'api/flashcards/facts/batch', { items })
      await ask('POST', 'api/notes', { title: 'n1', body: '- [ ] one\n- [ ] two\n' })
      await ask('POST', 'api/tasks', { title: 'First' })
      const cards = (await ask('GET', 'api/flashcards/cards')).items.map(({ id }: { id: string }) => id)
      const users = ['a', 'b'].map((name) => createUser(name, openDevice([key]), cards))
      for (const { openTab } of users) await openTab()
      await until(() => users.every(({ tabs }) => tabs[0]?.tab.workspace.copy.shown.note.peek().size === 1))
      for (const { kind, user, pick, wait } of steps) {
        const { tabs, acts } = users[user] as User
        const open = tabs[pick % tabs.length]
        if (open && (await acts[kind]?.(open, pick)) !== false) done.add(kind)
        await pass(wait)
      }
      const feed = await recover(users, ask)
      const exported = await readExport(key)
      for (const user of users) {
        await compare(user, feed ?? [])
        await compareWithExport(user, exported)
      }
      checkTyped(
        users.flatMap(({ typed }) => typed),
        exported,
      )
      closeAll()
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
  expect(KINDS.filter((kind) => !done.has(kind))).toEqual([])
}, 900_000)
