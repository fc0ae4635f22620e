import { describe, expect, test } from 'bun:test'
import { flashcardScript } from './support/flashcard-script'
import { firstNotes, listing, type NoteOwner, noteScript, placeScript, SHARED, searches } from './support/note-script'
import { taskScript } from './support/task-script'
import type { Ask } from './support/visitor'
import { type As, makeKey, makeWorld } from './support/world'
import { zipOfTexts } from './support/zip'

/**
 * Two workspaces never see each other. Two callers send the same kind of requests in turns, to every endpoint, with
 * the same ids, Idempotency-Keys and words, and with ids and cursors of each other. What each is answered must be, to
 * the last byte, what it is answered in a world of its own.
 */

type World = Awaited<ReturnType<typeof makeWorld>>

interface Party extends NoteOwner {
  readonly as: As
}

const party = (as: As, word: string, digit: string, quokkas: number): Party => ({
  as,
  word,
  quokkas,
  id: `01890000-0000-7000-8000-00000000000${digit}`,
  trip: `01890000-0000-7000-8000-0000000000${digit}0`,
  linking: `01890000-0000-7000-8000-000000000${digit}00`,
})
const alpha = (as: As) => party(as, 'aardvark', 'a', 2)
const beta = (as: As) => party(as, 'bumblebee', 'b', 6)

/** Projects, sections, labels and saved filters: under an id that both use, one's own, and the other's. */
function lists(me: Party, other: Party, kind: string): Ask[] {
  const base = `/api/tasks/${kind}`
  const rest = { projects: {}, sections: { project_id: SHARED }, labels: {}, filters: { filter: 'today' } }[kind]
  const make = (body: object): Ask => ({ method: 'POST', path: base, body: { ...rest, ...body } })
  return [
    make({ id: SHARED, name: me.word }),
    make({ id: me.id, name: 'common' }),
    make({ name: 'COMMON' }),
    make({ name: 'beside', ...(kind === 'labels' ? { id: other.id } : { after: other.id }) }),
    ...[me.id, SHARED, other.id].flatMap((id) => [
      { path: `${base}/${id}` },
      { method: 'PATCH', path: `${base}/${id}`, body: { name: `${me.word} ${id.slice(-3)}` } },
      { method: 'DELETE', path: `${base}/${id}` },
      { path: `${base}?trashed=true` },
      { method: 'POST', path: `${base}/${id}/restore` },
      { path: `${base}?limit=1` },
    ]),
    { method: 'DELETE', path: `${base}/${other.id}?permanent=true` },
    { method: 'DELETE', path: `${base}/${me.id}?permanent=true` },
    { path: base },
  ]
}

/** Dates of a series that each party has, and what was done of it. */
function dates(me: Party): Ask[] {
  const series = {
    id: me.id,
    title: `Feed the ${me.word}`,
    due: { date: '2026-03-01' },
    recurrence: { rrule: 'FREQ=DAILY' },
    reminders: [{ offset_minutes: -60 }, { offset_minutes: 0 }],
  }
  const asked = ['agenda', 'stats', 'reminders', 'reminders?limit=1'].map((path) => ({ path: `/api/tasks/${path}` }))
  return [
    { method: 'POST', path: '/api/tasks', body: series },
    ...asked,
    { method: 'POST', path: `/api/tasks/${me.id}/complete`, body: {} },
    ...asked,
  ]
}

/**
 * Every endpoint, by what is one's own, what both have, and what is the other's alone: in parts that are played one after
 * the other in one world, since to make one takes long; each begins with nothing and ends so.
 */
const PARTS = { notes: noteScript, tasks: ofTasks, flashcards: ofFlashcards, places: ofPlaces, archives: ofArchives }
type Part = keyof typeof PARTS
const ALL = Object.keys(PARTS) as Part[]

function script(part: Part, me: Party, other: Party, cursor: string): Ask[] {
  return [
    // First of all, while nothing is in the scratch space that the two may share.
    { method: 'POST', path: '/api/workspace/adopt' },
    { path: '/api' },
    { path: '/api/usage' },
    ...firstNotes(me),
    ...PARTS[part](me, other, cursor),
    ...searches(me, other),
    ...['', '?since=2', '?limit=1'].map((query) => ({ path: `/api/changes${query}` })),
    { path: '/api/changes/stream?since=2' },
    { path: '/api/imports' },
    ...['GET', 'DELETE'].map((method) => ({ method, path: `/api/imports/${other.id}` })),
    { path: '/api/usage' },
    { method: 'DELETE', path: '/api/trash', body: { confirm: 'erase' } },
    { path: '/api/changes' },
    { method: 'DELETE', path: '/api/workspace', body: { confirm: 'erase' } },
    { path: '/api/changes' },
    { path: '/api/usage' },
  ]
}

function ofTasks(me: Party, other: Party): Ask[] {
  return [
    ...dates(me),
    ...['projects', 'sections', 'labels', 'filters'].flatMap((kind) => lists(me, other, kind)),
    ...taskScript(me, other, SHARED),
  ]
}

function ofFlashcards(me: Party, other: Party): Ask[] {
  return flashcardScript(me, other, SHARED)
}

/** Links, days, tags and folders; and what the chat, here and as others speak to it, finds in all of them. */
function ofPlaces(me: Party, other: Party): Ask[] {
  return [...dates(me), ...placeScript(me, other)]
}

/** In and out as files: notes, and after all is erased, a whole workspace. */
function ofArchives(me: Party, other: Party): Ask[] {
  return [
    ...['', '?dry_run=true'].map((query) => ({
      method: 'POST',
      path: `/api/notes/import${query}`,
      body: `---\nid: ${SHARED}\ntags: [common]\n---\n# Diary of ${me.word}`,
      headers: { 'Content-Type': 'text/markdown' },
    })),
    ...listing(),
    // Only what has the ids that were sent: those that are made anew cannot be told in compressed bytes.
    { path: `/api/notes/export?folder=zoo/${me.word}` },
    { method: 'DELETE', path: '/api/workspace', body: { confirm: 'erase' } },
    { path: '/api/changes' },
    ...moved(me, other),
  ]
}

/** A whole workspace in and out, with one's own ids and the other's. What is exported has none that were made anew. */
function moved(me: Party, other: Party): Ask[] {
  const at = '2026-03-01T08:15:00.000Z'
  const empty = { folder: null, tags: [me.word], properties: {} }
  const note = {
    ...{ revision: 4, created_at: at, updated_at: at, deleted_at: null, archived_at: null, pinned: false },
    ...{
      file_name: null,
      ...empty,
      source: null,
      daily_date: null,
      imported: null,
      title: me.word,
      body: `[[${other.word}]]`,
    },
  }
  const old = { title: 'Old', body: me.word, ...empty }
  const version = {
    ...{ revision: 1, last_revision: 2, body_revision: 1, updated_at: at, label: me.word, label_revision: 1 },
    content: old,
  }
  const lines = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).join('\n')
  const archive = zipOfTexts({
    'manifest.json': JSON.stringify({ format: 'satchel-workspace', version: 1 }),
    'data/note.jsonl': lines([SHARED, me.id].map((id) => ({ id, ...note }))),
    'data/note_revision.jsonl': lines([SHARED, me.id, other.id].map((note_id) => ({ note_id, ...version }))),
  })
  const send = { method: 'POST', path: '/api/import', body: archive, headers: { 'Content-Type': 'application/zip' } }
  return [
    ...['?dry_run=true', '', ''].map((query) => ({ ...send, path: `/api/import${query}` })),
    ...[me.id, other.id].map((id) => ({ path: `/api/notes/${id}` })),
    { path: '/api/export' },
    { path: '/api/changes' },
    { path: '/api/usage' },
  ]
}

function newWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  return makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '1000', ...settings } })
}

/** For more requests than an hour has; a ceiling that both share would show how many the other sends. */
const LONG = { FREE_LIMIT_PER_HOUR: '2000', API_LIMIT_PER_HOUR: '2000', NETWORK_CEILING_PER_HOUR: '0' }

/** Ids that no script can know: the first card of a party's latest queue, and that of the other's. */
interface Cards {
  readonly own: string
  readonly foreign: string
}

/** An answer in full, less what is made anew for each request; and the first card in it, if it is a queue. */
async function answer(world: World, { as }: Party, { method = 'GET', path, body, headers = {} }: Ask, cards: Cards) {
  const known = (text: string) => text.replaceAll('{card}', cards.own).replaceAll('{foreign card}', cards.foreign)
  const isFile = body === undefined || body instanceof Uint8Array
  const sent = isFile ? body : JSON.parse(known(JSON.stringify(body)))
  const answered = await world.call(as, method, known(path), sent, { ...headers })
  const fields = [...answered.headers].filter(([name]) => name !== 'date')
  const text = JSON.stringify([method, path, answered.status, fields, answered.body])
  // A cursor may hold an id as well.
  const read = text.replaceAll(/"next_cursor":"([\w-]+)"/g, (_, cursor) => Buffer.from(cursor, 'base64url').toString())
  // A fingerprint is a digest of a request, which names an id.
  const opened = read.replaceAll(/"(token|url|fingerprint)":"[^"]+"/g, '"$1":"minted"')
  const card: string | undefined = answered.body?.items?.[0]?.card?.id
  return { text: opened.replaceAll(/01900000-0000-7000-8000-[0-9a-f]{12}/g, 'minted'), card }
}

const NO_CARD = '01900000-0000-7000-8000-ffffffffffff'

interface Playing {
  readonly party: Party
  /** What it sends in each part. */
  readonly asks: readonly (readonly Ask[])[]
}

/** The parties' answers in each part, when they send their requests in turns. */
async function play(...parties: readonly Playing[]): Promise<string[][][]> {
  const world = await newWorld(LONG)
  const answers = parties.map(() => ALL.map((): string[] => []))
  const cards = parties.map(() => NO_CARD)
  for (const part of ALL.keys()) {
    const steps = Math.max(...parties.map(({ asks }) => asks[part]?.length ?? 0))
    for (let step = 0; step < steps; step++) {
      for (const [i, { party, asks }] of parties.entries()) {
        const ask = asks[part]?.[step]
        if (!ask) continue
        const ids = { own: cards[i] ?? NO_CARD, foreign: cards[1 - i] ?? NO_CARD }
        const { text, card } = await answer(world, party, ask, ids)
        answers[i]?.[part]?.push(text)
        if (card !== undefined) cards[i] = card
      }
    }
  }
  await world.close()
  return answers
}

/** The answers that are not the same in both, each with its counterpart. */
function differing(some: readonly string[] = [], others: readonly string[] = []): unknown[] {
  return some.map((text, i) => [text, others[i]]).filter(([text, other]) => text !== other)
}

/** A cursor into the list of a party that has its first notes: the same whoever the party calls as. */
const cursorOf = once(
  (party: Party) => party.word,
  async (party) => {
    const world = await newWorld()
    for (const { path, body } of firstNotes(party)) await world.call(party.as, 'POST', path, body)
    const { body } = await world.call(party.as, 'GET', '/api/notes?limit=1')
    await world.close()
    return body.next_cursor as string
  },
)

/** What a caller is answered in a world of its own; one of them meets two others. */
const playAlone = once(
  ({ party }: Playing) => JSON.stringify([party.as, party.word]),
  async (playing) => (await play(playing))[0],
)

/** `make`, called once for each name that `nameOf` gives. */
function once<In, Out>(nameOf: (input: In) => string, make: (input: In) => Promise<Out>): (input: In) => Promise<Out> {
  const made = new Map<string, Promise<Out>>()
  return (input) => {
    const name = nameOf(input)
    const found = made.get(name) ?? make(input)
    made.set(name, found)
    return found
  }
}

/** What each party must have been shown in a part. */
const SHOWN: Record<Part, readonly string[]> = {
  notes: ['The boiler warranty of the {word} ends in May.', '"label":"first of {word}"'],
  tasks: ['"title":"now of {word}"'],
  flashcards: ['"kind":"learning","rating":4'],
  places: ['The boiler warranty of the {word} ends in May.', '{word} today'],
  archives: ['"tags":["{word}"]'],
}

const KEYS = [makeKey(1), makeKey(2)] as const
const HERE = '192.0.2.1'

describe.each<[string, As, As]>([
  ['two keys of one address', { key: KEYS[0], address: HERE }, { key: KEYS[1], address: HERE }],
  ['a key, and the scratch space of its address', { key: KEYS[0], address: HERE }, { address: HERE }],
  ['two addresses', { address: HERE }, { address: '192.0.2.2' }],
])('%s', (_, one, two) => {
  const parties = [alpha(one), beta(two)] as const

  test('are answered as if each were alone', async () => {
    const [a, b] = parties
    const [ofA, ofB] = [await cursorOf(a), await cursorOf(b)]
    const asks = (me: Party, other: Party, cursor: string) => ALL.map((part) => script(part, me, other, cursor))
    const [playingA, playingB] = [
      { party: a, asks: asks(a, b, ofB) },
      { party: b, asks: asks(b, a, ofA) },
    ]
    const [withB = [], withA = []] = await play(playingA, playingB)
    const [aloneA = [], aloneB = []] = await Promise.all([playAlone(playingA), playAlone(playingB)])
    expect(differing(withB.flat(), aloneA.flat())).toEqual([])
    expect(differing(withA.flat(), aloneB.flat())).toEqual([])
    // Each got its own through: otherwise two empty worlds would be equal as well.
    for (const [i, part] of ALL.entries())
      for (const shown of SHOWN[part]) {
        expect(withA[i]?.join()).toContain(shown.replace('{word}', b.word))
        expect(withB[i]?.join()).toContain(shown.replace('{word}', a.word))
      }
    expect(
      withA
        .flat()
        .join()
        .replaceAll(/What about the \w+/g, ''),
    ).not.toContain(`sleeps #${a.word}`)
  })
})

test.each([
  ['two IPv6 networks', '2001:db8:0:1::1', '2001:db8:0:2::1'],
  ['an IPv4 address, and IPv6 that spells it', HERE, '2001:db8::192.0.2.1'],
])('%s have each a scratch space and a limit', async (_, first, second) => {
  const world = await newWorld()
  const made = await world.call({ address: first }, 'POST', '/api/notes', { title: 'mine' })
  const read = await world.call({ address: second }, 'GET', `/api/notes/${made.body.id}`)
  expect([made.status, read.status]).toEqual([201, 404])
  expect(read.headers.get('X-RateLimit-Remaining')).toBe('999')
  await world.close()
})

test('every route is asked there', async () => {
  const world = await newWorld()
  const asks = ALL.flatMap((part) => script(part, alpha({}), beta({}), 'x'))
  const asked = asks.map(({ method = 'GET', path }) => {
    return `${method} ${path
      .replace(/\?.*/, '')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, ':id')
      .replace(/\{(foreign )?card\}/, ':id')
      .replace(/(completions)\/[0-9a-f-]{36}/, '$1/:cid')
      .replace(/media\/\w+\.txt/, 'media/:name')
      .replace(/models\/.+/, 'models/:id')
      .replace(/\d{4}-\d\d-\d\d/, ':date')
      .replace(/(by-path)\/[^/]+$/, '$1/:path')
      .replace(/(by-path)\/[^:]+$/, '$1/*')
      .replace(/revisions\/\d+/, 'revisions/:n')}`
  })
  const routes = world.app.routes.filter(({ method, path }) => method !== 'ALL' && /^\/api(\/|$)/.test(path))
  expect([...new Set(asked)].toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted())
  await world.close()
})

test.each([
  ['two addresses of one IPv6 /64', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2'],
  ['an IPv4 address in two spellings', '192.0.2.1', '::ffff:192.0.2.1'],
])('%s share a scratch space and its limit', async (_, first, second) => {
  const world = await newWorld()
  const made = await world.call({ address: first }, 'POST', '/api/notes', { title: 'shared' })
  const read = await world.call({ address: second }, 'GET', `/api/notes/${made.body.id}`)
  expect([read.status, read.body]).toEqual([200, made.body])
  expect(read.headers.get('X-RateLimit-Remaining')).toBe('998')
  await world.close()
})

test('the same key sees its workspace from any address', async () => {
  const world = await newWorld()
  const made = await world.call({ key: KEYS[0], address: HERE }, 'POST', '/api/notes', { title: 'mine' })
  const read = await world.call({ key: KEYS[0], address: '2001:db8::1' }, 'GET', `/api/notes/${made.body.id}`)
  expect([read.status, read.body]).toEqual([200, made.body])
  await world.close()
})
