import { afterAll, describe, expect, test } from 'bun:test'
import type { Session, WorkspaceId } from '../../src/db/database'
import type { WorkKind } from '../../src/imports/kind'
import { createRelinkAttachment, createRelinkNotes, type RelinkState } from '../../src/notes/attachments/file-links'
import { type AttachmentRow, attachmentTable } from '../../src/notes/attachments/store'
import { createAttachmentWriter } from '../../src/notes/attachments/writer'
import { linkHook } from '../../src/notes/links/body-links'
import { createNoteWriter } from '../../src/notes/note'
import { revisionHook } from '../../src/notes/revisions/history'
import { propertyHook, tagHook } from '../../src/notes/tag-and-property-store'
import { untilEnded } from '../support/long-changes'
import { paged } from '../support/paged'
import { contradictions } from '../support/recount'
import { makeWorkspaces } from '../support/workspaces'
import type { As } from '../support/world'
import { makeNotesWorld } from './support'

/** Renames of files that more than 200 notes show: they are rewritten in steps, with other requests in between. */

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world

const PATH = '/api/notes/attachments'
const add = async (me: As, query: string): Promise<string> =>
  (await call(me, 'POST', `${PATH}?${query}`, query)).body.id
const note = async (me: As, body: string, folder: string | null = null): Promise<string> =>
  (await call(me, 'POST', '/api/notes', { body, folder })).body.id
const textOf = async (me: As, id: string): Promise<string> => (await call(me, 'GET', `/api/notes/${id}`)).body.body

/** So many notes with this body. */
async function many(me: As, count: number, body: string, folder: string | null = null): Promise<void> {
  for (let at = 0; at < count; at += 100) {
    const ops = Array.from({ length: Math.min(100, count - at) }, () => ({ op: 'create', data: { body, folder } }))
    await call(me, 'POST', '/api/notes/batch', { ops })
  }
}

async function bodies(me: As): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const notes = await paged((to) => call(me, 'GET', to), '/api/notes?include=body&limit=200')
  for (const { body } of notes) counts[body] = (counts[body] ?? 0) + 1
  return counts
}

const runs = async (me: As): Promise<string[]> =>
  (await call(me, 'GET', '/api/imports')).body.items.map(({ kind }: { kind: string }) => kind)

test.each([
  [200, []],
  [201, ['attachment_links']],
])('%d notes are rewritten', async (count, kinds) => {
  const me = stranger()
  const id = await add(me, 'name=x.png&folder=img')
  await many(me, count, '![[x.png]] ![](img/x.png)')
  const etag = (await call(me, 'GET', `${PATH}/${id}`)).headers.get('etag') ?? ''
  const renamed = await call(me, 'PATCH', `${PATH}/${id}`, { name: 'y.png' }, { 'If-Match': etag })
  expect([renamed.status, renamed.headers.get('x-links-updated')]).toEqual([200, String(count)])
  expect(renamed.body).toMatchObject({ id, name: 'y.png', revision: 2, warnings: [] })
  expect(renamed.headers.get('etag')).toBe((await call(me, 'GET', `${PATH}/${id}`)).headers.get('etag'))
  expect(await bodies(me)).toEqual({ '![[y.png]] ![](img/y.png)': count })
  expect(await runs(me)).toEqual([...kinds])

  const moved = await call(me, 'POST', '/api/notes/folders/rename', { from: 'img', to: 'pics' })
  expect([moved.status, moved.body]).toEqual([200, { notes_changed: 0, merged: false, attachments_moved: 1 }])
  expect(moved.headers.get('x-links-updated')).toBe(String(count))
  expect(await bodies(me)).toEqual({ '![[y.png]] ![](pics/y.png)': count })
  expect(await contradictions(world.folder)).toEqual([])
})

test('a folder of many notes and pictures takes them along, each note once', async () => {
  const me = stranger()
  for (const query of ['name=x.png&folder=A/img', 'name=y.png&folder=A/img', 'name=x.png&folder=B'])
    await add(me, query)
  await many(me, 150, '![](img/x.png) ![[A/img/y.png]] ![[B/x.png]] ![[y.png]]', 'A')
  await many(me, 100, '![](A/img/x.png) ![[img/y.png|10]] ![](B/x.png)')
  const renamed = await call(me, 'POST', '/api/notes/folders/rename', { from: 'A', to: 'C/D' })
  expect(renamed.body).toEqual({ notes_changed: 150, merged: false, attachments_moved: 2 })
  expect(renamed.headers.get('x-links-updated')).toBe('250')
  expect(await bodies(me)).toEqual({
    '![](img/x.png) ![[C/D/img/y.png]] ![[B/x.png]] ![[y.png]]': 150,
    '![](C/D/img/x.png) ![[img/y.png|10]] ![](B/x.png)': 100,
  })
  const { items } = (await call(me, 'GET', '/api/notes?limit=200')).body
  expect(items.every(({ revision }: { revision: number }) => revision === 2)).toBe(true)
  expect(await runs(me)).toEqual(['note_folder'])
  expect(await contradictions(world.folder)).toEqual([])
})

test('who prefers not to wait gets the report, and notes that cannot be rewritten are named in the end', async () => {
  const me = stranger()
  const id = await add(me, 'name=x.png')
  await many(me, 201, '![](x.png)')
  const wiki = await note(me, '![[x.png]]')
  const renamed = await call(me, 'PATCH', `${PATH}/${id}`, { name: 'a|b.png' }, { Prefer: 'respond-async' })
  expect([renamed.status, renamed.body.kind]).toEqual([202, 'attachment_links'])
  const where = renamed.headers.get('location') ?? ''
  const run = await untilEnded(() => call(me, 'GET', where))
  expect([run.state, run.result]).toEqual(['done', { links_updated: 201, notes_left: [wiki] }])
  expect(await bodies(me)).toEqual({ '![](a%7Cb.png)': 201, '![[x.png]]': 1 })
  // Waiting for it, the same is told in the answer.
  const again = await call(me, 'PATCH', `${PATH}/${id}`, { name: 'c|d.png' })
  expect([again.status, again.headers.get('x-links-updated'), again.body.warnings]).toEqual([200, '201', []])
  const [last] = (await call(me, 'GET', `${PATH}?name=c|d.png`)).body.items
  expect(last).toMatchObject({ id, revision: 3 })
})

const now = () => world.clock.now
const { record } = makeWorkspaces({ db: world.db, now })
const writer = createNoteWriter({ now, record, hooks: [tagHook, propertyHook, linkHook, revisionHook] })
const files = createAttachmentWriter({ now, record })

/** A rename whose links are rewritten step by step, when the test says so. */
async function begin(me: As, id: string, members: Partial<AttachmentRow>) {
  let kind: WorkKind | null = null
  let params: unknown = null
  const relink = createRelinkAttachment({
    relink: createRelinkNotes({ now, writer }),
    imports: {
      registerWork(work) {
        kind = work as WorkKind
      },
      begin(_, order) {
        params = order.params
        return Promise.resolve('run')
      },
    },
  })
  const { workspace } = (await world.db.get<{ workspace: WorkspaceId }>(
    'SELECT workspace FROM note_attachments WHERE id = $1',
    [id],
  )) ?? { workspace: '' as WorkspaceId }
  const session: Session = { db: world.db, workspace: { id: workspace, kind: 'key' } }
  await many(me, 201, '![[filler.png]]')
  await world.db.transaction(async (db) => {
    const old = await attachmentTable.get({ db, workspace: { id: workspace } }, id)
    if (old) await relink({ ...session, db }, old, await files.replace({ ...session, db }, old, members, null))
  })
  let state: unknown = null
  return {
    async step(size = 1): Promise<boolean> {
      const done = await world.db.transaction((db) => kind?.step({ ...session, db }, params, state, size) as never)
      const { state: next, more } = done as { state: RelinkState; more: boolean }
      state = next
      return more
    },
    async end(): Promise<RelinkState> {
      while (await this.step()) {
        // The next step does the rest.
      }
      return state as RelinkState
    },
  }
}

describe('between two steps', () => {
  test('a note that is changed is rewritten as it is then, and one in the trash is not', async () => {
    const me = stranger()
    const id = await add(me, 'name=x.png')
    await many(me, 201, '![[x.png]]')
    const [first, second, third] = [
      await note(me, '![[x.png]]'),
      await note(me, '![[x.png]]'),
      await note(me, '![[x.png]]'),
    ]
    const run = await begin(me, id, { name: 'y.png' })
    await run.step()
    await call(me, 'PATCH', `/api/notes/${first}`, { body: 'new text ![](x.png)' })
    await call(me, 'DELETE', `/api/notes/${second}`)
    await call(me, 'PATCH', `/api/notes/${third}`, { body: 'no link' })
    const { rewritten, left } = await run.end()
    expect([rewritten, left]).toEqual([202, []])
    expect([await textOf(me, first), await textOf(me, second), await textOf(me, third)]).toEqual([
      'new text ![](y.png)',
      '![[x.png]]',
      'no link',
    ])
  })

  test('the file may be renamed again, moved, or erased', async () => {
    const me = stranger()
    const id = await add(me, 'name=x.png')
    await many(me, 201, '![[x.png]] ![](./x.png)')
    const run = await begin(me, id, { name: 'y.png' })
    for (let n = 0; n < 20; n++) await run.step()
    const again = await call(me, 'PATCH', `${PATH}/${id}`, { name: 'z.png', folder: 'img' })
    expect(again.status).toBe(200)
    await run.end()
    expect(await bodies(me)).toEqual({ '![[z.png]] ![](./img/z.png)': 201, '![[filler.png]]': 201 })

    const other = await begin(me, id, { name: 'w.png' })
    for (let n = 0; n < 20; n++) await other.step()
    await call(me, 'DELETE', `${PATH}/${id}`)
    const { left } = await other.end()
    expect(left).toEqual([])
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('another file of the old name does not take the links', async () => {
    const me = stranger()
    const id = await add(me, 'name=x.png')
    await many(me, 201, '![[x.png]]')
    const run = await begin(me, id, { name: 'y.png' })
    await run.step()
    await add(me, 'name=x.png')
    await run.end()
    expect(await bodies(me)).toEqual({ '![[y.png]]': 201, '![[filler.png]]': 201 })
  })
})
