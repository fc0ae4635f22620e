/** The pictures and sounds of the cards of today that the browser keeps, to study without network. */
import { type Api, hour, Refused, Unreachable } from '../api/client'
import type { Card } from '../api/types'
import type { Database, Store } from './database'

/** Nothing more is fetched once the kept files have so many bytes, … */
const MAX_BYTES = 50 * 2 ** 20
/** … or are so many: each is a request. */
const MAX_FILES = 200
/** The part of the requests of an hour, and of the room in the browser, that is left for all else. */
const LEFT_PART = 1 / 2

/** Media of the workspace, at the addresses that the server signed in the HTML of cards: other ones every day. */
const NAMED = /\ssrc="(\/api\/flashcards\/media\/[\w-]+)"/g

/**
 * Reads a file of a card.
 * @param address from the root of the server
 * @throws Refused, Unreachable
 */
export async function readCardFile(api: Pick<Api, 'open'>, address: string): Promise<Blob> {
  const response = await api.open({ path: address.slice(1), headers: { Accept: '*/*' } })
  return response.blob().catch(() => {
    throw new Unreachable()
  })
}

export type CardFiles = ReturnType<typeof createCardFiles>

export function createCardFiles(kept: Store) {
  let keeping: Promise<void> | null = null

  async function keepAll(api: Pick<Api, 'open'>, cards: readonly Card[]): Promise<void> {
    const sides = cards.flatMap(({ prompt_html, answer_html }) => [prompt_html ?? '', answer_html ?? ''])
    const named = sides.flatMap((html) => [...html.matchAll(NAMED)].flatMap(([, address]) => address ?? []))
    const wanted = new Set([...new Set(named)].slice(0, MAX_FILES))
    const stored = await kept.use((db) => keepOnly(db, wanted))
    if (!stored) return
    let bytes = stored.reduce((sum, { blob }) => sum + blob.size, 0)
    for (const { address } of stored) wanted.delete(address)
    const room = Math.min(MAX_BYTES, bytes + (await roomInBrowser()))
    for (const address of wanted) {
      if (bytes >= room || isHourShort()) return
      const blob = await readUnlessGone(api, address)
      if (!blob) continue
      if (!(await kept.use((db) => store(db, address, blob)))) return
      bytes += blob.size
    }
  }

  return {
    /** A file that is kept; null: it is not. */
    async read(address: string): Promise<Blob | null> {
      return (await kept.use((db) => db.get('files', address)))?.blob ?? null
    },

    /**
     * Fetches the files that cards name, the first ones first, as far as there is room and requests are left, and forgets all
     * others. Throws Refused, Unreachable: the rest is fetched the next time.
     */
    keep(api: Pick<Api, 'open'>, cards: readonly Card[]): Promise<void> {
      keeping ??= keepAll(api, cards).finally(() => {
        keeping = null
      })
      return keeping
    },
  }
}

async function keepOnly(db: Database, wanted: ReadonlySet<string>) {
  const stored = await db.getAll('files')
  const isWanted = ({ address }: { address: string }) => wanted.has(address)
  for (const file of stored) if (!isWanted(file)) await db.delete('files', file.address)
  return stored.filter(isWanted)
}

/** False if there is no room for so much: what was typed may still have some. */
async function store(db: Database, address: string, blob: Blob): Promise<boolean> {
  try {
    await db.put('files', { address, blob })
    return true
  } catch (error) {
    if (error instanceof DOMException && error.name === 'QuotaExceededError') return false
    throw error
  }
}

/** Null for a file that was erased since the card was sent. */
async function readUnlessGone(api: Pick<Api, 'open'>, address: string): Promise<Blob | null> {
  try {
    return await readCardFile(api, address)
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null
    throw error
  }
}

/** Browsers tell it under https and on localhost only. */
async function roomInBrowser(): Promise<number> {
  const { quota, usage = 0 } = (await navigator.storage?.estimate()) ?? {}
  return quota === undefined ? MAX_BYTES : (quota - usage) * LEFT_PART
}

function isHourShort(): boolean {
  const known = hour.peek()
  return known !== null && known.remaining < known.limit * LEFT_PART
}
