import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Session, WorkspaceId } from '../../src/db/database'
import type { WorkKind } from '../../src/imports/kind'
import { createRelinkNotes, keepFileLinks } from '../../src/notes/attachments/file-links'
import { createAttachmentWriter } from '../../src/notes/attachments/writer'
import { createRenameFolderSteps } from '../../src/notes/folders-and-tags/rename-folder'
import { createRenameTagSteps } from '../../src/notes/folders-and-tags/rename-tag'
import { linkHook } from '../../src/notes/links/body-links'
import { createRenameNote } from '../../src/notes/links/rename-note'
import { createRenameSteps } from '../../src/notes/links/rename-steps'
import { createNoteWriter, patchRow } from '../../src/notes/note'
import { revisionHook } from '../../src/notes/revisions/history'
import { getNote } from '../../src/notes/store'
import { propertyHook, tagHook } from '../../src/notes/tag-and-property-store'
import { runs } from '../support/full'
import { contradictions } from '../support/recount'
import { makeWorkspaces } from '../support/workspaces'
import type { As } from '../support/world'
import { makeNotesWorld } from './support'

/** A rename in steps, each a transaction of its own, against the same rename in one transaction. */

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world
const now = () => world.clock.now
const { record } = makeWorkspaces({ db: world.db, now })
const hooks = [tagHook, propertyHook, linkHook, revisionHook]
const writer = createNoteWriter({ now, record, hooks })
const renaming = createRenameSteps({ now, writer, keepFileLinks })
const attachmentWriter = createAttachmentWriter({ now, record })
const context = { now, writer, renaming, attachmentWriter, relinkNotes: createRelinkNotes({ now, writer }) }
const files = { keys: [], names: [] }

interface Sent {
  readonly title: string
  readonly folder: string | null
  readonly body: string
  readonly tags?: readonly string[]
}

async function filled(notes: readonly Sent[]) {
  const me = stranger()
  const ids: string[] = []
  for (const note of notes) ids.push((await call(me, 'POST', '/api/notes', note)).body.id)
  const row = await world.db.get<{ workspace: WorkspaceId }>('SELECT workspace FROM notes WHERE id = $1', [
    ids[0] ?? '',
  ])
  if (!row) throw new Error('there is no note')
  const session: Session = { db: world.db, workspace: { id: row.workspace, kind: 'key' } }
  return { me, ids, session }
}

/** All that is to be seen of the notes, with their places for their ids. */
async function seen({ me, ids }: { me: As; ids: readonly string[] }) {
  const notes = []
  for (const id of ids) {
    const note = await call(me, 'GET', `/api/notes/${id}`)
    const links = (await call(me, 'GET', `/api/notes/${id}/links`)).body.items
    const backlinks = (await call(me, 'GET', `/api/notes/${id}/backlinks`)).body.items
    const { items: versions } = (await call(me, 'GET', `/api/notes/${id}/revisions`)).body
    notes.push({ note: note.body, links, backlinks, versions })
  }
  const { items } = (await call(me, 'GET', '/api/changes?limit=200')).body
  const changes = items.map(({ seq: _, ...change }: { seq: number }) => change).toSorted()
  const tags = (await call(me, 'GET', '/api/notes/tags')).body.items
  const unresolved = (await call(me, 'GET', '/api/notes/unresolved')).body.items
  const { size_bytes } = (await call(me, 'GET', '/api/usage')).body.workspace
  let text = JSON.stringify({ notes, changes: changes.length, tags, unresolved, size_bytes })
  ids.forEach((id, i) => {
    text = text.replaceAll(id, `<${i}>`)
  })
  return JSON.parse(text)
}

/** Takes a work to its end, one resource a step; `between` may do something after each step. */
async function stepwise<Params, State>(
  kind: Pick<WorkKind<Params, State>, 'step'>,
  { db, workspace }: Session,
  params: Params,
  between: (step: number) => Promise<void> = async () => {},
): Promise<State> {
  let state: State | null = null
  for (let step = 0; ; step++) {
    const done = await db.transaction((tx) => kind.step({ workspace, db: tx }, params, state, 1))
    state = done.state
    if (!done.more) return done.state
    await between(step)
    if (step > 500) throw new Error('it does not end')
  }
}

const leadsTo = async (me: As, id: string): Promise<(string | null)[]> =>
  (await call(me, 'GET', `/api/notes/${id}/links`)).body.items.map(({ note_id }: { note_id: string | null }) => note_id)

const former = async ({ db, workspace }: Session) =>
  (await db.all('SELECT 1 FROM note_former_names WHERE workspace = $1', [workspace.id])).length

const title = fc.constantFrom('x', 'y', 'Z')
const folder = fc.option(fc.constantFrom('a', 'a/b', 'a/b/b', 'b', 'c'), { nil: null })
const target = fc.oneof(
  title,
  fc.tuple(fc.constantFrom('a', 'A/b', 'a/b/b', 'b', 'c'), title).map((way) => way.join('/')),
)
const tag = fc.array(fc.constantFrom('a', 'b', 'B'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
const note = fc.record({
  title,
  folder,
  tags: fc.uniqueArray(tag, { maxLength: 3, selector: (one) => one.toLowerCase() }),
  body: fc
    .tuple(fc.array(target, { maxLength: 4 }), fc.array(tag, { maxLength: 2 }))
    .map(([links, tags]) => [...links.map((to) => `[[${to}]]`), ...tags.map((one) => `#${one}`)].join(' ')),
})
const notes = fc.array(note, { minLength: 2, maxLength: 6 })
const RUNS = { numRuns: runs(20) }

describe('in steps it comes to the same', () => {
  test('for a folder', async () => {
    const names = fc.constantFrom('a', 'a/b', 'b', 'c', 'd', 'c/d')
    await fc.assert(
      fc.asyncProperty(notes, names, names, async (sent, from, to) => {
        fc.pre(from !== to && !to.startsWith(`${from}/`))
        const [one, other] = [await filled(sent), await filled(sent)]
        const { status, body, headers } = await call(one.me, 'POST', '/api/notes/folders/rename', { from, to })
        if (status !== 200) return
        const order = { from, to, files, merged: false, rename: 'r', total: 0 }
        const moved = new Set(
          other.ids.filter((_, i) => sent[i]?.folder === from || sent[i]?.folder?.startsWith(`${from}/`)),
        )
        const led = await Promise.all(other.ids.map((id) => leadsTo(other.me, id)))
        // Also between two steps every link to a note that moves leads there.
        const expectLed = async () => {
          for (const [i, id] of other.ids.entries()) {
            const now = await leadsTo(other.me, id)
            led[i]?.forEach((to, nth) => {
              if (to !== null && moved.has(to)) expect(now[nth]).toBe(to)
            })
          }
        }
        const kind = createRenameFolderSteps(context, true)
        const state = await stepwise(kind, other.session, order, expectLed)
        await expectLed()
        expect([state.moved, String(state.rewritten)]).toEqual([
          body.notes_changed,
          headers.get('x-links-updated') ?? '',
        ])
        expect(await seen(other)).toEqual(await seen(one))
        expect(await former(other.session)).toBe(0)
      }),
      RUNS,
    )
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('for a title', async () => {
    let kind: WorkKind | undefined
    let order: unknown
    const imports = {
      registerWork: <P, S, R>(registered: WorkKind<P, S, R>) => {
        kind = registered as never
      },
      begin: async (_: Session, begun: { params: unknown }) => {
        order = begun.params
        return 'run'
      },
    }
    const rename = createRenameNote({ ids: () => 'r', writer, renaming, imports, atOnce: -1 })
    await fc.assert(
      fc.asyncProperty(notes, title, async (sent, to) => {
        const [one, other] = [await filled(sent), await filled(sent)]
        const [id, same] = [one.ids[0] ?? '', other.ids[0] ?? '']
        const { headers } = await call(one.me, 'PATCH', `/api/notes/${id}`, { title: to })
        const { workspace } = other.session
        order = undefined
        await world.db.transaction(async (db) => {
          const old = await getNote({ db, workspace }, same)
          const next = old && patchRow(old, { title: to }, now())
          if (old && next) await rename({ db, workspace }, old, next)
        })
        if (order !== undefined && kind) {
          const state = await stepwise(kind, other.session, order)
          expect(String((state as { rewritten: number }).rewritten)).toBe(headers.get('x-links-updated') ?? '')
        }
        expect(await seen(other)).toEqual(await seen(one))
        expect(await former(other.session)).toBe(0)
      }),
      RUNS,
    )
  })

  test('for a tag', async () => {
    await fc.assert(
      fc.asyncProperty(notes, tag, tag, fc.boolean(), async (sent, from, to, inline) => {
        const [one, other] = [await filled(sent), await filled(sent)]
        const { status, body } = await call(one.me, 'POST', '/api/notes/tags/rename', { from, to, inline })
        if (status !== 200) return
        const order = { from, to, inline, merged: false, total: 0 }
        const { changed } = await stepwise(createRenameTagSteps(context, true), other.session, order)
        expect(changed).toBe(body.notes_changed)
        expect(await seen(other)).toEqual(await seen(one))
      }),
      RUNS,
    )
  })
})

describe('what others write meanwhile', () => {
  const some = (folder: string): Sent[] =>
    Array.from({ length: 6 }, (_, i) => ({
      title: `N${i}`,
      folder,
      tags: ['old'],
      body: `[[${folder}/N${(i + 1) % 6}]]`,
    }))

  test('with the old tag gets the new one', async () => {
    const { me, ids, session } = await filled(some('A'))
    const order = { from: 'old', to: 'new', inline: true, merged: false, total: 6 }
    const kind = createRenameTagSteps(context, true)
    await stepwise(kind, session, order, async (step) => {
      // Behind the place where the rename is: a new note, and one that it has met already.
      if (step === 3) await call(me, 'POST', '/api/notes', { title: 'late', tags: ['old/x'], body: '#old' })
      if (step === 4) await call(me, 'PATCH', `/api/notes/${ids[0]}`, { tags: ['old'] })
      if (step === 4) await call(me, 'DELETE', `/api/notes/${ids[5]}`)
    })
    const tags = (await call(me, 'GET', '/api/notes/tags')).body.items
    expect(tags.map(({ tag, count }: { tag: string; count: number }) => [tag, count])).toEqual([
      ['new', 6],
      ['new/x', 1],
    ])
    expect((await call(me, 'GET', `/api/notes/${ids[5]}`)).body.tags).toEqual(['old'])
  })

  test('into the old folder goes along, and links by the old path are rewritten', async () => {
    const { me, ids, session } = await filled(some('A'))
    const order = { from: 'A', to: 'B', files, merged: false, rename: 'r', total: 6 }
    let late = ''
    await stepwise(createRenameFolderSteps(context, true), session, order, async (step) => {
      const links = '[[A/N0]] [[A/N5]] [[N3]]'
      if (step === 8) late = (await call(me, 'POST', '/api/notes', { title: 'late', folder: 'A', body: links })).body.id
      if (step === 9) await call(me, 'PATCH', `/api/notes/${ids[0]}`, { folder: 'A' })
      if (step === 14) await call(me, 'PATCH', `/api/notes/${ids[1]}`, { body: '[[A/N2]] [[A/late]]' })
      if (step === 15) await call(me, 'DELETE', `/api/notes/${ids[5]}`)
    })
    expect((await call(me, 'GET', '/api/notes?folder=A')).body.items).toEqual([])
    expect((await call(me, 'GET', `/api/notes/${late}`)).body).toMatchObject({ folder: 'B' })
    expect(await leadsTo(me, late)).toEqual([ids[0] ?? '', null, ids[3] ?? ''])
    expect((await call(me, 'GET', `/api/notes/${ids[1]}`)).body.body).toBe('[[B/N2]] [[B/late]]')
    expect(await former(session)).toBe(0)
    expect(await contradictions(world.folder)).toEqual([])
  })
})
