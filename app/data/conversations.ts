/** The conversations of the chat, which only this browser keeps, beside its copy of the workspace. */
import { signal } from '@preact/signals'
import type { IDBPTransaction } from 'idb'
import {
  allStored,
  type Database,
  databaseName,
  type KeptTurn,
  type PastConversation,
  type Store,
  type Tables,
} from './database'

/** What is kept at most: the oldest conversations go first, then the oldest turns of the one that goes on. */
export const MAX_CONVERSATIONS = 200
export const MAX_CONVERSATION_BYTES = 8 * 1024 * 1024

export type Conversations = ReturnType<typeof createConversations>

/** What is needed of a workspace. */
interface Owner {
  readonly store: Store
  readonly key: string | null
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const known = new WeakMap<Owner, Conversations>()

export function conversationsOf(workspace: Owner): Conversations {
  const conversations = known.get(workspace) ?? createConversations(workspace)
  known.set(workspace, conversations)
  return conversations
}

/** Each turn is stored by itself, so that two tabs can go on with one conversation. */
function createConversations({ store, key, now }: Owner) {
  const list = signal<readonly PastConversation[]>([])
  const channel = new BroadcastChannel(channelOf(key))
  /** What the turns of each conversation say, in lower case; null: not read since the last change. */
  let texts: Promise<Map<string, string>> | null = null

  /** Reads the list, the newest first. */
  async function load(): Promise<void> {
    texts = null
    list.value = ((await store.use((db) => db.getAll('conversations'))) ?? []).sort(newestFirst)
  }

  /** Changes what is kept, in the lists of other tabs as well. */
  async function change(id: string, work: (tx: Changing) => Promise<unknown>): Promise<void> {
    await store.use((db) => {
      const tx = db.transaction(['conversations', 'turns'], 'readwrite')
      return allStored(tx.done, [work(tx)])
    })
    channel.postMessage(id)
    await load()
  }

  /** The turns of a conversation, in their order. */
  const read = async (id: string): Promise<KeptTurn[]> =>
    (await store.use((db) => db.getAll('turns', turnsOf(id)))) ?? []

  async function readTexts(): Promise<Map<string, string>> {
    const turns = (await store.use((db) => db.getAll('turns'))) ?? []
    const textOf = ({ question, answer }: KeptTurn) => `${question}\n${answer.text}`
    const byConversation = Map.groupBy(turns, ({ conversation }) => conversation)
    return new Map([...byConversation].map(([id, all]) => [id, all.map(textOf).join('\n').toLowerCase()]))
  }

  return {
    list,
    load,

    read,

    /** Keeps a turn, in place of what was kept of it. */
    keep: (turn: KeptTurn) => change(turn.conversation, (tx) => storeTurn(tx, turn, now())),

    /** Forgets a conversation. Returns what `restore` brings it back from. */
    async remove(past: PastConversation): Promise<readonly KeptTurn[]> {
      const turns = await read(past.id)
      await change(past.id, (tx) => forget(tx, past.id))
      return turns
    },

    restore: (past: PastConversation, kept: readonly KeptTurn[]) =>
      change(past.id, async (tx) => {
        for (const turn of kept) await tx.objectStore('turns').put(turn)
        await tx.objectStore('conversations').put(past)
      }),

    /** The conversations whose questions and answers have all words, in any place; the newest first. */
    async find(text: string): Promise<PastConversation[]> {
      const words = text.toLowerCase().split(/\s+/)
      texts ??= readTexts()
      const read = await texts
      return list.peek().filter(({ id }) => words.every((word) => read.get(id)?.includes(word)))
    },

    /** Calls back when another tab has changed a conversation, or when all are erased: then with ''. */
    watch(onChange: (id: string) => void): void {
      channel.onmessage = ({ data }) => load().then(() => onChange(data))
    },
  }
}

/** Forgets all conversations, also those that tabs have open: the workspace is erased. */
export async function forgetConversations({ store, key }: Omit<Owner, 'now'>): Promise<void> {
  await store.use(clearConversations)
  const channel = new BroadcastChannel(channelOf(key))
  channel.postMessage('')
  channel.close()
}

export async function clearConversations(db: Database): Promise<void> {
  const tx = db.transaction(['conversations', 'turns'], 'readwrite')
  await Promise.all([tx.objectStore('conversations').clear(), tx.objectStore('turns').clear(), tx.done])
}

const channelOf = (key: string | null) => `${databaseName(key)} chat`
const turnsOf = (id: string) => IDBKeyRange.bound([id], [id, []])
const newestFirst = (a: PastConversation, b: PastConversation) => b.at - a.at

type Changing = IDBPTransaction<Tables, ('conversations' | 'turns')[], 'readwrite'>

async function forget(tx: Changing, id: string): Promise<void> {
  await Promise.all([tx.objectStore('conversations').delete(id), tx.objectStore('turns').delete(turnsOf(id))])
}

/** Stores a turn, and forgets what is too much then. */
async function storeTurn(tx: Changing, turn: KeptTurn, now: number): Promise<void> {
  const [conversations, turns] = [tx.objectStore('conversations'), tx.objectStore('turns')]
  const { conversation: id } = turn
  const [known, before] = [await conversations.get(id), await turns.get([id, turn.id])]
  const kept = { ...turn, bytes: sizeOf(turn) }
  let bytes = (known?.bytes ?? 0) - (before?.bytes ?? 0) + kept.bytes
  await turns.put(kept)
  for (let first = await turns.openCursor(turnsOf(id)); first && bytes > MAX_CONVERSATION_BYTES; ) {
    bytes -= first.value.bytes ?? 0
    await first.delete()
    first = await first.continue()
  }
  await conversations.put({ id, title: known?.title ?? turn.question, at: now, bytes })
  const others = (await conversations.getAll()).filter((each) => each.id !== id).sort(newestFirst)
  for (const [place, other] of others.entries()) {
    bytes += other.bytes
    if (place + 1 >= MAX_CONVERSATIONS || bytes > MAX_CONVERSATION_BYTES) await forget(tx, other.id)
  }
}

/** In UTF-8, as JSON. */
const sizeOf = (turn: KeptTurn) => new TextEncoder().encode(JSON.stringify({ ...turn, bytes: 0 })).length
