import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { ResourceType } from '../db/change-feed'
import type { Session } from '../db/database'
import { ifNotFound } from '../http/api-error'
import type { Tagged } from '../http/conditional'
import type { FeedPage } from './service'

/** Reads a resource as a GET of its own address does. Throws not_found. */
type GetResource = (session: Session, id: string) => Promise<Tagged<object>>

export type ResourceReaders = Readonly<Record<ResourceType, GetResource>>

/** The most bytes of resources, as JSON, in a page: it ends early with the one that reaches them. */
const PAGE_BYTES = 1024 * 1024
/** Other requests are served after so many resources, of which each takes some 0.1 ms. */
const RESOURCES_PER_TURN = 20

/** Adds to the changes of a page the resources as they are now: null for one that was deleted, also since. */
export async function includeResources(session: Session, page: FeedPage, readers: ResourceReaders): Promise<FeedPage> {
  const items: FeedPage['items'] = []
  let bytes = 0
  for (const change of page.items) {
    const read = readers[change.type as ResourceType]
    // What was erased since the feed was read is in a later change of it.
    const found = change.op === 'delete' ? null : await read(session, change.id).catch(ifNotFound)
    const resource = found?.resource ?? null
    items.push({ ...change, resource })
    bytes += resource === null ? 0 : Buffer.byteLength(JSON.stringify(resource))
    if (bytes >= PAGE_BYTES) break
    if (items.length % RESOURCES_PER_TURN === 0) await yieldTurn()
  }
  const last = items.at(-1)
  return { ...page, items, nextSeq: last && items.length < page.items.length ? last.seq : page.nextSeq }
}
