/** Sets of documents: for each part of the index a 1 for each document that is in the set. */
import type { Documents } from './segment'
import { TYPES, type Type } from './source'

/** The documents of a workspace's index, part by part. */
export interface IndexParts {
  readonly parts: readonly Documents[]
  /** For each part and document: 1, or 0 for a state that was replaced or deleted. */
  readonly current: readonly Uint8Array[]
}

export type Masks = readonly Uint8Array[]

/** Keeps in the first masks what is in both. */
export function intersect(masks: Masks, others: Masks): void {
  masks.forEach((mask, part) => {
    const other = others[part]
    if (other) for (let i = 0; i < mask.length; i++) mask[i] = (mask[i] as number) & (other[i] as number)
  })
}

/** Adds to the first masks what is in the others. */
export function unite(masks: Masks, others: Masks): void {
  masks.forEach((mask, part) => {
    const other = others[part]
    if (other) for (let i = 0; i < mask.length; i++) mask[i] = (mask[i] as number) | (other[i] as number)
  })
}

/** How many documents are in a mask. */
export function countDocs(mask: Uint8Array): number {
  let size = 0
  for (let i = 0; i < mask.length; i++) size += mask[i] as number
  return size
}

/** How many documents are in the masks. */
export function countAllDocs(masks: Masks): number {
  return masks.reduce((sum, mask) => sum + countDocs(mask), 0)
}

/** The documents of the masks, ascending within each part. */
export function listMaskedDocs(masks: Masks, parts: readonly Documents[]): number[] {
  const docs: number[] = []
  masks.forEach((mask, part) => {
    const own = parts[part]?.docs
    for (let i = 0; own && i < mask.length; i++) if (mask[i] === 1) docs.push(own[i] as number)
  })
  return docs
}

/** Puts documents into the masks. Those of a later part are behind those before. @param docs in any order */
export function setDocs(masks: Masks, parts: readonly Documents[], docs: readonly number[]): void {
  const ascending = Float64Array.from(docs).sort()
  let at = 0
  parts.forEach(({ docs: own }, part) => {
    const mask = masks[part]
    if (!mask) return
    for (let i = 0; i < own.length && at < ascending.length; i++) {
      while ((ascending[at] as number) < (own[i] as number)) at++
      if (ascending[at] === own[i]) mask[i] = 1
    }
  })
}

/** The current documents of some types that are no newer than a document. */
export function selectCurrent(view: IndexParts, types: readonly Type[], newest = Number.POSITIVE_INFINITY): Masks {
  const wanted = Uint8Array.from(TYPES, (type) => (types.includes(type) ? 1 : 0))
  return view.parts.map(({ docs, types: own }, part) => {
    const mask = new Uint8Array(view.current[part] as Uint8Array)
    for (let i = 0; i < mask.length; i++)
      if (wanted[own[i] as number] === 0 || (docs[i] as number) > newest) mask[i] = 0
    return mask
  })
}
