/** The copy of a workspace that the browser keeps, in IndexedDB. */
import { signal } from '@preact/signals'
import { type DBSchema, type IDBPDatabase, openDB, type StoreNames } from 'idb'
import type { Card } from '../api/types'
import type { KeptQueue } from './resources'
import type { PendingWrite } from './writes'

export interface Tables extends DBSchema {
  /** Notes without bodies, tasks, projects, …: what the lists are made of, many in a row, as kept-resources.ts has it. */
  resources: { key: [type: string, part: number]; value: { type: string; part: number; json: string } }
  /** Bodies of notes, which are read one by one. */
  bodies: { key: string; value: { id: string; revision: number; body: string } }
  /** What was changed here and not yet confirmed by the server, in its order. */
  writes: { key: [tab: string, seq: number]; value: PendingWrite }
  /** `cursor`: the position in the server's change feed that the copy is at; `whole` is there once it was at the end. */
  state: { key: string; value: string }
  /** What there is to study, by deck, and the cards of it with their HTML. */
  queues: { key: string; value: KeptQueue }
  cards: { key: string; value: Card }
  /** Pictures and sounds of these cards, by the addresses in their HTML. */
  files: { key: string; value: { address: string; blob: Blob } }
  /** Conversations of the chat, and their turns in the order of their ids. The server knows of neither. */
  conversations: { key: string; value: PastConversation }
  turns: { key: [conversation: string, id: string]; value: KeptTurn }
}

export interface PastConversation {
  readonly id: string
  /** The first question. */
  readonly title: string
  /** When it went on last, in milliseconds since 1970. */
  readonly at: number
  /** Of its turns. */
  readonly bytes: number
}

/** A question with its answer, of which the chat knows more. */
export interface KeptTurn {
  readonly conversation: string
  readonly id: string
  readonly question: string
  readonly answer: { readonly text: string }
  /** Of all of it, as JSON in UTF-8, once it is kept. */
  readonly bytes?: number
}

export type Database = IDBPDatabase<Tables>

const VERSION = 2

/** The tables of what the server does not have, with their keys: every later version keeps them. */
const ONLY_HERE = new Map<StoreNames<Tables>, string | string[]>([
  ['writes', ['tab', 'seq']],
  ['conversations', 'id'],
  ['turns', ['conversation', 'id']],
])

/** The name has the key, which lies beside it in the storage of the same origin anyway. */
export const databaseName = (key: string | null) => (key === null ? 'satchel' : `satchel ${key}`)

/**
 * Why the browser keeps no copy beyond the page: it does not store anything (a blocked storage), it has no more room, it
 * has a copy that a later version of the app made, or it does not answer, since another tab keeps an earlier copy open.
 */
export type StoreFault = 'blocked' | 'full' | 'newer' | 'silent'

/** The app works without a copy if the browser has not opened it after so long, in milliseconds. */
const OPEN_WITHIN_MS = 3000

/** Opens the copy of the workspace of a key, or of the scratch space. Without a copy the app works, and says why. */
export async function openDatabase(key: string | null): Promise<Database | StoreFault> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const opening = openTables(key)
  const late = new Promise<StoreFault>((resolve) => {
    timer = setTimeout(() => resolve('silent'), OPEN_WITHIN_MS)
  })
  const opened = await Promise.race([opening, late])
  clearTimeout(timer)
  // One that opens later would keep other tabs from what they want with it.
  if (opened === 'silent') opening.then((db) => typeof db !== 'string' && db.close())
  return opened
}

async function openTables(key: string | null): Promise<Database | StoreFault> {
  try {
    return await openDB<Tables>(databaseName(key), VERSION, {
      upgrade(db) {
        // What an earlier version kept of the server's is read again.
        for (const name of db.objectStoreNames) if (!ONLY_HERE.has(name)) db.deleteObjectStore(name)
        db.createObjectStore('resources', { keyPath: ['type', 'part'] })
        db.createObjectStore('bodies', { keyPath: 'id' })
        db.createObjectStore('state')
        db.createObjectStore('queues', { keyPath: 'deck' })
        db.createObjectStore('cards', { keyPath: 'id' })
        db.createObjectStore('files', { keyPath: 'address' })
        for (const [name, keyPath] of ONLY_HERE)
          if (!db.objectStoreNames.contains(name)) db.createObjectStore(name, { keyPath })
      },
      blocking: (_, __, event) => (event.target as IDBDatabase).close(),
    })
  } catch (error) {
    return faultOf(error)
  }
}

function faultOf(error: unknown): StoreFault {
  const { name } = error as { name?: string }
  return name === 'VersionError' ? 'newer' : name === 'QuotaExceededError' ? 'full' : 'blocked'
}

export type Store = ReturnType<typeof createStore>

/** What the browser keeps, as long as it does: it may be full, or be cleared while the page is open. */
export function createStore(opened: Database | StoreFault) {
  const db = typeof opened === 'string' ? null : opened
  const fault = signal(typeof opened === 'string' ? opened : null)
  return {
    /** Why not all that was to be kept was kept; null: it was. */
    fault,

    /** Reads or writes what is kept. Resolves with null where the browser does not: `fault` says why from then on. */
    async use<Result>(work: (db: Database) => Promise<Result>): Promise<Result | null> {
      if (!db) return null
      try {
        return await work(db)
      } catch (error) {
        if (!(error instanceof DOMException)) throw error
        fault.value = faultOf(error)
        return null
      }
    },
  }
}

/**
 * Resolves when the requests of a transaction are stored. Rejects with what the transaction failed of, such as a full
 * storage, of which its requests do not know.
 */
export async function allStored(done: Promise<void>, requests: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled([...requests, done])
  await done
}
