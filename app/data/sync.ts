/** Keeps the copy up to date with the server's change feed. */
import { signal } from '@preact/signals'
import { type Api, Refused, Unreachable } from '../api/client'
import type { ChangePage, FeedChange, Note } from '../api/types'
import type { Confirmed, Copy } from './copy'
import type { Store } from './database'
import { COPIED_TYPES, type Copied, type CopiedType, partNote } from './resources'
import { becomeLeader } from './tabs'

const PAGE_CHANGES = 200
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
}

/** `loading`: the first reading of the workspace; `failed` has the sentence why. */
export type SyncState = { readonly is: 'loading' | 'current' } | { readonly is: 'failed'; readonly message: string }

export function createSync({ api, kept, copy, live, now }: Deps) {
  const state = signal<SyncState>({ is: 'loading' })
  const end = new AbortController()
  let cursor = '0'
  let pulledAt = 0
  let pulling: Promise<void> | null = null
  /** What was announced and not yet read. */
  const announced: FeedChange[] = []
  let gathering: ReturnType<typeof setTimeout> | undefined

  async function pullAll(): Promise<void> {
    for (;;) {
      const page = await api.call<ChangePage>({
        path: 'api/changes',
        query: { since: cursor, limit: PAGE_CHANGES, include: 'resource', types: COPIED_TYPES.join(',') },
        signal: AbortSignal.any([end.signal, AbortSignal.timeout(PAGE_TIMEOUT_MS)]),
      })
      cursor = page.next_cursor ?? String(page.latest_seq)
      await copy.confirm(page.items.flatMap(toConfirmed), cursor)
      if (page.next_cursor === null) return
    }
  }

  async function pullOrStartAgain(): Promise<void> {
    try {
      await pullAll()
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'cursor_expired') throw error
      await copy.clear()
      cursor = '0'
      await pullAll()
    }
  }

  /** Reads what has changed. Never rejects: `state` says what failed. */
  function pull(): Promise<void> {
    pulling ??= pullOrStartAgain()
      .then(
        () => {
          pulledAt = now()
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
  function isKnown({ type, id, revision, op }: FeedChange): boolean {
    if (!(COPIED_TYPES as readonly string[]).includes(type)) return true
    const known = copy.revisionOf(type as CopiedType, id)
    return op === 'upsert' ? known >= revision : known === 0
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
      if (!announced.splice(0).every(isKnown)) pull()
    }, GATHER_MS)
  }

  async function follow(name: string): Promise<void> {
    await becomeLeader(`stream ${name}`, end.signal)
    let retryMs = FIRST_RETRY_MS
    while (!end.signal.aborted) {
      const begun = now()
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
        if (error instanceof Refused && error.code === 'cursor_expired') await pull()
        if (error instanceof Refused && error.retryAfter !== null) retryMs = Math.max(retryMs, error.retryAfter * 1000)
      }
      if (now() - begun > LASTING_MS) retryMs = FIRST_RETRY_MS
      const isOnlineAgain = await pause(retryMs, end.signal)
      retryMs = isOnlineAgain ? FIRST_RETRY_MS : Math.min(2 * retryMs, LONGEST_RETRY_MS)
    }
  }

  const onVisible = () => {
    if (document.visibilityState === 'visible' && now() - pulledAt > STALE_MS) pull()
  }

  return {
    state,
    pull,

    /** Reads the workspace, and follows its changes until `close`. Resolves when the copy is as the server's. */
    async start(): Promise<void> {
      cursor = (await kept.use((db) => db.get('state', 'cursor'))) ?? '0'
      if (cursor !== '0') state.value = { is: 'current' }
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

function toConfirmed({ type, id, resource }: FeedChange): Confirmed[] {
  if (type !== 'note' || !resource)
    return [{ type: type as CopiedType, id, resource: (resource ?? null) as Copied | null }]
  const { summary, body } = partNote(resource as unknown as Note)
  return [{ type, id, resource: summary, body }]
}

/** Yields the changes of a stream of Server-Sent Events (WHATWG HTML, section 9.2) until it ends. */
async function* readEvents(response: Response): AsyncGenerator<FeedChange> {
  let rest = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done) return
    const events = (rest + value).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data !== undefined && /^event: change$/m.test(event)) yield JSON.parse(data) as FeedChange
    }
  }
}

/** Resolves after a time, or with true as soon as there is a network again. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const end = (isOnlineAgain: boolean) => {
      clearTimeout(timer)
      over.abort()
      resolve(isOnlineAgain)
    }
    const timer = setTimeout(end, ms, false)
    signal.addEventListener('abort', () => end(false), { signal: over.signal })
    window.addEventListener('online', () => end(true), { signal: over.signal })
  })
}
