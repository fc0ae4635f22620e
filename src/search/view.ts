/** A workspace's index as one search sees it: the segments that are stored, and what is pending as one more. */
import type { Session } from '../db/database'
import { type Entry, findInBlock } from './blocks'
import { findBlocks, listPending, listSegments, scanTerms } from './index-store'
import type { Indexing } from './indexing'
import { NumberReader, type Posting } from './postings'
import type { Documents, Segment } from './segment'

/** Documents that are analyzed for each search anew; where more are pending, they are indexed first. */
const PENDING_AT_MOST = 16
/** How long a search waits for that, in milliseconds; then it finds what is indexed. */
const WAIT_MS = 5000

/** What each part of the index has of a term; null where it has nothing. */
export type Postings = readonly (Posting | null)[]

/** The most that a term can be: behind all others. */
const LAST = '\u{10ffff}'

export class View {
  /** The documents of each part, oldest first. */
  readonly parts: readonly Documents[]
  readonly languages: ReadonlySet<string>
  /** Whether something is pending still. */
  readonly incomplete: boolean
  readonly #session: Session
  readonly #segments: readonly number[]
  readonly #fresh: ReadonlyMap<string, Entry>
  /** What was read already, without and with places. */
  readonly #counted = new Map<string, (Posting | null)[]>()
  readonly #placed = new Map<string, (Posting | null)[]>()

  private constructor(
    session: Session,
    stored: Awaited<ReturnType<typeof listSegments>>,
    fresh: Segment | null,
    incomplete: boolean,
  ) {
    this.#session = session
    this.#segments = stored.map(({ segment }) => segment)
    this.parts = [...stored.map(({ documents }) => documents), ...(fresh ? [fresh.documents] : [])]
    this.languages = new Set([...stored.flatMap(({ languages }) => languages), ...(fresh?.languages ?? [])])
    this.#fresh = new Map(
      fresh?.terms.map(([term, posting]) => [term, { term, posting, documents: 0 }]),
    )
    this.incomplete = incomplete
  }

  /** @param ticks milliseconds that never go back */
  static async open(session: Session, indexing: Indexing, ticks: () => number): Promise<View> {
    const { db, workspace } = session
    const until = ticks() + WAIT_MS
    let pending = await listPending(db, workspace.id, PENDING_AT_MOST + 1)
    let more = true
    while (pending.length > PENDING_AT_MOST && more && ticks() < until) {
      // Without room on the disk, what is indexed is found, and nothing is lost.
      more = await indexing.step(workspace.id)
      pending = await listPending(db, workspace.id, PENDING_AT_MOST + 1)
    }
    const fresh = pending.length > 0 ? await indexing.read(db, workspace.id, pending.slice(0, PENDING_AT_MOST)) : null
    const stored = await listSegments(db, workspace.id)
    // What was indexed between the two reads stands in both.
    const newest = stored.at(-1)?.documents.docs.at(-1) ?? 0
    const isDouble = fresh !== null && (fresh.documents.docs[0] ?? 0) <= newest
    return new View(session, stored, isDouble ? null : fresh, pending.length > PENDING_AT_MOST)
  }

  /** What the parts have of each term. @param places whether these are wanted too, not the counts alone */
  async postings(terms: readonly string[], places = false): Promise<Map<string, Postings>> {
    const { db, workspace } = this.#session
    const known = places ? this.#placed : this.#counted
    const unread = terms.filter((term) => !known.has(term))
    for (const term of unread) {
      const list = this.parts.map((): Posting | null => null)
      const entry = this.#fresh.get(term)
      if (entry) list[list.length - 1] = entry.posting
      known.set(term, list)
    }
    if (unread.length > 0) {
      for (const block of await findBlocks(db, workspace.id, this.#segments, unread, places)) {
        const entry = findInBlock(block, block.term)
        const list = known.get(block.term)
        if (entry && list) list[this.#segments.indexOf(block.segment)] = entry.posting
      }
    }
    return new Map(terms.map((term) => [term, known.get(term) ?? []]))
  }

  /** The terms that begin with a text, each with the number of documents that have it. */
  async startingWith(start: string): Promise<Map<string, number>> {
    return await this.#scan(start, start + LAST, null, (term) => term.startsWith(start))
  }

  /** The words that hold a text. */
  async holding(piece: string): Promise<Map<string, number>> {
    return await this.#scan('', LAST, piece, (term) => isWord(term) && term.includes(piece))
  }

  /** All words, for `wanted` to choose from. */
  async words(wanted: (word: string) => boolean): Promise<Map<string, number>> {
    return await this.#scan('', LAST, null, (term) => isWord(term) && wanted(term))
  }

  async #scan(from: string, below: string, piece: string | null, wanted: (term: string) => boolean) {
    const { db, workspace } = this.#session
    const found = new Map<string, number>()
    for (const { terms, sizes } of await scanTerms(db, workspace.id, this.#segments, { from, below, piece })) {
      const numbers = new NumberReader(sizes)
      let read = 0
      terms
        .slice(1, -1)
        .split('\n')
        .forEach((term, i) => {
          if (!wanted(term)) return
          numbers.skip(3 * i - read)
          found.set(term, (found.get(term) ?? 0) + numbers.next())
          read = 3 * i + 1
        })
    }
    for (const term of this.#fresh.keys()) if (wanted(term)) found.set(term, (found.get(term) ?? 0) + 1)
    return found
  }
}

/** Terms of other kinds begin with a sign. */
function isWord(term: string): boolean {
  const first = term.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || (first >= 0x61 && first <= 0x7a) || first >= 0x80
}
