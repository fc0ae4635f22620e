/**
 * Notes without a gate: a bare Bun.serve over the same store and the same SQL, with no limit and no counting. With
 * `--one-commit-each` every write has a commit, and so an fsync, of its own.
 */
import { join } from 'node:path'
import { openDatabase } from '../src/db/open'
import { SqliteDatabase } from '../src/db/sqlite'
import { keepFileLinks } from '../src/notes/attachments/file-links'
import { readFilter } from '../src/notes/filters'
import { createRenameNote } from '../src/notes/links/rename-note'
import { createRenameSteps } from '../src/notes/links/rename-steps'
import { linkHook } from '../src/notes/links/write-hook'
import { toSummary } from '../src/notes/note'
import { revisionHook } from '../src/notes/revisions/history'
import { noteSource } from '../src/notes/search/store'
import { createNotes } from '../src/notes/service'
import { listNotes } from '../src/notes/store'
import { tagHook } from '../src/notes/tag-store'
import { createNoteWriter } from '../src/notes/writer'
import { createSearchEngine } from '../src/search/engine'
import { createListeners } from '../src/workspace/listeners'
import { createWorkspaces } from '../src/workspace/service'

const path = join(process.env.DATA_DIR ?? '.', 'satchel.db')
await openDatabase(path, Date.now(), () => 'bench').close()
const db = new SqliteDatabase(path, process.argv.includes('--one-commit-each') ? { writersPerCommit: 1 } : {})
const now = () => Date.now()
const quota = { resources: Number.MAX_SAFE_INTEGER, size_bytes: Number.MAX_SAFE_INTEGER }
const source = noteSource
const sources = { note: source, task: source, fact: source }
const folder = join(process.env.DATA_DIR ?? '.', 'search')
const search = createSearchEngine({ db, now, folder, ticks: () => performance.now(), sources, log: console })
const { record } = createWorkspaces({
  db,
  now,
  listeners: createListeners(search.wake),
  quotas: { key: quota, scratch: quota },
  diskIsFull: () => false,
})
/** All that Satchel keeps of a note. */
const hooks = [tagHook, linkHook, revisionHook]
const writer = createNoteWriter({ now, record, hooks })
const ids = () => Bun.randomUUIDv7()
const imports = { registerWork() {}, begin: () => Promise.reject(new Error('there are no runs here')) }
const rename = createRenameNote({ ids, writer, renaming: createRenameSteps({ now, writer, keepFileLinks }), imports })
const notes = createNotes({ now, ids, writer, rename })
search.start()
const id = '00000000000000000000000000000000' as Parameters<typeof listNotes>[0]['workspace']['id']
const session = { workspace: { id, kind: 'key' }, db } as const

async function list() {
  const listing = { filter: readFilter({}), sort: '-updated', after: null, limit: 51 } as const
  return { items: (await listNotes(session, listing)).map(toSummary), next_cursor: null }
}

const created = ({ resource }: { resource: unknown }) => Response.json(resource, { status: 201 })

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'POST') return created(await notes.create(session, await request.json()))
    return Response.json(await list())
  },
})
process.stdout.write(`${JSON.stringify({ url: String(server.url) })}\n`)
