import { afterAll, expect, test } from 'bun:test'
import { createArchiveExports } from '../../src/archive/export'
import type { Session, WorkspaceId } from '../../src/db/database'
import { ApiError } from '../../src/http/api-error'
import { createArchivedNotes, createArchivedVersions } from '../../src/notes/archive/archived-notes'
import { listNotesAfter, listVersionsAfter } from '../../src/notes/archive/store'
import { makeKey, makeWorld } from '../support/world'

/** How many exports run at once, and how long. */

const world = await makeWorld()
afterAll(world.close)

const id = '0'.repeat(32) as WorkspaceId
const session: Session = { workspace: { id, kind: 'key' }, db: world.db }

/** Exports of a workspace without end. */
function endless() {
  let open = 0
  const archivedType = {
    type: 'note',
    async *items() {
      for (;;) yield { text: 'x'.repeat(100_000) }
    },
    merge: async () => 'unchanged' as const,
  }
  const exports = createArchiveExports({
    now: () => world.clock.now,
    snapshot: async () => {
      const read = await world.db.snapshot()
      open++
      return {
        ...read,
        close() {
          open--
          read.close()
        },
      }
    },
    archivedTypes: [archivedType],
    filesForPeople: [],
  })
  return { start: () => exports.export(session, {}), open: () => open }
}

test('a fifth export waits for one of four to end, read to its end or not', async () => {
  const { start, open } = endless()
  const running = await Promise.all([start(), start(), start(), start()])
  expect(await start().catch((error: unknown) => error instanceof ApiError && error.code)).toBe('unavailable')
  await running[0]?.cancel()
  await (await start()).cancel()
  for (const body of running.slice(1)) await body.cancel()
  expect(open()).toBe(0)
})

test('an export that takes half an hour is broken off, and lets go of its snapshot', async () => {
  const { start, open } = endless()
  const reader = (await start()).getReader()
  world.clock.now += 31 * 60 * 1000
  const end = async () => {
    while (!(await reader.read()).done);
  }
  expect(await end().then(() => 'whole', String)).toContain('took too long')
  expect(open()).toBe(0)
})

test('large notes and versions are read a few at a time, and all of them in the end', async () => {
  await using world = await makeWorld()
  const me = { key: makeKey(1) }
  for (let at = 0; at < 6; at++) {
    const { body: note } = await world.call(me, 'POST', '/api/notes', { body: `${at}\n${'word '.repeat(50_000)}` })
    await world.call(me, 'PATCH', `/api/notes/${note.id}`, { body: `new ${'word '.repeat(50_000)}` })
  }
  const snapshot = await world.db.snapshot()
  const id = (await snapshot.get<{ id: WorkspaceId }>('SELECT id FROM workspaces'))?.id as WorkspaceId
  // Of 250 KB each, the third goes past 512 KiB.
  const notes = await listNotesAfter({ db: snapshot, workspace: { id: id } }, '', 100)
  const versions = await listVersionsAfter({ db: snapshot, workspace: { id: id } }, { id: '', position: 0 }, 100)
  expect([notes.length, versions.length]).toEqual([3, 3])
  for (const [archivedType, all] of [
    [createArchivedNotes, 6],
    [createArchivedVersions, 6],
  ] as const) {
    let count = 0
    // What merges is not asked to.
    for await (const _ of archivedType({} as never).items({ db: snapshot, workspace: { id: id } })) count++
    expect(count).toBe(all)
  }
  snapshot.close()
})
