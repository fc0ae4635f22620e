/** A segment of a workspace's index: documents that were indexed together, and the terms in them. It never changes. */
import type { Analysis } from './analyze'
import { compareTerms } from './blocks'
import { type Posting, PostingWriter } from './postings'
import { TYPES, type Type } from './source'

/** A document is one state of a note, a task or a fact: whatever changes its text makes it another. */
export interface Document {
  /** Ascending in the order in which texts were written, over all workspaces. */
  readonly doc: number
  readonly type: Type
  readonly analysis: Analysis
}

/** What ranking knows of the documents of a segment, by their numbers in it. */
export interface Documents {
  readonly count: number
  readonly docs: Float64Array
  /** Places in TYPES. */
  readonly types: Uint8Array
  /** How many words each field has. */
  readonly lengths: readonly [title: Uint32Array, tags: Uint32Array, body: Uint32Array]
}

export interface Segment {
  readonly documents: Documents
  /** In their order. */
  readonly terms: readonly (readonly [term: string, posting: Posting])[]
  /** The languages that words were stemmed by. */
  readonly languages: ReadonlySet<string>
}

/** Makes a segment. @param documents ascending by `doc` */
export function buildSegment(documents: readonly Document[]): Segment {
  const writers = new Map<string, PostingWriter>()
  documents.forEach(({ analysis }, number) => {
    for (const [term, places] of analysis.terms) {
      let writer = writers.get(term)
      if (!writer) {
        writer = new PostingWriter()
        writers.set(term, writer)
      }
      writer.add(number, places)
    }
  })
  const terms = [...writers].sort(([a], [b]) => compareTerms(a, b)).map(([term, writer]) => [term, writer.take()] as const)
  const length = (field: 0 | 1 | 2) => Uint32Array.from(documents, ({ analysis }) => analysis.lengths[field])
  return {
    documents: {
      count: documents.length,
      docs: Float64Array.from(documents, ({ doc }) => doc),
      types: Uint8Array.from(documents, ({ type }) => TYPES.indexOf(type)),
      lengths: [length(0), length(1), length(2)],
    },
    terms,
    languages: new Set(documents.map(({ analysis }) => analysis.language)),
  }
}

/** Documents as bytes: all of each list behind one another, the longest numbers first. */
export function writeDocuments({ docs, types, lengths }: Documents): Uint8Array {
  const lists = [docs, ...lengths, types]
  const bytes = new Uint8Array(lists.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const { buffer, byteOffset, byteLength } of lists) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += byteLength
  }
  return bytes
}

/** @param count how many there are in the bytes */
export function readDocuments(bytes: Uint8Array, count: number): Documents {
  const { buffer } = bytes.slice()
  const length = (field: number) => new Uint32Array(buffer, count * (8 + 4 * field), count)
  return {
    count,
    docs: new Float64Array(buffer, 0, count),
    types: new Uint8Array(buffer, count * 20, count),
    lengths: [length(0), length(1), length(2)],
  }
}
