import { type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT } from '../../http/values'
import type { ListStudy } from './schema'

/** Bytes of the texts in one page: it ends early beyond them. */
const PAGE_BYTES = 8 * 1024 * 1024

export interface AskedPage {
  readonly binding: string
  readonly trashed: boolean
  /** The id of the last one shown, or null for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** What a request asks for beside its filters. Throws invalid_cursor. */
export function readPage(kind: 'facts' | 'cards', { cursor, limit, ...filters }: ListStudy): AskedPage {
  const binding = JSON.stringify([kind, Object.entries(filters).toSorted()])
  const [after = null] = cursor === undefined ? [] : readCursor(cursor, binding, ['string'])
  return {
    binding,
    trashed: filters.trashed === 'true',
    after: after === null ? null : String(after),
    limit: Number(limit ?? DEFAULT_LIMIT),
  }
}

interface Sized {
  readonly resource: { readonly id: string }
  readonly bytes: number
}

/** A page of `limit + 1` items or fewer; it ends early at 8 MiB, with one item at least. */
export function toStudyPage<Item extends Sized>(items: readonly Item[], { binding, limit }: AskedPage) {
  let bytes = 0
  const beyond = items.findIndex((item, i) => {
    bytes += item.bytes
    return bytes > PAGE_BYTES && i > 0
  })
  const shown = beyond < 0 ? limit : Math.min(limit, beyond)
  const page = toPage(
    items,
    shown,
    binding,
    ({ resource }) => [resource.id],
    ({ resource }) => resource,
  )
  return page as Page<Item['resource']>
}
