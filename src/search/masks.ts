/** Sets of documents: for each part of the index a mask with a 1 for each document in the set. */
import type { Documents } from './segment'
import { TYPES, type Type } from './source'

/** The documents of a workspace's index, part by part. */
export interface IndexParts {
  readonly parts: readonly Documents[]
  /** For each part and document: 1 if it is current, 0 if it was replaced or deleted. */
  readonly current: readonly Uint8Array[]
}

export type Masks = readonly Uint8Array[]

/** Keeps in the first masks only what is in both. */
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

/** Counts the documents in a mask. */
export function countDocs(mask: Uint8Array): number {
  let size = 0
  for (let i = 0; i < mask.length; i++) size += mask[i] as number
  return size
}

/** Whether the masks have no document. */
export function areEmpty(masks: Masks): boolean {
  return masks.every((mask) => !mask.includes(1))
}

/** Counts the documents in all masks. */
export function countAllDocs(masks: Masks): number {
  return masks.reduce((sum, mask) => sum + countDocs(mask), 0)
}

/** Lists the documents in the masks, ascending within each part. */
export function listMaskedDocs(masks: Masks, parts: readonly Documents[]): number[] {
  const docs: number[] = []
  masks.forEach((mask, part) => {
    const partDocs = parts[part]?.docs
    for (let i = 0; partDocs && i < mask.length; i++) if (mask[i] === 1) docs.push(partDocs[i] as number)
  })
  return docs
}

/**
 * Adds documents to the masks. The documents of each part are greater than those of the parts before.
 * @param docs in any order
 */
export function setDocs(masks: Masks, parts: readonly Documents[], docs: readonly number[]): void {
  const ascending = Float64Array.from(docs).sort()
  let at = 0
  parts.forEach(({ docs: partDocs }, part) => {
    const mask = masks[part]
    if (!mask) return
    for (let i = 0; i < partDocs.length && at < ascending.length; i++) {
      while ((ascending[at] as number) < (partDocs[i] as number)) at++
      if (ascending[at] === partDocs[i]) mask[i] = 1
    }
  })
}

/** Selects the current documents of some types, up to the document `newest`. */
export function selectCurrent(view: IndexParts, types: readonly Type[], newest = Number.POSITIVE_INFINITY): Masks {
  const wanted = Uint8Array.from(TYPES, (type) => (types.includes(type) ? 1 : 0))
  return view.parts.map(({ docs, types: docTypes }, part) => {
    const mask = new Uint8Array(view.current[part] as Uint8Array)
    for (let i = 0; i < mask.length; i++)
      if (wanted[docTypes[i] as number] === 0 || (docs[i] as number) > newest) mask[i] = 0
    return mask
  })
}
