/** The pages of a list: of what words rank, or at its beginning of what words and meaning rank together. */
import type { Session } from '../db/database'
import type { Found, Position } from './find'
import { listByDocs } from './find-store'
import { FUSED, fuse } from './fusion'
import type { NearDocument } from './meaning/nearest'
import type { Rank } from './ranking'

/** What is left of a list of two, as it was when its first page was made. */
export interface Fused {
  /** Documents to be shown next, before the words' list goes on. */
  readonly rest: readonly number[]
  /** Documents of it that the words' list may have behind where it goes on. */
  readonly apart: readonly number[]
}

interface Page {
  readonly found: Found[]
  /** How far the words' list was gone through. */
  readonly behind: Rank | null
  readonly fused: Fused | null
  /** Whether there is another. */
  readonly more: boolean
}

interface PageOptions {
  /** The best by words, so many behind a place. */
  readonly best: (count: number, behind: Rank | null) => Promise<Rank[]>
  readonly limit: number
  readonly after: Position | null
  /** Asks meaning, for a first page that words have something for; null where words alone rank. */
  readonly near: ((count: number) => Promise<readonly NearDocument[] | null>) | null
}

/** The best that stand for something yet: what was changed since it was indexed is found by its new text. */
export async function loadPage(session: Session, asked: PageOptions): Promise<Page> {
  const { limit, after } = asked
  const begun = after ?? (await loadFused(asked))
  const apart = new Set(begun.fused?.apart)
  const rest = [...(begun.fused?.rest ?? [])]
  const found: Found[] = []
  let behind: Rank | null = begun.behind
  for (;;) {
    const isRest = rest.length > 0
    const best = isRest
      ? rest.slice(0, limit + 1).map((doc) => ({ doc, score: 0 }))
      : await asked.best(limit + 1, behind)
    const docs = best.map(({ doc }) => doc)
    const rows = new Map((await listByDocs(session.db, session.workspace.id, docs)).map((row) => [row.doc, row]))
    for (const { doc, score } of best) {
      const row = isRest || !apart.has(doc) ? rows.get(doc) : undefined
      if (row && found.length === limit)
        return { found, behind, fused: begun.fused && { rest, apart: begun.fused.apart }, more: true }
      if (isRest) rest.shift()
      else behind = { doc, score }
      if (row) found.push({ type: row.type, key: row.key, doc, score })
    }
    if (!isRest && best.length <= limit) return { found, behind, fused: begun.fused, more: false }
  }
}

/** Words tell whether there is an answer at all; of its best, and what is nearest, one list is made. */
async function loadFused({ best, near }: PageOptions): Promise<Pick<Page, 'behind' | 'fused'>> {
  const words = near ? await best(FUSED, null) : []
  const nearest = near && words.length > 0 ? await near(FUSED) : null
  if (!nearest) return { behind: null, fused: null }
  const own = new Set(words.map(({ doc }) => doc))
  const rest = fuse(
    [...own],
    nearest.map(({ doc }) => doc),
  )
  return { behind: words.at(-1) ?? null, fused: { rest, apart: rest.filter((doc) => !own.has(doc)) } }
}
