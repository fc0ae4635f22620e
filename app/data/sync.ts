/** Keeps the copy up to date with the server's change feed. */
import { computed, signal } from '@preact/signals'
import { type Api, hour, Refused, readJson, Unreachable } from '../api/client'
import type { ChangePage, FeedChange, Note } from '../api/types'
import { say } from '../words/say'
import type { Confirmed, Copy } from './copy'
import type { Store } from './database'
import { readParts } from './read-parts'
import { COPIED_TYPES, type Copied, type CopiedType, partNote } from './resources'
import { becomeLeader } from './tabs'

const PAGE_CHANGES = 200
/** A page that does not come within this time is not waited for. */
const PAGE_TIMEOUT_MS = 30_000
/** Changes of other devices are read this long after the first of them was announced, together. */
const GATHER_MS = 300
/** A stream that breaks is opened again after this time, doubled up to the longest. */
const FIRST_RETRY_MS = 2000
const LONGEST_RETRY_MS = 120_000
/** A stream that lasted so long worked: some proxies end it at once, each time. */
const LASTING_MS = 30_000
/** A page that is looked at again after so long asks for what has changed. */
const STALE_MS = 60_000

/** What the tab leads (see `becomeLeader`) that follows the feed of a stored workspace for all tabs. */
export const streamOf = (database: string) => `stream ${database}`

interface Deps {
  readonly api: Api
  readonly kept: Store
  readonly copy: Copy
  /**
   * The name under which one tab follows the stream of changes for all of them; null: none does, since without a key there
   * are too few requests.
   */
  readonly live: string | null
  readonly now: () => number
  /** Called when nothing is left after a reading from the start: the workspace was erased elsewhere. */
  readonly onErased: () => Promise<void>
}

/**
 * `loading`: the first reading of the workspace, of which so many percent are there; `failed` has the sentence why it, or a
 * later one, came to no end.
 */
export type SyncState =
  | { readonly is: 'current' }
  | { readonly is: 'loading'; readonly percent: number }
  | { readonly is: 'failed'; readonly message: string }

export function createSync({ api, kept, copy, live, now, onErased }: Deps) {
  const state = signal<SyncState>({ is: 'loading', percent: 0 })
  const end = new AbortController()
  let cursor = '0'
  /** Whether the copy has had all that the server has, once. */
  const wasRead = signal(false)
  let pulledAt = 0
  let pulling: Promise<void> | null = null
  /** What was announced and not yet read. */
  const announced: FeedChange[] = []
  let gathering: ReturnType<typeof setTimeout> | undefined

  /** Reads all pages in one request, and keeps each as it comes: a reading that breaks off goes on from there. */
  async function pullAll(): Promise<void> {
    const stalled = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => stalled.abort(new DOMException('', 'TimeoutError')), PAGE_TIMEOUT_MS)
    }
    wait()
    try {
      // The server may have made any of the pages as soon as it was asked.
      const askedAt = now()
      const response = await api.open({
        path: 'api/changes',
        query: { since: cursor, limit: PAGE_CHANGES, include: 'resource', types: COPIED_TYPES.join(',') },
        headers: { Accept: 'application/x-ndjson' },
        signal: AbortSignal.any([end.signal, stalled.signal]),
      })
      const lines = readParts(response, '\n')
      for (;;) {
        const { value: line, done } = await lines.next().catch(() => {
          throw new Unreachable()
        })
        if (done) throw new Unreachable()
        const page = readJson(line) as ChangePage
        const at = now()
        const confirmed = page.items.map((change) => toConfirmed(change, askedAt, at))
        const isLast = page.next_cursor === null
        cursor = page.next_cursor ?? String(page.latest_seq)
        await copy.confirm(confirmed, { cursor, isWhole: wasRead.peek() || isLast })
        if (isLast) return
        if (!wasRead.peek())
          state.value = { is: 'loading', percent: Math.floor((100 * Number.parseInt(cursor, 10)) / page.latest_seq) }
        wait()
      }
    } finally {
      clearTimeout(timer)
    }
  }

  async function pullOrStartAgain(): Promise<void> {
    try {
      await pullAll()
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'cursor_expired') throw error
      await copy.clear()
      cursor = '0'
      wasRead.value = false
      await pullAll()
      if (copy.shown.note.peek().size + copy.shown.task.peek().size + copy.shown.deck.peek().size === 0)
        await onErased()
    }
  }

  /** Reads what has changed. Never rejects: `state` says what failed. */
  function pull(): Promise<void> {
    pulling ??= pullOrStartAgain()
      .then(
        () => {
          pulledAt = now()
          wasRead.value = true
          state.value = { is: 'current' }
        },
        (error: unknown) => {
          if (end.signal.aborted) return
          if (!(error instanceof Refused || error instanceof Unreachable)) throw error
          state.value = { is: 'failed', message: error.message }
        },
      )
      .finally(() => {
        pulling = null
      })
    return pulling
  }

  /** Whether the copy has a change, or has no use for it. */
  function isKnown({ type, id, revision }: FeedChange): boolean {
    return !(COPIED_TYPES as readonly string[]).includes(type) || copy.revisionOf(type as CopiedType, id) >= revision
  }

  async function read(changes: readonly FeedChange[]): Promise<void> {
    // The page that is on its way may have been made before them.
    await pulling
    if (!changes.every(isKnown)) await pull()
  }

  /**
   * Plans to read what was announced. The announcement of a change that was made here often comes before the answer to
   * it, which then has it already.
   */
  function announce(change: FeedChange): void {
    if (isKnown(change)) return
    announced.push(change)
    gathering ??= setTimeout(() => {
      gathering = undefined
      read(announced.splice(0))
    }, GATHER_MS)
  }

  async function follow(name: string): Promise<void> {
    await becomeLeader(streamOf(name), end.signal)
    let retryMs = FIRST_RETRY_MS
    let ended: PauseEnd = 'over'
    while (!end.signal.aborted) {
      const begun = now()
      let isLost = false
      try {
        const response = await api.open({
          path: 'api/changes/stream',
          query: { since: cursor },
          headers: { Accept: 'text/event-stream' },
          signal: end.signal,
        })
        for await (const change of readEvents(response)) announce(change)
      } catch (error) {
        if (end.signal.aborted) return
        isLost = error instanceof Unreachable
        if (error instanceof Refused && error.code === 'cursor_expired') await pull()
        if (error instanceof Refused && error.retryAfter !== null) retryMs = Math.max(retryMs, error.retryAfter * 1000)
      }
      if (now() - begun > LASTING_MS) retryMs = FIRST_RETRY_MS
      // Not twice in turn: a proxy may let all pass but the stream.
      ended = await pause(retryMs, end.signal, isLost && ended !== 'answered')
      retryMs = ended === 'online' ? FIRST_RETRY_MS : Math.min(2 * retryMs, LONGEST_RETRY_MS)
    }
  }

  const onVisible = () => {
    if (document.visibilityState === 'visible' && now() - pulledAt > STALE_MS) pull()
  }

  return {
    state,
    pull,

    /** Why a list that is empty may not be; null once the copy has been read. */
    unread: computed(() => {
      if (wasRead.value) return null
      if (state.value.is === 'failed') return say`This is not on this device yet.`
      return state.value.is === 'loading' && state.value.percent > 0
        ? say`Reading … ${state.value.percent} %`
        : say`Loading …`
    }),

    /** Reads the workspace, and follows its changes until `close`. Resolves when the copy is as the server's. */
    async start(): Promise<void> {
      cursor = (await kept.use((db) => db.get('state', 'cursor'))) ?? '0'
      if (await kept.use((db) => db.get('state', 'whole'))) {
        wasRead.value = true
        state.value = { is: 'current' }
      }
      await pull()
      document.addEventListener('visibilitychange', onVisible, { signal: end.signal })
      window.addEventListener('online', () => pull(), { signal: end.signal })
      if (live !== null) follow(live)
    },

    close(): void {
      clearTimeout(gathering)
      end.abort()
    },
  }
}

/** What a page of the feed has of a resource, that was asked for and came at these times. */
function toConfirmed({ type, id, seq, revision, resource }: FeedChange, askedAt: number, at: number): Confirmed {
  const version = { revision: (resource as Copied | null | undefined)?.revision ?? revision, seq, askedAt, at }
  if (type !== 'note' || !resource)
    return { type: type as CopiedType, id, resource: (resource ?? null) as Copied | null, version }
  const { summary, body } = partNote(resource as unknown as Note)
  return { type, id, resource: summary, body, version }
}

/** Yields the changes of a stream of Server-Sent Events (WHATWG HTML, section 9.2) until it ends. */
async function* readEvents(response: Response): AsyncGenerator<FeedChange> {
  for await (const event of readParts(response, '\n\n')) {
    const data = /^data: (.*)$/m.exec(event)?.[1]
    if (data !== undefined && /^event: change$/m.test(event)) yield JSON.parse(data) as FeedChange
  }
}

/** Why a pause ended; `answered`: the server answered another request, though the browser told of no network. */
type PauseEnd = 'over' | 'online' | 'answered'

/** Resolves after a time, or as soon as there is a network again, which an answer shows as well if `byAnswer`. */
function pause(ms: number, signal: AbortSignal, byAnswer: boolean): Promise<PauseEnd> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const end = (how: PauseEnd) => {
      clearTimeout(timer)
      over.abort()
      resolve(how)
    }
    const timer = setTimeout(end, ms, 'over')
    signal.addEventListener('abort', () => end('over'), { signal: over.signal })
    window.addEventListener('online', () => end('online'), { signal: over.signal })
    if (!byAnswer) return
    const known = hour.peek()
    const forget = hour.subscribe((latest) => latest !== known && end('answered'))
    over.signal.addEventListener('abort', forget)
  })
}
