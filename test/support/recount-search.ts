import type { Queries } from '../../src/db/database'
import { scanMarkdown } from '../../src/notes/markdown/scan-markdown'
import { type Block, readBlock } from '../../src/search/blocks'
import { readPlaces } from '../../src/search/postings'
import { readDocuments } from '../../src/search/segment'
import { TYPES, type Type } from '../../src/search/source'
import { type Analyzed, analyze } from './analyze'

interface Document {
  readonly doc: number
  readonly workspace: string
  readonly type: Type
  readonly key: number
  readonly pending: number
}

interface Indexed {
  readonly segment: number
  readonly workspace: string
  readonly type: Type
  readonly lengths: readonly number[]
}

interface Segment {
  readonly segment: number
  readonly workspace: string
  readonly documents: number
  readonly content: Uint8Array
  readonly first_doc: number
  readonly last_doc: number
}

/** Documents whose terms are made anew, the newest; all of a large database would take minutes. */
const SAMPLE = 500

/**
 * What is not found as it is, or found and not there, in words. That each thing that lives has a document, and no other,
 * is asked by the command `check`; here each document is looked for in the segments, and of a sample each term.
 */
export async function searchContradictions(db: Queries): Promise<string[]> {
  const segments = await db.all<Segment>('SELECT * FROM search_segments WHERE ready = 1')
  const indexed = new Map<string, Indexed>()
  const wrong: string[] = []
  for (const { segment, workspace, documents, content, first_doc, last_doc } of segments) {
    const { docs, types, lengths } = readDocuments(content, documents)
    if (docs[0] !== first_doc || docs.at(-1) !== last_doc) wrong.push(`segment ${segment} has other documents`)
    docs.forEach((doc, i) => {
      const id = idOf({ workspace, doc })
      if (indexed.has(id)) wrong.push(`document ${doc} is in two segments`)
      const type = TYPES[types[i] ?? 0] ?? 'note'
      indexed.set(id, { segment, workspace, type, lengths: lengths.map((list) => list[i] ?? 0) })
    })
  }
  const documents = await db.all<Document>('SELECT * FROM search_docs ORDER BY doc DESC')
  return [
    ...wrong,
    ...documents.flatMap((one) => misplaced(one, indexed.get(idOf(one)))),
    ...(await dead(db, documents, indexed)),
    ...(await unlike(db, documents.filter(({ pending }) => pending === 0).slice(0, SAMPLE), indexed)),
  ].slice(0, 20)
}

/** Documents are numbered in each workspace. */
const idOf = ({ workspace, doc }: Pick<Document, 'workspace' | 'doc'>) => `${workspace} ${doc}`

const placeOf = ({ doc, type, key, workspace }: Document) => `document ${doc}, ${type} ${key} of ${workspace},`

function misplaced(document: Document, found: Indexed | undefined): string[] {
  if (document.pending === 1) return found ? [`${placeOf(document)} is to be indexed, and is`] : []
  if (!found) return [`${placeOf(document)} is in no segment`]
  const isOwn = found.workspace === document.workspace && found.type === document.type
  return isOwn ? [] : [`${placeOf(document)} is in a segment as another`]
}

/** What is in a segment and stands for nothing, but is not among the dead: it would be found. */
async function dead(
  db: Queries,
  documents: readonly Document[],
  indexed: ReadonlyMap<string, Indexed>,
): Promise<string[]> {
  const known = new Set(documents.map(idOf))
  const dead = new Set(
    (await db.all<{ workspace: string; doc: number }>('SELECT workspace, doc FROM search_dead')).map(idOf),
  )
  const left = [...indexed.keys()].filter((id) => !known.has(id) && !dead.has(id))
  const living = documents.filter((one) => dead.has(idOf(one)))
  return [
    ...left.map((id) => `document ${id} is found and stands for nothing`),
    ...living.map((one) => `${placeOf(one)} lives and is among the dead`),
  ]
}

/** Documents whose terms are not those of their texts. */
async function unlike(
  db: Queries,
  sample: readonly Document[],
  indexed: ReadonlyMap<string, Indexed>,
): Promise<string[]> {
  const wanted = new Set(sample.map(({ doc }) => doc))
  const segments = new Set(sample.flatMap((one) => indexed.get(idOf(one))?.segment ?? []))
  const kept = new Map<number, Awaited<ReturnType<typeof termsOf>>>()
  for (const segment of segments) kept.set(segment, await termsOf(db, segment, wanted))
  const analyses = new Map<Document, Analyzed | null>()
  for (const one of sample) analyses.set(one, await analysisOf(db, one))
  return sample.flatMap((one) => {
    const analysis = analyses.get(one)
    const found = indexed.get(idOf(one))
    const terms = kept.get(found?.segment ?? 0)?.get(one.doc) ?? new Map<string, string>()
    const own = new Map([...(analysis?.terms ?? [])].map(([term, places]) => [term, places.join('; ')]))
    const differ = [...new Set([...own.keys(), ...terms.keys()])].filter((term) => own.get(term) !== terms.get(term))
    if (analysis && String(analysis.lengths) !== String(found?.lengths)) differ.push('its length')
    return differ.length === 0 ? [] : [`${placeOf(one)} is found by other terms: ${differ.slice(0, 5).join(' ')}`]
  })
}

/** For each of the documents its terms in a segment, with their places as text. */
async function termsOf(
  db: Queries,
  segment: number,
  wanted: ReadonlySet<number>,
): Promise<Map<number, Map<string, string>>> {
  const row = await db.get<Segment>('SELECT * FROM search_segments WHERE segment = $1', [segment])
  const { content, documents } = row ?? { content: new Uint8Array(), documents: 0 }
  const { docs } = readDocuments(content, documents)
  const found = new Map<number, Map<string, string>>()
  for (const block of await db.all<Block>('SELECT * FROM search_blocks WHERE segment = $1', [segment]))
    for (const { term, posting } of readBlock(block))
      for (const [number, fields] of readPlaces(posting, (number) => wanted.has(docs[number] ?? 0))) {
        const doc = docs[number] ?? 0
        const terms = found.get(doc) ?? new Map<string, string>()
        found.set(doc, terms.set(term, fields.join('; ')))
      }
  return found
}

/** What something is found by, from its own rows. */
async function analysisOf(db: Queries, { type, key }: Document): Promise<Analyzed | null> {
  type Row = Record<string, string | null>
  if (type === 'note') {
    const sql = 'SELECT title, tags, body FROM notes JOIN note_bodies USING (key) WHERE key = $1'
    const row = await db.get<Row>(sql, [key])
    const { code, headings } = scanMarkdown(row?.body ?? '')
    const marks = [...(code.length > 0 ? ['code'] : []), ...(headings.length > 0 ? ['heading'] : [])]
    return row && analyze([row.title ?? '', lines(row.tags), row.body ?? ''], marks)
  }
  if (type === 'task') {
    const row = await db.get<Row>('SELECT title, notes, labels FROM tasks WHERE key = $1', [key])
    return row && analyze([row.title ?? '', lines(row.labels), row.notes ?? ''])
  }
  const row = await db.get<Row>('SELECT * FROM study_facts WHERE key = $1', [key])
  if (!row) return null
  const body = [row.back, row.extra, row.hint, ...JSON.parse(row.accepted ?? '[]')].filter((one) => one !== null)
  return analyze([row.front ?? row.text ?? '', lines(row.tags), body.join('\n')])
}

const lines = (list: string | null | undefined): string => JSON.parse(list ?? '[]').join('\n')
