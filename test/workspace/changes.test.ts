/** The change feed with what changed, `include=resource`, and of some types alone, `types`. */

import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { RESOURCE_TYPES, type ResourceType } from '../../src/db/change-feed'
import type { WorkspaceId } from '../../src/db/database'
import { createListeners } from '../../src/workspace/processes'
import { createWorkspaces } from '../../src/workspace/service'
import { addTotals, readFeed, upsertChanges } from '../../src/workspace/store'
import { startModel } from '../search/meaning/model'
import { openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'
import { onSqlite } from '../support/full'
import { explain } from '../support/plans'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'
import { fill } from './fill'

const model = startModel()
const world = await makeWorld({ settings: { ...MANY_CALLERS, SEMANTIC_BASE_URL: model.url, SEMANTIC_MODEL: 'words' } })
afterAll(async () => {
  await world.close()
  await model.stop()
})
type As = ReturnType<typeof stranger>
interface Item {
  readonly type: string
  readonly id: string
  readonly op: string
  readonly revision: number
  readonly resource?: { readonly id: string; readonly revision: number; readonly body?: string } | null
}
const feed = async (me: As, query: string) => (await world.call(me, 'GET', `/api/changes?${query}`)).body
async function whole(me: As, limit: number, more = '&include=resource'): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  for (let [pages, since] = [1, '0']; ; pages++) {
    const page = await feed(me, `limit=${limit}&since=${since}${more}`)
    items.push(...page.items)
    if (page.next_cursor === null) return { items, pages }
    since = page.next_cursor
  }
}

/** Where each type is read. */
const ADDRESSES: Readonly<Record<string, (item: Item) => string>> = {
  note: ({ id }) => `/api/notes/${id}`,
  task: ({ id }) => `/api/tasks/${id}`,
  task_project: ({ id }) => `/api/tasks/projects/${id}`,
  task_section: ({ id }) => `/api/tasks/sections/${id}`,
  task_label: ({ id }) => `/api/tasks/labels/${id}`,
  task_filter: ({ id }) => `/api/tasks/filters/${id}`,
  task_feed: ({ id }) => `/api/tasks/feeds/${id}`,
  deck: ({ id }) => `/api/flashcards/decks/${id}`,
  fact: ({ id }) => `/api/flashcards/facts/${id}`,
  card: ({ id }) => `/api/flashcards/cards/${id}`,
  review: ({ id }) => `/api/flashcards/reviews/${id}`,
  note_type: ({ id }) => `/api/flashcards/note-types/${id}`,
  study_settings: () => '/api/flashcards/settings',
  workspace_settings: () => '/api/workspace/settings',
}

describe('the feed with resources', () => {
  test('has of every type what its own address answers, null for what was deleted, and else what it has without', async () => {
    const me = stranger()
    await fill(world, me)
    const { items } = await whole(me, 7)
    const types = new Set<string>()
    for (const item of items) {
      if (item.op === 'delete') {
        expect(item.resource).toBeNull()
        continue
      }
      types.add(item.type)
      expect(item.resource).toMatchObject({ revision: item.revision })
      const address = ADDRESSES[item.type]?.(item)
      if (address) expect([address, item.resource]).toEqual([address, (await world.call(me, 'GET', address)).body])
    }
    const media = (await world.call(me, 'GET', '/api/flashcards/media')).body.items
    expect(items.filter(({ type }) => type === 'media').map(({ resource }) => resource)).toEqual(media)
    const attachments = (await world.call(me, 'GET', '/api/notes/attachments')).body.items
    expect(items.filter(({ type }) => type === 'attachment').map(({ resource }) => resource)).toEqual(attachments)
    expect([...types].toSorted()).toEqual([...Object.keys(ADDRESSES), 'attachment', 'media'].toSorted())
    const without = (await feed(me, 'limit=200')).items
    expect(items.map(({ resource: _, ...item }) => item)).toEqual(without)
  })

  test('ends a page early when its resources have 1 MiB, and loses none', async () => {
    const me = stranger()
    const sizes = [600_000, 600_000, 1, 1_048_000, 1, 1]
    for (const [i, size] of sizes.entries())
      await world.call(me, 'POST', '/api/notes', { title: `${i}`, body: 'x'.repeat(size) })
    const { items, pages } = await whole(me, 200)
    expect(items.map(({ resource }) => resource?.body?.length)).toEqual(sizes)
    expect(pages).toBe(3)
    expect((await feed(me, 'limit=200')).next_cursor).toBeNull()
  })

  test('comes with all its pages in one answer, each on a line, as x-ndjson', async () => {
    const me = stranger()
    await fill(world, me)
    const query = 'limit=2&include=resource&types=note,task,deck'
    const read = (query: string, more = {}) =>
      world.call(me, 'GET', `/api/changes?${query}`, undefined, { Accept: 'application/x-ndjson', ...more })
    const answer = await read(query)
    expect([answer.headers.get('Content-Type'), answer.headers.get('Vary')]).toEqual([
      'application/x-ndjson',
      'Accept, Accept-Encoding',
    ])
    expect(answer.headers.get('Content-Encoding')).toBeNull()
    const packed = await read(query, { 'Accept-Encoding': 'gzip' })
    expect(packed.headers.get('Content-Encoding')).toBe('gzip')
    const lines = String(answer.body).split('\n')
    expect(lines.pop()).toBe('')
    let since: string | null = '0'
    for (const line of lines) {
      expect(JSON.parse(line)).toEqual(await feed(me, `${query}&since=${since}`))
      since = JSON.parse(line).next_cursor
    }
    expect([lines.length > 2, since]).toEqual([true, null])
    const headers = { 'X-API-Key': me.key, Accept: 'application/x-ndjson' }
    const head = await fetch(`${world.listen()}api/changes?${query}`, { method: 'HEAD', headers })
    expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([200, null, ''])
    expect((await read('since=99999999')).status).toBe(410)
    expect((await read('')).status).toBe(200)
  })

  test.each(['include=', 'include=resources', 'include=resource&include=resource'])('refuses %s', async (query) => {
    expect((await world.call(stranger(), 'GET', `/api/changes?${query}`)).status).toBe(400)
  })
})

describe('the feed of some types', () => {
  test('is the feed without the other types, with what changed or without, in pages of any length', async () => {
    const me = stranger()
    await fill(world, me)
    const all = (await whole(me, 200)).items
    const ofTypes = (types: readonly string[]) => all.filter(({ type }) => types.includes(type))
    for (const types of [['note'], ['task', 'fact'], ['media', 'study_settings'], [...RESOURCE_TYPES]]) {
      expect((await whole(me, 3, `&include=resource&types=${types}`)).items).toEqual(ofTypes(types))
      expect((await whole(me, 1, `&types=${types}`)).items).toEqual(
        ofTypes(types).map(({ resource: _, ...item }) => item),
      )
    }
    const { latest_seq } = await feed(me, 'limit=1')
    expect(await feed(me, 'types=task_feed&limit=1')).toMatchObject({ next_cursor: null, latest_seq })
    expect(await feed(me, `types=note&since=${latest_seq}`)).toEqual({ items: [], next_cursor: null, latest_seq })
  })

  test('has the same expired cursors as the whole feed', async () => {
    const me = stranger()
    await world.call(me, 'POST', '/api/notes', { body: 'one' })
    expect((await feed(me, 'types=note&since=2')).code).toBe('cursor_expired')
    await world.call(me, 'DELETE', '/api/workspace', { confirm: 'erase' })
    expect((await feed(me, 'types=note&since=1')).code).toBe('cursor_expired')
    expect((await feed(me, 'types=task&since=1')).code).toBe('cursor_expired')
  })

  test.each(['types=', 'types=notes', 'types=note,', 'types=note,note', 'types=note&types=task', 'types=constructor'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await world.call(stranger(), 'GET', `/api/changes?${query}`)
      expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', '/types'])
    },
  )
})

describe('reading the feed of some types among 50,000 changes of another', async () => {
  const db = await openMigrated(join(makeFolder(), 'satchel.db'), 0, () => 'x')
  afterAll(() => db.close())
  const workspace = { id: 'f'.repeat(32) as WorkspaceId, kind: 'key' as const }
  const OTHERS = 50_000
  const add = (firstSeq: number, count: number, type: ResourceType) =>
    db.transaction(async (tx) => {
      await addTotals(tx, workspace, { seq: count, resources: 0, size_bytes: 0 }, 0)
      const change = { type, op: 'upsert', revision: 1, at: 0, resources: 0, bytes: 0 } as const
      const changes = Array.from({ length: count }, (_, i) => ({ ...change, id: `${type} ${firstSeq + i}` }))
      await upsertChanges(tx, workspace.id, firstSeq, changes)
    })
  const quota = { resources: 0, size_bytes: 0 }
  const quotas = { key: quota, scratch: quota }
  const { listChanges } = createWorkspaces({
    db,
    now: () => 0,
    quotas,
    diskIsFull: () => false,
    listeners: createListeners(),
  })
  /** The seqs of each page from a seq on, and after which seq the next one begins. */
  async function pages(types: readonly ResourceType[], since: number, limit: number) {
    const found: { readonly seqs: number[]; readonly next: number | null }[] = []
    for (let from: number | null = since; from !== null; ) {
      const page = await listChanges({ db, workspace }, { seq: from, forgottenAtStart: 0 }, limit, types)
      found.push({ seqs: page.items.map(({ seq }) => seq), next: page.nextSeq })
      from = page.nextSeq
    }
    return found
  }

  test('looks at 20,000 at a time, passes those that it leaves out, and ends at the end', async () => {
    // PostgreSQL ends a statement after ten seconds.
    for (let seq = 1; seq < OTHERS; seq += 5000) await add(seq, 5000, 'review')
    expect(await pages(['note'], 0, 10)).toEqual([
      { seqs: [], next: 20_000 },
      { seqs: [], next: 40_000 },
      { seqs: [], next: null },
    ])
    // Exactly as many as one read looks at: there is nothing after it.
    expect(await pages(['note'], 30_000, 10)).toEqual([{ seqs: [], next: null }])
    expect(await pages(['note'], 29_999, 10)).toEqual([
      { seqs: [], next: 49_999 },
      { seqs: [], next: null },
    ])
    await add(OTHERS + 1, 3, 'note')
    expect((await pages(['note'], 0, 2)).flatMap(({ seqs }) => seqs)).toEqual([50_001, 50_002, 50_003])
    expect((await pages(['note', 'task'], 30_002, 10)).map(({ seqs }) => seqs)).toEqual([[50_001, 50_002], [50_003]])
    expect((await pages(['review'], 49_996, 2)).map(({ seqs }) => seqs)).toEqual([
      [49_997, 49_998],
      [49_999, 50_000],
    ])
    expect((await pages(['review'], 0, 30_000)).flatMap(({ seqs }) => seqs)).toEqual(
      Array.from({ length: OTHERS }, (_, i) => i + 1),
    )
  })

  // A plan of SQLite.
  onSqlite('reads the index alone to filter, and rows by their key', async () => {
    const asked = await explain(db, (noted) => readFeed(noted, workspace.id, { since: 0, limit: 10, types: ['note'] }))
    const ofTables = (step: string) => /\b(changes|c|w)\b/.test(step)
    const plans = asked.map((steps) => steps.map(({ detail }) => detail).filter(ofTables))
    expect(plans).toEqual([
      [
        'SEARCH changes USING COVERING INDEX changes_by_seq (workspace=? AND seq>?)',
        'SEARCH changes USING COVERING INDEX changes_by_seq (workspace=? AND seq>? AND seq<?)',
        'SEARCH w USING PRIMARY KEY (id=?)',
        'SEARCH c USING PRIMARY KEY (workspace=? AND type=? AND id=?) LEFT-JOIN',
      ],
    ])
  })
})
