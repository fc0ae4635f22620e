import { afterAll, expect, test } from 'bun:test'
import type { Session, WorkspaceId } from '../../src/db/database'
import { keepFileLinks } from '../../src/notes/attachments/file-links'
import { linkHook } from '../../src/notes/links/body-links'
import { createRenameNote } from '../../src/notes/links/rename-note'
import { createRenameSteps } from '../../src/notes/links/rename-steps'
import { createNoteWriter, type NoteWriteHook } from '../../src/notes/note'
import { createNotes } from '../../src/notes/service'
import { spent } from '../support/cost'
import { slowOnSqlite } from '../support/full'
import { searchOf } from '../support/search'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)
const _search = searchOf(world.db, () => world.clock.now)

/** A workspace with a first note, reached through the API and, as `session`, from within. */
async function makeSpace(title: string) {
  const as = stranger()
  const call = (method: string, path: string, body?: unknown) => world.call(as, method, `/api/notes${path}`, body)
  const id: string = (await call('POST', '', { title })).body.id
  const row = await world.db.get<{ workspace: WorkspaceId }>(
    'SELECT workspace FROM notes WHERE title = $1 ORDER BY key DESC',
    [title],
  )
  if (!row) throw new Error('the note is not stored')
  const session: Session = { db: world.db, workspace: { id: row.workspace, kind: 'key' } }
  return { call, id, session, changes: async () => (await world.call(as, 'GET', '/api/changes?limit=200')).body }
}

test('a rename that fails on the way leaves no note, link, count or change of it', async () => {
  const { call, id, session, changes } = await makeSpace('Trip')
  const from: string[] = []
  for (let i = 0; i < 5; i++) from.push((await call('POST', '', { title: `F${i}`, body: '[[Trip]] [[Tour]]' })).body.id)
  const failing: NoteWriteHook = {
    async afterWrite(_session, _old, note) {
      if (note.id === from[3]) throw new Error('the power is gone')
      return {}
    },
  }
  const [now, record] = [() => world.clock.now, async () => {}]
  const writer = createNoteWriter({ now, record, hooks: [linkHook, failing] })
  const imports = { registerWork() {}, begin: () => Promise.reject(new Error('there are no runs here')) }
  const rename = createRenameNote({
    ids: () => id,
    writer,
    renaming: createRenameSteps({ now, writer, keepFileLinks }),
    imports,
  })
  const notes = createNotes({ now, ids: () => id, writer, rename })

  const seen = async () => [
    await changes(),
    (await call('GET', '?include=body')).body,
    (await call('GET', `/${id}/backlinks`)).body,
    (await call('GET', '/unresolved')).body,
    await Promise.all(from.map(async (note) => (await call('GET', `/${note}/links`)).body)),
    await Promise.all(from.map(async (note) => (await call('GET', `/${note}`)).headers.get('etag'))),
  ]
  const before = await seen()
  await expect(notes.update(session, id, { title: 'Tour' })).rejects.toThrow('the power is gone')
  expect(await seen()).toEqual(before)
  expect((await call('PATCH', `/${id}`, { title: 'Tour' })).headers.get('x-links-updated')).toBe('5')
})

// A budget for SQLite in the process: PostgreSQL's work is another's.
slowOnSqlite('a note linked from 1,000 others is renamed in one go, in under 1.5 seconds of work', async () => {
  const { call, id, changes } = await makeSpace('Hub')
  const body = `${'Some words of a note that is not short. '.repeat(20)}\n\nsee [[hub]] and [[Hub#H|it]]`
  const from = await Promise.all(Array.from({ length: 1000 }, (_, i) => call('POST', '', { title: `F${i}`, body })))
  const { ms, value: renamed } = await spent(() => call('PATCH', `/${id}`, { title: 'Centre' }))
  expect([renamed.status, renamed.headers.get('x-links-updated'), renamed.body.links.in]).toEqual([200, '1000', 1000])
  expect(ms).toBeLessThan(1500)
  const last = (await call('GET', `/${from.at(-1)?.body.id}`)).body
  expect(last).toMatchObject({ revision: 2, links: { out: 1, unresolved: 0 } })
  expect(last.body).toEndWith('see [[Centre]] and [[Centre#H|it]]')
  expect(await changes()).toMatchObject({ latest_seq: 2002, items: { length: 200 } })
})

test('more than 5,000 notes are not rewritten: the rename is refused, and works without', async () => {
  const { call, id, session } = await makeSpace('Popular')
  const first = (await call('POST', '', { body: '[[Popular]] [[Gone]]' })).body.id
  const { db, workspace } = session
  await db.transaction(async (tx) => {
    const copies = 'WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 5000)'
    const columns =
      'revision, created_at, updated_at, title, title_key, tags, inline_tags, pinned, properties, excerpt, word_count, checklist_total, checklist_done, links_out, links_unresolved, size_bytes'
    await tx.run(
      `INSERT INTO notes (workspace, id, ${columns}) ${copies} SELECT workspace, '0189ffff-0000-7000-8000-' || substr('000000000000' || n, length(CAST(n AS text)) + 1), ${columns} FROM copy, notes WHERE workspace = $1 AND id = $2`,
      [workspace.id, first],
    )
    await tx.run(
      `INSERT INTO note_bodies (workspace, key, body) SELECT workspace, key, '[[Popular]] [[Gone]]' FROM notes WHERE workspace = $1 AND id LIKE '0189ffff-%'`,
      [workspace.id],
    )
    await tx.run(
      `INSERT INTO note_links (source, target_key, workspace, target, folder_key, places, resolved)
       SELECT notes.key, target_key, notes.workspace, target, folder_key, places, resolved
       FROM notes, note_links WHERE notes.workspace = $1 AND notes.id LIKE '0189ffff-%' AND source = (SELECT key FROM notes WHERE workspace = $1 AND id = $2)`,
      [workspace.id, first],
    )
    await tx.run('UPDATE notes SET links_in = 5001 WHERE workspace = $1 AND id = $2', [workspace.id, id])
  })
  const refused = await call('PATCH', `/${id}`, { title: 'Loved' })
  expect([refused.status, refused.body.code]).toEqual([409, 'rewrite_impossible'])
  expect((await call('GET', `/${id}`)).body).toMatchObject({ title: 'Popular', revision: 1 })
  expect((await call('GET', `/${first}/links`)).body.items[0].note_id).toBe(id)
  // An alias keeps the links where they are, so that there is nothing to rewrite.
  const kept = await call('PATCH', `/${id}?update_links=false`, {
    title: 'Loved',
    properties: { aliases: ['Popular'] },
  })
  expect([kept.status, kept.body.links.in]).toEqual([200, 5001])
  expect((await call('PATCH', `/${id}`, { title: 'Adored' })).headers.get('x-links-updated')).toBe('0')
  await call('PATCH', `/${id}`, { properties: null })
  expect((await call('GET', '/unresolved')).body.items).toMatchObject([
    { target: 'Gone', count: 5001 },
    { target: 'Popular', count: 5001 },
  ])
})

test('a path below the folder of a link is a link from when its note comes until it goes', async () => {
  const { call } = await makeSpace('Elsewhere')
  const create = async (title: string, folder: string | null, body = '') =>
    (await call('POST', '', { title, folder, body, file_name: `${title}.md` })).body.id as string
  const links = async (id: string) => (await call('GET', `/${id}`)).body.links
  const unresolved = async () =>
    (await call('GET', '/unresolved')).body.items.map(({ target }: { target: string }) => target)
  const from = await create('From', 'Work', '[x](Plans/Trip.md) [[Plans/Deep/Far]]')
  const other = await create('Other', 'Home', '[[Plans/Trip]]')
  const above = await create('Above', null, '[[Plans/Trip]]')
  expect(await links(from)).toEqual({ out: 2, unresolved: 2, in: 0 })

  const trip = await create('Trip', 'Work/Plans')
  const far = await create('Far', 'Work/Plans/Deep')
  expect([await links(from), await links(trip), await links(far)]).toEqual([
    { out: 2, unresolved: 0, in: 0 },
    { out: 0, unresolved: 0, in: 1 },
    { out: 0, unresolved: 0, in: 1 },
  ])
  expect([await links(other), await links(above)]).toEqual(Array(2).fill({ out: 1, unresolved: 1, in: 0 }))

  await call('PATCH', `/${trip}`, { file_name: 'Voyage.md' })
  expect((await call('GET', `/${from}`)).body.body).toBe('[x](Plans/Voyage.md) [[Plans/Deep/Far]]')
  await call('PATCH', `/${far}?update_links=false`, { folder: 'Work' })
  expect(await unresolved()).toEqual(['Plans/Trip', 'Plans/Deep/Far'])
  await call('PATCH', `/${far}?update_links=false`, { folder: 'Work/Plans/Deep' })
  await call('DELETE', `/${trip}`)
  expect((await unresolved()).toSorted()).toEqual(['Plans/Trip', 'Plans/Voyage.md'])
  await call('POST', `/${trip}/restore`)
  expect(await links(from)).toEqual({ out: 2, unresolved: 0, in: 0 })
})
