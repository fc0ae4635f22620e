/** Finds the documents that have words in a row. */
import { type Posting, readCounts } from './postings'
import { FIELD_BIT } from './segment'

/** The places of a word in the documents of one part, collected term by term. */
export class PlaceList {
  #docs = new Uint32Array(64)
  #places = new Uint32Array(64)
  #length = 0
  #terms = 0

  /**
   * Adds the places of a term.
   * @param wanted 1 for each document to read
   * @param field the only field to read: title (0), tags (1) or body (2); null for all
   */
  add(posting: Posting, wanted: Uint8Array, field: number | null): void {
    const { length, docs, titles, tags, bodies } = readCounts(posting.counts)
    const bytes = posting.places
    // Each place takes at least a byte.
    this.#makeRoom(bytes.length)
    this.#terms++
    const [ownDocs, ownPlaces] = [this.#docs, this.#places]
    let [at, added] = [0, this.#length]
    for (let i = 0; i < length; i++) {
      const doc = docs[i] as number
      for (let one = 0; one < 3; one++) {
        const count = (one === 0 ? titles[i] : one === 1 ? tags[i] : bodies[i]) as number
        const isWanted = wanted[doc] === 1 && (field === null || field === one)
        let place = (one << FIELD_BIT) - 1
        for (let n = 0; n < count; n++) {
          let byte = bytes[at++] as number
          let value = byte & 127
          for (let shift = 7; byte >= 128; shift += 7) {
            byte = bytes[at++] as number
            value += (byte & 127) << shift
          }
          if (!isWanted) continue
          place += value
          ownDocs[added] = doc
          ownPlaces[added++] = place
        }
      }
    }
    this.#length = added
  }

  /** Groups the places by document, ascending in each. @param count documents of the part */
  groupByDocument(count: number): PlacesByDocument {
    const starts = new Uint32Array(count + 1)
    for (let i = 0; i < this.#length; i++) {
      const next = (this.#docs[i] as number) + 1
      starts[next] = (starts[next] as number) + 1
    }
    for (let doc = 0; doc < count; doc++) starts[doc + 1] = (starts[doc + 1] as number) + (starts[doc] as number)
    if (this.#terms <= 1) return { starts, places: this.#places }
    const places = new Uint32Array(this.#length)
    const next = starts.slice()
    for (let i = 0; i < this.#length; i++) {
      const doc = this.#docs[i] as number
      const at = next[doc] as number
      next[doc] = at + 1
      places[at] = this.#places[i] as number
    }
    for (let doc = 0; doc < count; doc++) {
      const [start, end] = [starts[doc] as number, starts[doc + 1] as number]
      if (end - start > 1) places.subarray(start, end).sort()
    }
    return { starts, places }
  }

  #makeRoom(more: number): void {
    const least = this.#length + more
    if (least <= this.#places.length) return
    const grown = (list: Uint32Array) => {
      const larger = new Uint32Array(Math.max(least, 2 * list.length))
      larger.set(list)
      return larger
    }
    this.#docs = grown(this.#docs)
    this.#places = grown(this.#places)
  }
}

/** The places of a word: those of document `i` are from `starts[i]` to `starts[i + 1]`. */
interface PlacesByDocument {
  readonly starts: Uint32Array
  readonly places: Uint32Array
}

/**
 * Removes the documents from a mask in which the words do not follow one another.
 * @param lists the places of each distinct word
 * @param order the index into `lists` of each word
 */
export function keepRuns(mask: Uint8Array, lists: readonly PlacesByDocument[], order: readonly number[]): void {
  for (let doc = 0; doc < mask.length; doc++) {
    if (mask[doc] === 1 && !hasRun(doc, lists, order)) mask[doc] = 0
  }
}

function hasRun(doc: number, lists: readonly PlacesByDocument[], order: readonly number[]): boolean {
  let [rarest, fewest] = [0, Number.POSITIVE_INFINITY]
  for (let i = 0; i < order.length; i++) {
    const { starts } = lists[order[i] as number] as PlacesByDocument
    const count = (starts[doc + 1] as number) - (starts[doc] as number)
    if (count < fewest) [rarest, fewest] = [i, count]
  }
  const { starts, places } = lists[order[rarest] as number] as PlacesByDocument
  for (let at = starts[doc] as number; at < (starts[doc + 1] as number); at++) {
    const first = (places[at] as number) - rarest
    let i = 0
    while (
      i < order.length &&
      (i === rarest || hasPlace(doc, lists[order[i] as number] as PlacesByDocument, first + i))
    )
      i++
    if (i === order.length) return true
  }
  return false
}

/** Whether a document has a word at a place. */
function hasPlace(doc: number, { starts, places }: PlacesByDocument, place: number): boolean {
  let [low, high] = [starts[doc] as number, starts[doc + 1] as number]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] as number) < place) low = middle + 1
    else high = middle
  }
  return low < (starts[doc + 1] as number) && places[low] === place
}
