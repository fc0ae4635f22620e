/**
 * The indexes of this process, one file for each workspace that was searched. They are made from the change feed and
 * follow it, in the quiet after a write and before each search. What is lost or damaged is made again.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, DatabaseFull, DatabaseUnavailable, type Session, type WorkspaceId } from '../db/database'
import { busy } from '../http/api-error'
import { createLimitedWorker } from '../lib/limited-worker'
import { yieldTurn } from '../lib/steps'
import { type Asks, answer, type Request } from './ask'
import { readChanges, sumChanges } from './feed-store'
import { IndexDamaged, IndexFile } from './index.sqlite'
import { indexChanges } from './indexing'
import { getNewestForm, sumDocs } from './read.sqlite'
import type { SearchSources } from './source'
import { Vocabulary } from './vocabulary'

/** Files that are open at a time; the least recently used is closed. */
const MAX_OPEN = 64
/** Changes that one transaction indexes: about 20 ms of work between two turns of the event loop. */
const CHANGES_PER_STEP = 256
/** The time for which a search waits for indexing; then it searches what is indexed. */
const INDEX_WAIT_MS = 5000
/** Texts, words in all, or different words, of an index above which it is asked in a Worker. */
const MAX_TEXTS_IN_PLACE = 20_000
const MAX_WORDS_IN_PLACE = 2_000_000
const MAX_FORMS_IN_PLACE = 150_000
/** Time of the processor for one question to a Worker, and the time after which a caller gets 503. */
const WORKER_MS = 2000
const WORKER_WAIT_MS = 5000
/** A file that nobody searched for this long is deleted. */
const MAX_AGE_MS = 30 * 86_400_000
/** The time of the last search is stored this often. */
const ASKED_STEP_MS = 86_400_000
/** Bytes of all files of a process whose database is shared: it may get searches of any workspace. */
const SEARCH_CACHE_BYTES = 8 * 2 ** 30
/** Vocabularies that are kept in memory between searches, in bytes. */
const VOCABULARY_BYTES = 64 * 2 ** 20

export interface FilesDeps extends Pick<Context, 'db' | 'now' | 'ticks'> {
  /** The folder of the files. It is made when it is needed. */
  readonly folder: string
  readonly sources: SearchSources
  /** Whether the disk has too little room for more data: then new indexes are made in memory. */
  readonly diskIsFull?: () => boolean
  /**
   * The workspaces whose index has all changes, and need not ask the feed: who hears of a change takes its workspace
   * out. Without it the feed is asked before each search.
   */
  readonly current?: Set<WorkspaceId> | undefined
}

/** The present state of an index, for the searches of one request. */
export interface View {
  readonly languages: ReadonlySet<string>
  /** Whether some texts are not indexed yet. */
  readonly incomplete: boolean
  ask<Name extends keyof Asks>(name: Name, ...args: Parameters<Asks[Name]>): Promise<ReturnType<Asks[Name]>>
}

/** `made`: tells a file that was made again from the one before. */
export type WorkerRequest = Request & { readonly path: string; readonly made: number }

export type SearchFiles = ReturnType<typeof createSearchFiles>

/** An open index. */
interface Entry {
  readonly workspace: WorkspaceId
  index: IndexFile
  /** Null if it is in memory. */
  path: string | null
  made: number
  vocabulary: Vocabulary
  /** The work on it, one after the other. */
  work: Promise<unknown>
  /** How much of that is not done. */
  busy: number
  /** Changes of other things up to here were seen as well. */
  seen: number
  /** Whether it is empty and has no file yet: a workspace without changes needs none. */
  isUnfiled: boolean
  /** Whether it was compared with the feed since it was opened. */
  isVerified: boolean
}

export function createSearchFiles({ db, folder, sources, now, ticks, diskIsFull = () => false, current }: FilesDeps) {
  const entries = new Map<WorkspaceId, Entry>()
  let openings = 0
  /** The workspaces that have a file. */
  const existing = new Set(listFiles(folder))
  const worker = createLimitedWorker<WorkerRequest>({
    limitMs: { base: WORKER_MS, perMiB: 0 },
    start: () => new Worker(new URL('./ask-worker.ts', import.meta.url), { ref: false }),
  })
  const pathOf = (workspace: WorkspaceId) => join(folder, `${workspace}.db`)

  function removeFile(workspace: WorkspaceId): void {
    for (const end of ['', '-wal', '-shm']) rmSync(pathOf(workspace) + end, { force: true })
    existing.delete(workspace)
  }

  /** Opens the file of a workspace, or makes an empty one. */
  function openIndex(workspace: WorkspaceId): Pick<Entry, 'index' | 'path'> {
    const path = pathOf(workspace)
    if (existing.has(workspace)) {
      try {
        return { index: new IndexFile(path, 'readwrite'), path }
      } catch (error) {
        if (!(error instanceof IndexDamaged)) throw error
        removeFile(workspace)
      }
    }
    if (diskIsFull()) return { index: new IndexFile(':memory:', 'create'), path: null }
    try {
      mkdirSync(folder, { recursive: true })
      removeFile(workspace)
      existing.add(workspace)
      return { index: new IndexFile(path, 'create'), path }
    } catch (error) {
      // Without a place for it, it is made in memory: the right answer comes later then.
      if (!(error instanceof DatabaseUnavailable) && !isOfSystem(error)) throw error
      existing.delete(workspace)
      return { index: new IndexFile(':memory:', 'create'), path: null }
    }
  }

  function createEntry(workspace: WorkspaceId): Entry {
    const isUnfiled = !existing.has(workspace)
    const opened = isUnfiled ? { index: new IndexFile(':memory:', 'create'), path: null } : openIndex(workspace)
    return {
      workspace,
      ...opened,
      isUnfiled,
      vocabulary: new Vocabulary(),
      made: ++openings,
      work: Promise.resolve(),
      busy: 0,
      seen: 0,
      isVerified: false,
    }
  }

  function enter(workspace: WorkspaceId): Entry {
    const entry = entries.get(workspace) ?? createEntry(workspace)
    // The most recently used is the last.
    entries.delete(workspace)
    entries.set(workspace, entry)
    for (const other of entries.values()) {
      if (entries.size <= MAX_OPEN) break
      if (other.busy === 0 && other !== entry) close(other)
    }
    return entry
  }

  function close(entry: Entry): void {
    if (entries.get(entry.workspace) === entry) {
      entries.delete(entry.workspace)
      current?.delete(entry.workspace)
    }
    entry.index.close()
  }

  /** Begins an index again. @param inMemory whether the disk has no room for it */
  function remake(entry: Entry, inMemory = false): void {
    entry.index.close()
    if (existing.has(entry.workspace)) removeFile(entry.workspace)
    const made = inMemory ? { index: new IndexFile(':memory:', 'create'), path: null } : openIndex(entry.workspace)
    Object.assign(entry, made, {
      isUnfiled: false,
      made: ++openings,
      seen: 0,
      isVerified: false,
      vocabulary: new Vocabulary(),
    })
  }

  /** Runs work on an index after all that was begun before. */
  function inTurn<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
    entry.busy++
    const result = entry.work.then(work).finally(() => {
      entry.busy--
    })
    entry.work = result.catch(() => {})
    return result
  }

  /**
   * Runs work on an index. If that is damaged, it is made again; if the disk is full, in memory.
   * @param repair runs the work that makes it again
   */
  async function mending<T>(
    entry: Entry,
    work: () => Promise<T>,
    repair = async (remake: () => void) => remake(),
  ): Promise<T> {
    const { made } = entry
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof IndexDamaged || error instanceof DatabaseFull)) throw error
      await repair(() => entry.made === made && remake(entry, error instanceof DatabaseFull))
      return await work()
    }
  }

  /**
   * Indexes what has changed. Returns whether all is indexed.
   * @param until the time by `ticks` at which it stops
   */
  async function catchUp(entry: Entry, until: number, signal?: AbortSignal): Promise<boolean> {
    if (current?.has(entry.workspace) && entry.isVerified && entry.busy === 0) return true
    return await inTurn(entry, () => mending(entry, () => followFeed(entry, until, signal)))
  }

  async function followFeed(entry: Entry, until: number, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      const { seq } = entry.index.state
      current?.add(entry.workspace)
      const part = await readChanges(db, entry.workspace, Math.max(seq, entry.seen), CHANGES_PER_STEP)
      const read = Math.max(seq, entry.seen)
      const isOther = part ? part.latest_seq < seq || (seq > 0 && read < part.forgotten_seq) : seq > 0
      if (isOther) {
        remake(entry)
        continue
      }
      if (!part) {
        // Both are empty.
        entry.isVerified = true
        return true
      }
      let isRest = part.changes.length === CHANGES_PER_STEP
      if (part.changes.length > 0) {
        if (entry.isUnfiled) remake(entry)
        const { workspace, index, path } = entry
        const { count, hasRemoved } = await indexChanges({ db, sources, workspace, index }, part.changes)
        if (hasRemoved && path) index.emptyLog()
        isRest ||= count < part.changes.length
      }
      if (!isRest) {
        entry.seen = Math.max(entry.seen, part.latest_seq)
        if (await isOfThisHistory(entry)) return true
        remake(entry)
        entry.isVerified = true
      }
      current?.delete(entry.workspace)
      if (ticks() > until || signal?.aborted) return false
      await yieldTurn()
    }
  }

  /**
   * Whether an index that was just opened has the texts of the feed: not if the database was replaced by a copy, and
   * both have gone on since.
   */
  async function isOfThisHistory(entry: Entry): Promise<boolean> {
    if (entry.isVerified) return true
    const sums = await sumChanges(db, entry.workspace)
    const own = sumDocs(entry.index)
    // Something was written in between: the next search compares.
    if (sums?.latest_seq !== entry.seen) return true
    entry.isVerified = true
    return sums.texts === own.texts && sums.seqs === own.seqs
  }

  async function ask<Name extends keyof Asks>(entry: Entry, request: Request<Name>): Promise<ReturnType<Asks[Name]>> {
    const { index, vocabulary, path, made } = entry
    const { documents, lengths } = index.state
    const words = lengths.reduce((sum, length) => sum + length, 0)
    const isSmall = documents <= MAX_TEXTS_IN_PLACE && words <= MAX_WORDS_IN_PLACE
    if (path === null || (isSmall && getNewestForm(index) <= MAX_FORMS_IN_PLACE))
      return answer(index, vocabulary, request)
    const signal = AbortSignal.timeout(WORKER_WAIT_MS)
    const asking = { length: 0, caller: entry.workspace, signal }
    const text = await worker.run({ ...request, path, made }, asking).catch((error: unknown) => {
      if (signal.aborted) return null
      throw error
    })
    if (text === null) throw busy('This search took too long. Try it again with fewer words.')
    if (text === '') throw new IndexDamaged('The index cannot be read in a Worker.')
    return JSON.parse(text)
  }

  /** Frees the memory of vocabularies beyond VOCABULARY_BYTES, the least recently used first. */
  function limitVocabularies(): void {
    let bytes = 0
    for (const entry of [...entries.values()].reverse()) {
      bytes += entry.vocabulary.bytes
      if (bytes > VOCABULARY_BYTES) entry.vocabulary = new Vocabulary()
    }
  }

  function noteAsked({ index }: Entry): void {
    const { asked_at } = index.state
    if (Math.abs(now() - asked_at) >= ASKED_STEP_MS) index.noteAsked(now())
  }

  return {
    /** Opens the index of a workspace, and first indexes what has changed. */
    async open({ workspace }: Session): Promise<View> {
      const update = (entry: Entry) => catchUp(entry, ticks() + INDEX_WAIT_MS)
      const entry = enter(workspace.id)
      const isComplete = await update(entry)
      noteAsked(entry)
      limitVocabularies()
      return {
        languages: entry.index.state.languages,
        incomplete: !isComplete,
        async ask(name, ...args) {
          // It may have been closed, for others, or made again since.
          const open = enter(workspace.id)
          if (open !== entry) await update(open)
          return await mending(
            open,
            async () => {
              if (open.index.state.seq === 0) await update(open)
              return await ask(open, { name, args })
            },
            (repair) => inTurn(open, async () => repair()),
          )
        },
      }
    },

    has: (workspace: WorkspaceId) => existing.has(workspace) || entries.has(workspace),

    /** Indexes what has changed in a workspace that has an index. */
    async update(workspace: WorkspaceId, signal: AbortSignal): Promise<void> {
      // In pieces: a search of the same workspace waits for one of them.
      while (!signal.aborted && (existing.has(workspace) || entries.has(workspace)))
        if (await catchUp(enter(workspace), ticks(), signal)) return
    },

    /** Deletes the index of a workspace. */
    remove(workspace: WorkspaceId): void {
      const entry = entries.get(workspace)
      const end = () => {
        if (entry) close(entry)
        removeFile(workspace)
      }
      if (entry && entry.busy > 0) inTurn(entry, async () => end())
      else end()
    },

    /** Brings all files up to date, and deletes those that nobody has searched for long. */
    async tidy(signal: AbortSignal): Promise<void> {
      const kept: { workspace: WorkspaceId; asked: number; bytes: number }[] = []
      for (const workspace of [...existing]) {
        if (signal.aborted) return
        const entry = enter(workspace)
        const asked = entry.index.state.asked_at
        if (Math.abs(now() - asked) > MAX_AGE_MS) this.remove(workspace)
        else {
          await this.update(workspace, signal)
          if (entry.path) kept.push({ workspace, asked, bytes: statSync(entry.path).size })
        }
        await yieldTurn()
      }
      let bytes = 0
      for (const one of kept.sort((a, b) => b.asked - a.asked)) {
        bytes += one.bytes
        if (db.isShared && bytes > SEARCH_CACHE_BYTES) this.remove(one.workspace)
      }
    },

    async close(): Promise<void> {
      await worker.close()
      for (const entry of [...entries.values()]) {
        await entry.work
        if (entries.has(entry.workspace)) close(entry)
      }
    },
  }
}

function listFiles(folder: string): WorkspaceId[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith('.db') ? [name.slice(0, -3) as WorkspaceId] : []))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const isOfSystem = (error: unknown) => typeof (error as NodeJS.ErrnoException).code === 'string'
