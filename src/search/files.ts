/**
 * The indexes of this process, one file for each workspace that was searched. They are made from the change feed and
 * follow it, in the quiet after writes and before each search. What is lost or damaged is made again.
 */
import { existsSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, DatabaseFull, DatabaseUnavailable, type Session, type WorkspaceId } from '../db/database'
import { busy } from '../http/api-error'
import { LimitedWorker } from '../lib/limited-worker'
import { yieldTurn } from '../lib/steps'
import { type Asking, answer, type Request } from './ask'
import { readChangedTexts, readChanges, sumChanges, type TextChange } from './feed-store'
import { IndexDamaged, IndexFile } from './index.sqlite'
import { getNewestForm, hasAnyOf, sumDocs } from './read.sqlite'
import type { SearchSources } from './source'
import { type ChangedText, writeTexts } from './write.sqlite'

/** Files that are open at a time; the least recently used is closed. */
const MAX_OPEN = 64
/** Changes that one transaction indexes, at most. */
const CHANGES_PER_STEP = 2000
/** Changes that wait for the next search, at most: of notes of 4 KiB, these take it 40 ms. */
const MAX_WAITING = 32
/** UTF-16 units of text that are indexed in place, in about 10 ms, and in one transaction of a Worker. */
const [UNITS_IN_PLACE, UNITS_IN_WORKER] = [32 * 1024, 1024 * 1024]
/** The time for which a search waits for its turn. */
const TURN_WAIT_MS = 5000
/** The time for which it waits for indexing; then it searches what is indexed. The next one must not wait in vain. */
const INDEX_WAIT_MS = 4000
/** Texts, words in all, or different words, of an index above which it is asked in a Worker. */
const MAX_TEXTS_IN_PLACE = 20_000
const MAX_WORDS_IN_PLACE = 2_000_000
const MAX_FORMS_IN_PLACE = 150_000
/** Time of the processor for one question to a Worker, and for what it writes at once. */
const [ASK_MS, WRITE_MS] = [2000, 10_000]
/** The time after which a caller gets 503. */
const ASK_WAIT_MS = 5000
/** A file that nobody searched for this long is deleted. */
const MAX_AGE_MS = 30 * 86_400_000
/** Bytes of all files of a process whose database is shared: it may get searches of any workspace. */
const SEARCH_CACHE_BYTES = 8 * 2 ** 30

export interface FilesDeps extends Pick<Context, 'db' | 'now' | 'ticks'> {
  /** The folder of the files. It is made when it is needed. */
  readonly folder: string
  readonly sources: SearchSources
  /** Whether the disk has too little room for more data: then new indexes are made in memory. */
  readonly diskIsFull?: () => boolean
  readonly turnWaitMs?: number
}

/** An index as one search sees it. */
export interface View {
  readonly languages: ReadonlySet<string>
  /** Whether some texts are not indexed yet. */
  readonly incomplete: boolean
  ask<Name extends keyof Asking>(name: Name, ...args: Parameters<Asking[Name]>): Promise<ReturnType<Asking[Name]>>
}

/** `made`: see IndexFile. */
export interface WorkerRequest {
  readonly path: string
  readonly made: number
  readonly work: Request | { readonly changes: readonly ChangedText[] }
}

/** What a Worker replies if the index is damaged, or the disk is full. */
export const [DAMAGED, FULL] = ['', 'full']

export type SearchFiles = ReturnType<typeof createSearchFiles>

/** An open index. */
interface Entry {
  readonly workspace: WorkspaceId
  /** In memory where the disk has no room for it, and until there is something to index. */
  index: IndexFile
  /** The work on it, one after the other. */
  work: Promise<unknown>
  /** How much of that is not done. */
  busy: number
  /** Whether it was compared with the feed since it was opened. */
  isVerified: boolean
  /** Milliseconds since 1970. While the file is closed, that is when it was changed. */
  askedAt: number
}

export function createSearchFiles({ db, folder, sources, now, ticks, ...deps }: FilesDeps) {
  const { diskIsFull = () => false, turnWaitMs = TURN_WAIT_MS } = deps
  const entries = new Map<WorkspaceId, Entry>()
  let wasTidied = false
  const start = () => new Worker(new URL('./ask-worker.ts', import.meta.url), { ref: false })
  const asker = new LimitedWorker<WorkerRequest>({ limitMs: { base: ASK_MS, perMiB: 0 }, start })
  const writer = new LimitedWorker<WorkerRequest>({ limitMs: { base: WRITE_MS, perMiB: 0 }, start })
  const pathOf = (workspace: WorkspaceId) => join(folder, `${workspace}.db`)
  const has = (workspace: WorkspaceId) => entries.has(workspace) || existsSync(pathOf(workspace))

  function removeFile(workspace: WorkspaceId): void {
    if (!existsSync(pathOf(workspace))) return
    for (const end of ['', '-wal', '-shm']) rmSync(pathOf(workspace) + end, { force: true })
  }

  function createIndex(path: string): IndexFile {
    try {
      mkdirSync(folder, { recursive: true })
      return new IndexFile(path, 'create')
    } catch (error) {
      // Without a place for it, it is made in memory: the right answer comes later then.
      if (!(error instanceof DatabaseUnavailable) && !isOfSystem(error)) throw error
      return new IndexFile(null, 'create')
    }
  }

  function openEntry(workspace: WorkspaceId): Entry {
    const path = pathOf(workspace)
    const entry = { workspace, work: Promise.resolve(), busy: 0, isVerified: false }
    try {
      if (existsSync(path)) return { ...entry, index: new IndexFile(path, 'open'), askedAt: statSync(path).mtimeMs }
    } catch (error) {
      if (!(error instanceof IndexDamaged)) throw error
      removeFile(workspace)
    }
    return { ...entry, index: new IndexFile(null, 'create'), askedAt: now() }
  }

  function enter(workspace: WorkspaceId): Entry {
    const entry = entries.get(workspace) ?? openEntry(workspace)
    // The most recently used is the last.
    entries.delete(workspace)
    entries.set(workspace, entry)
    for (const other of entries.values()) {
      if (entries.size <= MAX_OPEN) break
      if (other.busy === 0 && other !== entry) close(other)
    }
    return entry
  }

  function close({ workspace, index, askedAt }: Entry): void {
    entries.delete(workspace)
    index.close()
    if (index.path && existsSync(index.path)) utimesSync(index.path, askedAt / 1000, askedAt / 1000)
  }

  /** Begins an index again. */
  function remake(entry: Entry, inMemory = diskIsFull()): void {
    entry.index.close()
    removeFile(entry.workspace)
    entry.index = inMemory ? new IndexFile(null, 'create') : createIndex(pathOf(entry.workspace))
    entry.isVerified = false
  }

  /**
   * Runs work on an index after all that was begun before. An index that is lost is begun again, and so is the work; where
   * the disk is full, in memory.
   */
  function inTurn<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
    entry.busy++
    const runOrMend = async () => {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof IndexDamaged) && !(error instanceof DatabaseFull)) throw error
        remake(entry, error instanceof DatabaseFull)
        return await work()
      }
    }
    const result = entry.work.then(runOrMend).finally(() => {
      entry.busy--
    })
    entry.work = result.catch(() => {})
    return result
  }

  /** As inTurn. @throws ApiError unavailable if the turn does not come in time; then it does nothing later, either */
  async function searchInTurn<T>(entry: Entry, search: () => Promise<T>): Promise<T> {
    const { promise: refusal, reject } = Promise.withResolvers<never>()
    let isRefused = false
    const timer = setTimeout(() => {
      isRefused = true
      reject(busy('Other searches of your workspace are running. Try again in a moment.'))
    }, turnWaitMs)
    const result = inTurn(entry, () => {
      clearTimeout(timer)
      return isRefused ? refusal : search()
    })
    return await Promise.race([result, refusal])
  }

  /**
   * Indexes what has changed. Returns whether all is indexed.
   * @param until the time by `ticks` at which it stops
   */
  async function followFeed(entry: Entry, until: number, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      const { seq } = entry.index.state
      const { latest_seq, forgotten_seq, changes } = await readChanges(db, entry.workspace, seq, CHANGES_PER_STEP)
      if (latest_seq < seq || (seq > 0 && seq < forgotten_seq)) {
        remake(entry)
        continue
      }
      const count = changes.length > 0 ? await indexChanges(entry, changes) : 0
      if (count === changes.length && count < CHANGES_PER_STEP) {
        entry.index.advance(latest_seq)
        if (await isOfThisHistory(entry)) return true
        remake(entry)
        entry.isVerified = true
      }
      if (ticks() > until || signal?.aborted) return false
      await yieldTurn()
    }
  }

  /** Whether the changes can wait: they are few, and no text that is in the index has to leave it. */
  async function canWait({ index, workspace }: Entry): Promise<boolean> {
    const { changes } = await readChanges(db, workspace, index.state.seq, MAX_WAITING + 1)
    return changes.length <= MAX_WAITING && !hasAnyOf(index, changes)
  }

  /** Indexes the first of some changes, as many as one transaction takes. Returns how many. */
  async function indexChanges(entry: Entry, changes: readonly TextChange[]): Promise<number> {
    // It had no changes until now.
    if (entry.index.path === null && entry.index.state.seq === 0) remake(entry)
    const { index, workspace } = entry
    const { path, made } = index
    const most = path ? UNITS_IN_WORKER : UNITS_IN_PLACE
    const { texts, units } = await readChangedTexts(db, sources, workspace, changes, most)
    const asking = { length: units, caller: workspace }
    const written =
      path && units > UNITS_IN_PLACE ? await writer.run({ path, made, work: { changes: texts } }, asking) : null
    // What no Worker can write is written here.
    const hasRemoved = written === null ? writeTexts(index, texts) : readReply<boolean>(written)
    if (written !== null) index.readState()
    if (hasRemoved && path) index.emptyLog()
    return texts.length
  }

  /**
   * Whether an index that was just opened has the texts of the feed: not if the database was replaced by a copy, and
   * both have gone on since.
   */
  async function isOfThisHistory(entry: Entry): Promise<boolean> {
    if (entry.isVerified) return true
    const { latest_seq, texts, seqs } = await sumChanges(db, entry.workspace)
    // Something was written in between: the next search compares.
    if (latest_seq !== entry.index.state.seq) return true
    entry.isVerified = true
    const own = sumDocs(entry.index)
    return texts === own.texts && seqs === own.seqs
  }

  async function ask<Name extends keyof Asking>(entry: Entry, work: Request<Name>): Promise<ReturnType<Asking[Name]>> {
    const { index } = entry
    const { path, made, state } = index
    const words = state.lengths.reduce((sum, length) => sum + length, 0)
    const isSmall = state.documents <= MAX_TEXTS_IN_PLACE && words <= MAX_WORDS_IN_PLACE
    if (path === null || (isSmall && getNewestForm(index) <= MAX_FORMS_IN_PLACE)) return answer(index, work)
    const signal = AbortSignal.timeout(ASK_WAIT_MS)
    const asking = { length: 0, caller: entry.workspace, signal }
    const text = await asker.run({ path, made, work }, asking).catch((error: unknown) => {
      if (signal.aborted) return null
      throw error
    })
    if (text === null) throw busy('This search took too long. Try it again with fewer words.')
    return readReply(text)
  }

  /** Lists the files with the time of their last search, the latest first. */
  async function listFiles(): Promise<{ workspace: WorkspaceId; askedAt: number; bytes: number }[]> {
    const names = existsSync(folder) ? await readdir(folder) : []
    const files = names.flatMap(async (name) => {
      if (!name.endsWith('.db')) return []
      const workspace = name.slice(0, -3) as WorkspaceId
      const { mtimeMs, size } = await stat(join(folder, name))
      return [{ workspace, askedAt: entries.get(workspace)?.askedAt ?? mtimeMs, bytes: size }]
    })
    return (await Promise.all(files)).flat().sort((a, b) => b.askedAt - a.askedAt)
  }

  return {
    /** Searches the index of a workspace, once it has what has changed. Searches of one workspace take turns. */
    search<T>({ workspace }: Session, search: (view: View) => Promise<T>): Promise<T> {
      const entry = enter(workspace.id)
      return searchInTurn(entry, async () => {
        const isComplete = await followFeed(entry, ticks() + INDEX_WAIT_MS)
        entry.askedAt = now()
        return await search({
          languages: new Set(entry.index.state.languages),
          incomplete: !isComplete,
          ask: (name, ...args) => ask(entry, { name, args }),
        })
      })
    },

    has,

    /**
     * Indexes what has changed in a workspace that has an index.
     * @param mayWait whether it may leave that to a later call; then it returns false
     */
    async update(workspace: WorkspaceId, signal: AbortSignal, mayWait = false): Promise<boolean> {
      // In pieces: a search of the same workspace waits for one of them.
      while (!signal.aborted && has(workspace)) {
        const entry = enter(workspace)
        // In one turn: between two of them the index may be closed.
        const work = async () => (mayWait && (await canWait(entry)) ? null : await followFeed(entry, ticks(), signal))
        const isDone = await inTurn(entry, work)
        if (isDone !== false) return isDone ?? false
      }
      return true
    },

    /** Deletes the index of a workspace. */
    remove(workspace: WorkspaceId): void {
      const entry = entries.get(workspace)
      const end = () => {
        if (entry) close(entry)
        removeFile(workspace)
      }
      // What waits behind this goes on with an empty index.
      if (entry && entry.busy > 0) inTurn(entry, async () => (entry.busy > 1 ? remake(entry, true) : end()))
      else end()
    },

    /**
     * Deletes the files that nobody has searched for long. The first time it also brings all files up to date: what was
     * erased shortly before the process ended has to leave them.
     */
    async tidy(signal: AbortSignal): Promise<void> {
      let bytes = 0
      for (const file of await listFiles()) {
        if (signal.aborted) return
        bytes += file.bytes
        const isOld = Math.abs(now() - file.askedAt) > MAX_AGE_MS
        if (isOld || (db.isShared && bytes > SEARCH_CACHE_BYTES)) this.remove(file.workspace)
        else if (!wasTidied) await this.update(file.workspace, signal)
      }
      wasTidied = true
    },

    async close(): Promise<void> {
      await Promise.all([asker.close(), writer.close()])
      for (const entry of [...entries.values()]) {
        await entry.work
        if (entries.has(entry.workspace)) close(entry)
      }
    },
  }
}

/** @throws IndexDamaged, or DatabaseFull */
function readReply<Value>(text: string): Value {
  if (text === FULL) throw new DatabaseFull('The disk has no room for the index.')
  if (text === DAMAGED) throw new IndexDamaged('The index cannot be read in a Worker.')
  return JSON.parse(text)
}

const isOfSystem = (error: unknown) => typeof (error as NodeJS.ErrnoException).code === 'string'
