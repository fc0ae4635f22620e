import { toCodePoints } from '../lib/text'
import type { ChatCitation } from '../tools/schema'
import type { CitationSource } from '../tools/source'

/** Citations up to which sources that the text does not cite are added. */
const MAX_UNCITED = 20

/** The path of the resources of each type. */
const COLLECTION_PATHS = { note: '/api/notes', task: '/api/tasks', fact: '/api/flashcards/facts' } as const

/** The sources of one answer and their numbers. */
export interface CitationList {
  /**
   * Returns the number of a source, a new one for a new source. The same range of the same revision keeps its number.
   */
  assignNumber(source: CitationSource): number
  has(n: number): boolean
  /** Adds sources that a tool has read. They are listed if the text cites nothing. */
  addRetrieved(sources: readonly CitationSource[]): void
  /** Lists all numbered sources, and the retrieved ones if the text has no mark of a numbered one. */
  listCitations(marks: ReadonlySet<number>): ChatCitation[]
}

/** Creates the empty list of an answer. */
export function createCitationList(): CitationList {
  const numbers = new Map<string, number>()
  const sources: CitationSource[] = []
  const read: CitationSource[] = []

  function number(source: CitationSource): number {
    const { type, id, revision, start, end } = source
    const key = `${type} ${id} ${revision} ${start} ${end}`
    const known = numbers.get(key) ?? sources.push(source)
    numbers.set(key, known)
    return known
  }

  return {
    assignNumber: number,
    has: (n) => n >= 1 && n <= sources.length,
    addRetrieved: (more) => void read.push(...more),
    listCitations(marks) {
      const cites = sources.some((_, i) => marks.has(i + 1))
      if (!cites) for (const source of read) if (sources.length < MAX_UNCITED) number(source)
      return sources.map((source, i) => toCitation(source, i + 1, marks.has(i + 1)))
    },
  }
}

function toCitation(
  { type, id, title, revision, text, start, end }: CitationSource,
  n: number,
  cited: boolean,
): ChatCitation {
  const quote = text.slice(start, end)
  const [from = 0, to = 0] = toCodePoints(text, [start, end])
  return {
    n,
    type,
    id,
    title,
    revision,
    quote,
    start: from,
    end: to,
    url: `${COLLECTION_PATHS[type]}/${id}`,
    cited,
  }
}
