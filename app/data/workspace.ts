/** The workspace of the chosen key: its copy, what is sent and read, and what can be undone. */
import { signal } from '@preact/signals'
import { browserStorage, KeyStore } from '../../public/key-store.js'
import { createApi } from '../api/client'
import type { BatchAnswersOutcome } from '../api/types'
import { type Confirmed, createCopy } from './copy'
import { createStore, databaseName, openDatabase } from './database'
import { newId } from './ids'
import { createKeeper } from './keep-both'
import { createOutbox } from './outbox'
import { createStudyCopy } from './study-copy'
import { createSync } from './sync'
import type { Write } from './writes'

/** The keys of this browser, which the key page made or was given. */
export const keys = new KeyStore(browserStorage())

/** The same, for what is shown: the newest first. */
export const keptKeys = signal(keys.keys)
keys.addEventListener('change', () => {
  keptKeys.value = keys.keys
})

const MAX_UNDO = 50

/** What takes an action back: writes, or a function that asks the server. It throws Refused or Unreachable. */
export type Inverse = readonly Write[] | (() => Promise<void>)

/** What was done, in words such as “Completed “Call mum””, with what takes it back. */
export interface Done {
  readonly words: string
  readonly inverse: Inverse
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>

/** The open workspace; null while it is opened. */
export const workspace = signal<Workspace | null>(null)

/**
 * Opens the workspace of the key that is chosen, from what the browser has stored; what the server has is read meanwhile.
 * It closes the workspace that was open.
 */
export async function openChosenWorkspace(): Promise<void> {
  workspace.peek()?.close()
  workspace.value = null
  const opened = await openWorkspace(keys.chosen?.key ?? null)
  // Another key may have been chosen meanwhile.
  if (opened.key !== (keys.chosen?.key ?? null)) return opened.close()
  workspace.value = opened
  opened.sync.start().then(opened.prepareForConflicts)
}

/** Forgets what only this browser has of a workspace that was erased. */
const forgetErased = async (owner: Pick<Workspace, 'store' | 'key'>): Promise<void> =>
  (await import('./conversations')).forgetConversations(owner)

async function openWorkspace(key: string | null) {
  const api = createApi(key)
  const kept = createStore(await openDatabase(key))
  let isClosed = false
  const channel = new BroadcastChannel(databaseName(key))
  const now = () => Date.now()
  const tell = (resources: readonly Confirmed[]) => {
    // What was under way when the workspace was closed is answered later.
    if (!isClosed) channel.postMessage(resources)
  }
  const copy = createCopy(kept, tell, now)
  channel.onmessage = ({ data }) => copy.receive(data)
  const study = createStudyCopy(kept, now)
  const answered = signal<BatchAnswersOutcome['items']>([])
  const outbox = createOutbox({
    api,
    kept,
    copy,
    now,
    newId,
    async onRefused(writes) {
      const keep = await keeper.prepare(writes)
      return async () => {
        for (const one of writes) if (!(await keep(one))) await outbox.refused.add(one.write, one.message)
      }
    },
    async onAnswered(items) {
      answered.value = items
      await study.take(items.flatMap(({ card }) => card ?? []))
    },
    onCard: (card) => study.take([card]),
  })
  const keeper = createKeeper({ api, copy, add: outbox.add, join: outbox.join, newId })
  const live = key === null ? null : databaseName(key)
  const sync = createSync({ api, kept, copy, live, now, onErased: () => forgetErased({ store: kept, key }) })
  await copy.load()
  await outbox.load()

  return {
    /** Null: the scratch space of this address. */
    key,
    api,
    copy,
    outbox,
    sync,
    /** What there is to study today. */
    study,
    /** What the browser keeps of the workspace, as long as it does. */
    store: kept,
    now,
    ...createUndoing(outbox.add),
    /** What the answers to cards came to that the server took last. */
    answered,

    /** Texts that were typed into notes that were changed elsewhere, until the person has seen where they are. */
    kept: keeper.kept,

    /** The note whose changes of here and elsewhere were merged last. */
    merged: keeper.merged,

    prepareForConflicts: keeper.load,

    /** Titles of elsewhere that those typed here have replaced, until the person has seen them. */
    replaced: keeper.replaced,

    close(): void {
      isClosed = true
      outbox.close()
      sync.close()
      channel.close()
    },
  }
}

function createUndoing(add: (writes: readonly Write[]) => Promise<void>) {
  const undoable = signal<readonly Done[]>([])
  return {
    /** The last actions, the newest last. */
    undoable,

    /** Does something that can be undone, and shows it at once. `inverse` empty: it cannot be undone. */
    async act(words: string, writes: readonly Write[], inverse: Inverse): Promise<void> {
      if (typeof inverse === 'function' || inverse.length > 0)
        undoable.value = [...undoable.value, { words, inverse }].slice(-MAX_UNDO)
      await add(writes)
    },

    /** Takes back the last action, and returns it; null: there is none. Throws Refused, Unreachable; it can be tried again. */
    async undo(): Promise<Done | null> {
      const last = undoable.value.at(-1)
      if (!last) return null
      undoable.value = undoable.value.slice(0, -1)
      if (typeof last.inverse !== 'function') await add(last.inverse)
      else
        await last.inverse().catch((error: unknown) => {
          undoable.value = [...undoable.value, last].slice(-MAX_UNDO)
          throw error
        })
      return last
    },
  }
}
