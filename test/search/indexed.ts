/** An index of texts that stand nowhere else: what the engine is tested with. */
import { join } from 'node:path'
import type { Session, WorkspaceId } from '../../src/db/database'
import { createSearchFiles } from '../../src/search/files'
import { createFind, type SearchOptions } from '../../src/search/find'
import { createMeaning } from '../../src/search/meaning/meaning'
import type { Encoder } from '../../src/search/meaning/remote'
import { parseQuery } from '../../src/search/query'
import type { SearchSources, Texts, Type } from '../../src/search/source'
import { addTotals, upsertChanges } from '../../src/workspace/store'
import { openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'

export const OWN = 'a'.repeat(32) as WorkspaceId
export const OTHER = 'b'.repeat(32) as WorkspaceId

/** Workspaces that have room for anything. */
const ROOMY = {
  reserve: async () => {},
  usage: async () => {
    const quotas = { resources: Number.MAX_SAFE_INTEGER, size_bytes: Number.MAX_SAFE_INTEGER }
    return { kind: 'key' as const, created_at: null, expires_at: null, resources: 0, size_bytes: 0, quotas }
  },
}

/** @param encoder finds by meaning as well */
export async function makeIndexed(encoder: Encoder | null = null) {
  const folder = makeFolder()
  const db = await openMigrated(join(folder, 'satchel.db'), 0, () => '')
  const texts = new Map<string, Texts>()
  const nameOf = (workspace: string, type: Type, key: number) => `${workspace} ${type} ${key}`
  const idOf = (key: number) => `00000000-0000-7000-8000-${key.toString(16).padStart(12, '0')}`
  const source = (type: Type): SearchSources[Type] => ({
    async readTexts({ workspace }, keys) {
      const own = keys.map((key) => [key, texts.get(nameOf(workspace.id, type, key))] as const)
      return new Map(own.flatMap(([key, text]) => (text ? [[key, text]] : [])))
    },
    findKeys: async (_, _workspace, ids) => new Map(ids.map((id) => [id, Number.parseInt(id.slice(-12), 16)])),
    selectKeys: (leaf) => (leaf.kind === 'is' ? 'SELECT 1 AS key WHERE $1 = $1' : null),
    readItems: async () => new Map(),
  })
  const sources: SearchSources = { note: source('note'), task: source('task'), fact: source('fact') }
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const ticks = () => performance.now()
  const meaning = encoder && createMeaning({ db, encoder, sources, ticks, log, workspaces: ROOMY })
  const search = join(folder, 'search')
  const clock = { now: 0 }
  const open = () => createSearchFiles({ db, folder: search, sources, ticks, now: () => clock.now })
  let files = open()
  const sessionOf = (id: WorkspaceId): Session => ({ db, workspace: { id, kind: 'key' } })

  async function mark(workspace: WorkspaceId, type: Type, key: number, op: 'upsert' | 'delete') {
    await db.transaction(async (tx) => {
      const totals = { seq: 1, resources: 0, size_bytes: 0 }
      const { seq = 0 } = (await addTotals(tx, { id: workspace, kind: 'key' }, totals, 0)) ?? {}
      const change = { type, id: idOf(key), op, revision: seq, at: 0, resources: 0, bytes: 0 } as const
      await upsertChanges(tx, workspace, seq, [change])
    })
  }

  return {
    db,
    texts,
    sources,
    log,
    /** Milliseconds since 1970. */
    clock,
    /** The folder of the indexes. */
    folder: search,
    async write(key: number, text: Partial<Texts>, workspace = OWN, type: Type = 'note') {
      texts.set(nameOf(workspace, type, key), { title: '', tags: [], body: '', ...text })
      await mark(workspace, type, key, 'upsert')
    },
    async erase(key: number, workspace = OWN, type: Type = 'note') {
      if (texts.delete(nameOf(workspace, type, key))) await mark(workspace, type, key, 'delete')
    },
    /** Indexes what has changed in a workspace that was searched before. */
    run: (workspace = OWN) => files.update(workspace, new AbortController().signal),
    /** Makes the vectors that are missing. */
    embed: () => meaning?.job.run(),
    /** Closes the indexes as the end of a process does. */
    async restart() {
      await files.close()
      files = open()
    },
    files: () => files,
    findAll: (query: string) =>
      createFind({ files, sources, meaning }).findAll(sessionOf(OWN), {
        query: parseQuery(query, { now: 0, zone: 'UTC' }),
        types: ['note'],
        limit: 1,
      }),
    find: (query: string, asked: Partial<SearchOptions> = {}, workspace = OWN) =>
      createFind({ files, sources, meaning }).find(sessionOf(workspace), {
        query: parseQuery(query, { now: 0, zone: 'UTC' }),
        types: ['note', 'task', 'fact'],
        limit: 20,
        meaning: true,
        ...asked,
      }),
  }
}

export type Indexed = Awaited<ReturnType<typeof makeIndexed>>
