/** An index of texts that stand nowhere else: what the engine is tested with. */
import { join } from 'node:path'
import type { Database, Queries, Session, WorkspaceId } from '../../src/db/database'
import { createFind } from '../../src/search/find'
import { createIndexing } from '../../src/search/indexing'
import type { Encoder } from '../../src/search/meaning/encoder'
import { createMeaning } from '../../src/search/meaning/meaning'
import { parseQuery } from '../../src/search/query'
import type { SearchSources, Texts, Type } from '../../src/search/source'
import { openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'

export const OWN = 'a'.repeat(32) as WorkspaceId
export const OTHER = 'b'.repeat(32) as WorkspaceId

/** Workspaces that have room for anything. */
const ROOMY = {
  find: async (_: Queries, id: WorkspaceId) => ({ id, kind: 'key' as const }),
  reserve: async () => {},
  usage: async () => {
    const quotas = { resources: Number.MAX_SAFE_INTEGER, size_bytes: Number.MAX_SAFE_INTEGER }
    return { kind: 'key' as const, created_at: null, expires_at: null, resources: 0, size_bytes: 0, quotas }
  },
}

/**
 * @param failing is asked before every statement that writes; throws where the database is to fail
 * @param encoder finds by meaning as well
 */
export async function makeIndexed(failing: () => void = () => {}, encoder: Encoder | null = null) {
  const db = await openMigrated(join(makeFolder(), 'satchel.db'), 0, () => '')
  const texts = new Map<string, Texts>()
  const nameOf = (workspace: string, type: Type, key: number) => `${workspace} ${type} ${key}`
  const source = (type: Type): SearchSources[Type] => ({
    async readTexts(_, workspace, keys) {
      const own = keys.map((key) => [key, texts.get(nameOf(workspace, type, key))] as const)
      return new Map(own.flatMap(([key, text]) => (text ? [[key, text]] : [])))
    },
    selectKeys: (leaf) => (leaf.kind === 'is' ? 'SELECT 1 WHERE $1 = $1 AND $2 = $2' : null),
    readItems: async () => new Map(),
  })
  const sources: SearchSources = { note: source('note'), task: source('task'), fact: source('fact') }
  let time = 0
  const failingDb = failingAt(db, failing)
  const indexing = createIndexing({ db: failingDb, sources, now: () => time })
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const ticks = () => performance.now()
  const meaning = encoder && createMeaning({ db: failingDb, encoder, sources, ticks, log, workspaces: ROOMY })
  const { find } = createFind({ indexing, sources, ticks, meaning })
  const sessionOf = (id: WorkspaceId): Session => ({ db, workspace: { id, kind: 'key' } })

  async function mark(workspace: WorkspaceId, type: Type, key: number, isThere: boolean) {
    await db.transaction(async (tx) => {
      await tx.run('DELETE FROM search_docs WHERE workspace = $1 AND type = $2 AND key = $3', [workspace, type, key])
      if (!isThere) return
      // As the triggers of notes do it.
      await tx.run(
        'INSERT INTO search_numbers (workspace, doc) VALUES ($1, 1) ON CONFLICT (workspace) DO UPDATE SET doc = search_numbers.doc + 1',
        [workspace],
      )
      await tx.run(
        `INSERT INTO search_docs (workspace, doc, type, key, pending)
         SELECT workspace, doc, $2, $3, 1 FROM search_numbers WHERE workspace = $1`,
        [workspace, type, key],
      )
    })
  }

  return {
    db,
    texts,
    indexing,
    async write(key: number, text: Partial<Texts>, workspace = OWN, type: Type = 'note') {
      texts.set(nameOf(workspace, type, key), { title: '', tags: [], body: '', ...text })
      await mark(workspace, type, key, true)
    },
    async erase(key: number, workspace = OWN, type: Type = 'note') {
      texts.delete(nameOf(workspace, type, key))
      await mark(workspace, type, key, false)
    },
    run: () => indexing.indexAll(new AbortController().signal),
    /** Makes the vectors that are missing. */
    embed: () => meaning?.jobs[0]?.run(new AbortController().signal),
    step: () => indexing.indexBatch(OWN),
    /** Lets those go who read what was replaced. */
    pass: () => {
      time += 60_000
    },
    find: (query: string, asked: Partial<Parameters<typeof find>[1]> = {}, workspace = OWN) =>
      find(sessionOf(workspace), {
        query: parseQuery(query, { now: 0, zone: 'UTC' }),
        types: ['note', 'task', 'fact'],
        limit: 20,
        meaning: true,
        ...asked,
      }),
    segments: async (workspace = OWN) =>
      await db.all<{ segment: number; documents: number }>(
        'SELECT segment, documents FROM search_segments WHERE workspace = $1 AND ready = 1 ORDER BY first_doc',
        [workspace],
      ),
  }
}

export type Indexed = Awaited<ReturnType<typeof makeIndexed>>

function failingAt(db: Database, failing: () => void): Database {
  const wrap = (queries: Queries): Queries => ({
    all: (sql, params) => queries.all(sql, params),
    get(sql, params) {
      if (/^\s*INSERT/.test(sql)) failing()
      return queries.get(sql, params)
    },
    run(sql, params) {
      failing()
      return queries.run(sql, params)
    },
    transaction: (work) => queries.transaction((tx) => work(wrap(tx))),
    afterCommit: (name, work) => queries.afterCommit(name, work),
  })
  return {
    ...wrap(db),
    isShared: db.isShared,
    ownedBy: () => wrap(db),
    exclusively: db.exclusively.bind(db),
    copyWorkspace: db.copyWorkspace.bind(db),
    snapshot: () => db.snapshot(),
    emptyLog: () => db.emptyLog(),
    close: () => db.close(),
  }
}
