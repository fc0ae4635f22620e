import { toCodePoints } from '../lib/text'
import type { ChatCitation } from '../tools/schema'
import type { CitationSource } from '../tools/source'
import { resourcePath } from '../tools/tool'

/** Citations up to which sources that the text does not cite are added. */
const MAX_UNCITED = 20

/** Creates the empty list of the sources of one answer, and of their numbers. */
export function createCitationList() {
  const numbers = new Map<string, number>()
  const sources: CitationSource[] = []
  const read: CitationSource[] = []

  /** Returns the number of a source, a new one for a new source. The same range of the same revision keeps its number. */
  function assignNumber(source: CitationSource): number {
    const { type, id, revision, start, end } = source
    const key = `${type} ${id} ${revision} ${start} ${end}`
    const known = numbers.get(key) ?? sources.push(source)
    numbers.set(key, known)
    return known
  }

  return {
    assignNumber,
    has: (n: number) => n >= 1 && n <= sources.length,
    /** Adds sources that a tool has read. They are listed if the text cites nothing. */
    addRetrieved: (more: readonly CitationSource[]) => void read.push(...more),
    /** Lists all numbered sources, and the retrieved ones if the text has no mark of a numbered one. */
    listCitations(marks: ReadonlySet<number>): ChatCitation[] {
      const cites = sources.some((_, i) => marks.has(i + 1))
      if (!cites) for (const source of read) if (sources.length < MAX_UNCITED) assignNumber(source)
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
    url: resourcePath({ type, id }),
    cited,
  }
}
